#pragma once
// A client that implements 12/CHP without extensions: a DEALER, a SUB and a PUB. If its server is unresponsive,
// it switches to the next. Servers do not acknowledge its updates.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/town.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chp::simulation {

class letter_client_process final : public process {
public:
  struct options {
    std::string subtree{};
    std::chrono::milliseconds server_ttl{5'000};
  };

  letter_client_process(town& in, std::string name, std::vector<std::string> servers,
                        const options& how, manners sets)
      : process{in, std::move(name)},
        servers_{std::move(servers)},
        options_{how},
        sets_{std::move(sets)} {}

  void be_quiet() noexcept { sets_.updates = 0; }
  // The client has a map that is at the update `last`.
  void check_rest(sequence last);

private:
  void begin() override;
  void end() override;
  void wake_later();
  void set();
  void turn_to(std::size_t server);
  void leave();
  void watch_silence();
  void ask();
  [[nodiscard]] bool hear_snapshot();
  [[nodiscard]] bool hear_subscriber();
  void on_publication(const zmtp::message& m);

  std::vector<std::string> servers_;
  options options_;
  manners sets_;
  std::size_t server_ = 0;
  std::size_t requests_ = 0;  // that were not answered
  sim_socket* publisher_ = nullptr;
  sim_socket* subscriber_ = nullptr;
  sim_socket* snapshot_ = nullptr;
  time_point last_received_at_{};
  bool active_ = false;
  replica map_;
  replica incoming_;
  std::vector<zmtp::message> behind_;  // it reads the subscriber when it has the snapshot
  sequence number_ = 0;
};

}  // namespace chp::simulation
