// Connects a REQ and prints how long ROUNDTRIPS of a message take, one way.
#include "bench/support/arguments.h"
#include "bench/support/report.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/req_socket.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace {

namespace asio = boost::asio;

asio::awaitable<void> ask(zmtp::req_socket req, std::uint64_t size, std::uint64_t roundtrips) {
  zmtp::message m;
  (void)m.prepare_back(size);
  const bench::stopwatch clock;
  for (std::uint64_t i = 0; i < roundtrips; ++i) {
    if (req.try_send(std::move(m)) != zmtp::send_status::queued) {
      bench::fail("a request had no room, with none in flight: the endpoint is not the right one");
    }
    m = co_await req.async_receive(asio::use_awaitable);
    if (m.front().size() != size) {
      bench::fail("a message of another size: give both programs the same arguments");
    }
  }
  bench::print_latency(size, roundtrips, clock.seconds());
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  asio::io_context context{1};
  zmtp::req_socket req{context.get_executor()};
  req.connect(arguments.endpoint(0));
  co_spawn(context, ask(std::move(req), arguments.number(1), arguments.number(2)), zmtp::rethrow);
  context.run();
}
