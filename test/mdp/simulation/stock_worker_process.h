#pragma once
// A worker of 7/MDP without extensions, like the Guide's: one request at a time, during which it
// neither reads nor sends. The worker announces nothing, and does not use extensions of Zinc.

#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/worker_process.h"
#include "zmtp/message.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace mdp::simulation {

class stock_worker_process final : public process {
public:
  struct options {
    std::chrono::milliseconds heartbeat{2'500};
    std::chrono::milliseconds reconnect_delay{2'500};
  };

  stock_worker_process(setting& in, const std::string& name, std::string broker,
                       const trade& serves, const options& how, const labour& work)
      : process{in, name},
        broker_{std::move(broker)},
        serves_{&serves},
        options_{how},
        how_{work} {}
  ~stock_worker_process() override { kill(false); }

  // From now on the worker answers. If it does nothing, it starts again.
  void be_good();

private:
  // Why a conversation with the broker ended.
  enum class end_of_talk { told_to, silence };

  void begin() override;
  void end() override {}
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<end_of_talk> talk();
  boost::asio::awaitable<void> say(zmtp::dealer_socket& to, zmtp::message m);
  boost::asio::awaitable<void> work(zmtp::dealer_socket& to, const zmtp::message& m);
  boost::asio::awaitable<void> sleep(std::chrono::nanoseconds time);

  std::string broker_;
  const trade* serves_;
  options options_;
  labour how_;
  bool hangs_ = false;
};

}  // namespace mdp::simulation
