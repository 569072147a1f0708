// spqueue: Simple Pirate queue: one endpoint for clients, one for workers. The worker that has been idle for longest
// gets the next request.

#include "tools/guide/pirate_drops.h"
#include "tools/guide/program.h"
#include "zmtp/pattern/pirate_queue.h"

#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace {

namespace asio = boost::asio;

struct settings {
  std::string clients = "tcp://*:5555";
  std::string workers = "tcp://*:5556";
  std::chrono::milliseconds expiry{60'000};
};

asio::awaitable<int> serve(const settings& is) {
  const auto executor = co_await asio::this_coro::executor;
  const zmtp::pirate_queue_options options{.protocol = zmtp::pirate_protocol::simple,
                                           .unserved_timeout = is.expiry};
  guide::pirate_drops drops;
  zmtp::pirate_queue queue{executor, options,
                           [&](zmtp::pirate_event what, std::string_view) { drops.tell(what); }};
  queue.bind_clients(is.clients);
  queue.bind_workers(is.workers);
  co_await guide::until_stopped();
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Simple Pirate queue: assigns requests of clients to idle workers"};
  line.endpoint("--bind", is.clients, "endpoint to bind, for clients");
  line.endpoint("--bind-workers", is.workers, "endpoint to bind, for workers");
  line.milliseconds("--expiry", is.expiry, "time that a request waits if no worker is connected");
  return guide::run(line, argc, argv, serve, is);
}
