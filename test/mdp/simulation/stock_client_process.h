#pragma once
// A client of 7/MDP without extensions, like the Guide's: a REQ socket with one request at a time. If there is
// no reply in time, the client discards the socket and the request.

#include "test/mdp/simulation/process.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace mdp::simulation {

class stock_client_process final : public process {
public:
  struct options {
    std::chrono::milliseconds timeout{2'500};
    unsigned attempts = 3;
    std::chrono::milliseconds pace{200};
    std::size_t calls = 30;
  };

  stock_client_process(town& in, std::string name, std::string broker,
                       std::vector<const trade*> asks, const options& how)
      : process{in, std::move(name)},
        broker_{std::move(broker)},
        asks_{std::move(asks)},
        options_{how} {}

  // Asks one service now; the number of the call. It must be running, and not be asking.
  std::uint32_t ask(const trade& what);
  // No more of its own accord, and with more patience.
  void be_quiet() noexcept {
    options_.calls = 0;
    options_.timeout = std::chrono::seconds{10};
  }
  void leave();

private:
  void begin() override;
  void end() override;
  void open();
  void wake_later();
  void send();
  void on_timeout();
  [[nodiscard]] bool receive();
  void on_message(const zmtp::message& m);

  std::string broker_;
  std::vector<const trade*> asks_;
  options options_;
  sim_socket* socket_ = nullptr;
  const trade* asked_ = nullptr;  // none: it is not asking
  std::uint32_t call_ = 0;
  unsigned attempts_left_ = 0;
};

}  // namespace mdp::simulation
