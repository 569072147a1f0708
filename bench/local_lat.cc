// Binds a REP and returns ROUNDTRIPS messages.
#include "bench/support/arguments.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/rep_socket.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace {

namespace asio = boost::asio;

asio::awaitable<void> answer(zmtp::rep_socket rep, std::uint64_t size, std::uint64_t roundtrips) {
  for (std::uint64_t i = 0; i < roundtrips; ++i) {
    auto m = co_await rep.async_receive(asio::use_awaitable);
    if (m.front().size() != size) {
      bench::fail("a message of another size: give both programs the same arguments");
    }
    if (rep.try_send(std::move(m)) != zmtp::send_status::queued) {
      bench::fail("a reply had no room: the peer is gone");
    }
  }
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  asio::io_context context{1};
  zmtp::rep_socket rep{context.get_executor()};
  rep.bind(arguments.endpoint(0));
  co_spawn(context, answer(std::move(rep), arguments.number(1), arguments.number(2)),
           zmtp::rethrow);
  context.run();
}
