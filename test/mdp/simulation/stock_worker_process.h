#pragma once
// A worker of 7/MDP without extensions, like the Guide's: one request at a time, during which it neither reads
// nor sends. The worker announces nothing, and does not use extensions of Zinc.

#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/worker_process.h"
#include "zmtp/message.h"

#include <chrono>
#include <string>

namespace mdp::simulation {

class stock_worker_process final : public process {
public:
  struct options {
    std::chrono::milliseconds heartbeat{2'500};
    std::chrono::milliseconds reconnect_delay{2'500};
  };

  stock_worker_process(town& in, std::string name, std::string broker, const trade& serves,
                       const options& how, const labour& work)
      : process{in, std::move(name)},
        broker_{std::move(broker)},
        serves_{&serves},
        options_{how},
        how_{work} {}

  // From now on the worker answers. The scenario restarts it if it does nothing.
  void be_good();

private:
  void begin() override;
  void end() override {}
  void open();
  void close_for(std::chrono::milliseconds wait);
  void say(std::initializer_list<std::string_view> frames);
  [[nodiscard]] bool receive();
  void on_message(zmtp::message&& m);
  void take(const zmtp::message& m);
  void tick_later();
  void tick();

  std::string broker_;
  const trade* serves_;
  options options_;
  labour how_;
  sim_socket* socket_ = nullptr;
  bool closed_ = false;
  bool working_ = false;
  bool hangs_ = false;
  unsigned liveness_ = 0;
};

}  // namespace mdp::simulation
