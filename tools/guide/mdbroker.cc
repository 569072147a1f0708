// mdbroker: Majordomo broker for MDP/0.1 and MDP/0.2.

#include "mdp/broker.h"
#include "tools/guide/clock_log.h"
#include "tools/guide/majordomo_log.h"
#include "tools/guide/program.h"

#include <boost/asio/this_coro.hpp>

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
  mdp::broker broker{executor, is.broker, guide::broker_log(is.verbose)};
  broker.bind(is.bind);
  guide::log("I: MDP broker/0.2.0 is active at {}", is.bind);
  co_await guide::until_stopped();
  guide::say("W: interrupt received, shutting down...");
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Majordomo broker for clients and workers of MDP/0.1 and MDP/0.2"};
  line.endpoint("--bind", is.bind, "endpoint to bind, for clients and workers");
  line.milliseconds("--heartbeat", is.broker.heartbeat, "time between heartbeats");
  line.flag("-v", is.verbose, "log received messages and messages to workers, frame by frame");
  return guide::run(line, argc, argv, serve, is);
}
