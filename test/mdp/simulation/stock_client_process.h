#pragma once
// A client of 7/MDP without extensions, like the Guide's: a REQ socket with one request at a time.
// If there is no reply in time, the client discards the socket and the request.

#include "test/mdp/simulation/process.h"
#include "zmtp/message.h"
#include "zmtp/socket/request_sockets.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mdp::simulation {

class stock_client_process final : public process {
public:
  struct options {
    std::chrono::milliseconds timeout{2'500};
    unsigned attempts = 3;
    std::chrono::milliseconds pace{200};
    std::size_t calls = 30;
    // A fault to plant in a test: the program resends requests that must not run twice.
    bool repeats_all = false;
  };

  stock_client_process(setting& in, const std::string& name, std::string broker,
                       std::vector<const trade*> asks, const options& how)
      : process{in, name}, broker_{std::move(broker)}, asks_{std::move(asks)}, options_{how} {}
  ~stock_client_process() override { kill(false); }

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
  void on_reply(const zmtp::error_code& ec, const zmtp::message& m);
  void on_no_reply();

  std::string broker_;
  std::vector<const trade*> asks_;
  options options_;
  std::unique_ptr<zmtp::req_socket> socket_;
  const trade* asked_ = nullptr;  // none: it is not asking
  std::uint32_t call_ = 0;
  unsigned attempts_left_ = 0;
};

}  // namespace mdp::simulation
