// spqueue: Simple Pirate queue: clients at one endpoint, workers at the other, and the worker that has
// rested longest gets the next request.

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
  guide::command_line line{
      "Simple Pirate queue: gives requests of clients to workers that are free"};
  line.endpoint("--bind", is.clients, "where clients come");
  line.endpoint("--bind-workers", is.workers, "where workers come");
  line.milliseconds("--expiry", is.expiry, "how long a request waits while no worker is there");
  return guide::run(line, argc, argv, serve, is);
}
