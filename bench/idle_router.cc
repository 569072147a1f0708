// A ROUTER that prints what each of CONNECTIONS idle peers costs in memory, once each has sent one
// message; echoes everything and ends after a second message from each. Its peer is
// bench/limits/idle_peers.
#include "bench/support/arguments.h"
#include "bench/support/endpoint.h"
#include "bench/support/report.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>

namespace {

namespace asio = boost::asio;

asio::awaitable<void> echo(zmtp::router_socket router, std::uint64_t connections,
                           asio::signal_set& stop) {
  const auto before = bench::resident_bytes();
  zmtp::message_batch batch;
  bool reported = false;
  for (std::uint64_t echoed = 0; echoed < 2 * connections;) {
    co_await router.async_receive(batch, asio::use_awaitable);
    const auto count = batch.size();
    co_await router.async_send_to(batch, asio::use_awaitable);
    echoed += count;
    if (!reported && echoed >= connections) {
      reported = true;
      bench::print_memory_per_connection(connections, before, bench::resident_bytes());
    }
  }
  stop.cancel();
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT CONNECTIONS"};
  const auto connections = arguments.number(1);
  bench::allow_descriptors(connections);
  asio::io_context context{1};
  zmtp::router_socket router{context.get_executor()};
  router.bind(arguments.endpoint(0));
  asio::signal_set stop{context, SIGINT, SIGTERM};
  stop.async_wait([&](boost::system::error_code ec, int) {
    if (!ec) {
      context.stop();
    }
  });
  co_spawn(context, echo(std::move(router), connections, stop), zmtp::rethrow);
  context.run();
}
