// mdbroker: Majordomo broker for MDP/0.1 and MDP/0.2.

#include "mdp/broker.h"
#include "mdp/broker_report.h"
#include "tools/guide/clock_log.h"
#include "tools/guide/program.h"

#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <string>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string bind = "tcp://*:5555";
  mdp::broker_options broker;
  bool verbose = false;
};

asio::awaitable<int> serve(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  mdp::broker broker{executor, is.broker};
  broker.bind(is.bind);
  guide::log("I: MDP broker/0.2.0 is active at {}", is.bind);
  if (!is.verbose) {
    co_await guide::until_stopped();
    co_return guide::exit_code::done;
  }
  for (std::string before;;) {
    co_await guide::pause(is.broker.heartbeat_interval);
    const auto now = mdp::report(broker.status());
    if (now != before) {
      guide::log("I: {}", now);
    }
    before = now;
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Majordomo broker for clients and workers of MDP/0.1 and MDP/0.2"};
  line.endpoint("--bind", is.bind, "where clients and workers come");
  line.milliseconds("--heartbeat", is.broker.heartbeat_interval, "between heartbeats");
  line.flag("-v", is.verbose, "log the state and the counters when they have changed");
  return guide::run(line, argc, argv, serve, is);
}
