// mdworker: Majordomo worker that echoes requests.

#include "mdp/worker.h"
#include "tools/guide/majordomo_log.h"
#include "tools/guide/program.h"

#include <boost/asio/this_coro.hpp>

#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string connect = "tcp://localhost:5555";
  mdp::worker_options worker{.service = "echo", .protocol = mdp::version::v01};
  bool verbose = false;
};

asio::awaitable<int> echo(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  const auto answer = [](mdp::worker_request request) {
    auto body = std::move(request.body());
    // If the connection is lost, the broker redelivers the request to another worker.
    static_cast<void>(request.reply(std::move(body)));
  };
  const mdp::worker worker{executor, is.connect, is.worker, answer,
                           guide::worker_log(is.verbose, is.connect)};
  co_await guide::until_stopped();
  guide::say("W: interrupt received, killing worker...");
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Majordomo worker of MDP/0.1: echoes requests"};
  line.endpoint("--connect", is.connect, "broker to connect to");
  line.milliseconds("--heartbeat", is.worker.heartbeat, "time between heartbeats");
  line.milliseconds("--reconnect", is.worker.reconnect_delay,
                    "pause after the loss of the broker, before the worker reconnects");
  line.flag("-v", is.verbose, "log sent and received messages, frame by frame");
  return guide::run(line, argc, argv, echo, is);
}
