// Connects a PUSH and sends COUNT messages, RATE in each second, whatever the receiver does.
#include "bench/support/arguments.h"
#include "bench/support/paced.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace {

namespace asio = boost::asio;

constexpr std::size_t most_of_a_batch = 1024;

asio::awaitable<void> send(zmtp::push_socket push, std::uint64_t size, std::uint64_t count,
                           std::uint64_t rate) {
  zmtp::message_batch batch;
  asio::steady_timer timer{co_await asio::this_coro::executor};
  // The connection is there when the first message is queued.
  bench::pace pace{rate, count};
  while (!pace.over()) {
    const auto due = pace.next();
    timer.expires_at(due);
    co_await timer.async_wait(asio::use_awaitable);
    for (auto left = pace.take(); left != 0;) {
      for (; left != 0 && batch.size() != most_of_a_batch; --left) {
        bench::stamp(batch.prepare(size), due);
      }
      co_await push.async_send(batch, asio::use_awaitable);
    }
  }
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT RATE"};
  asio::io_context context{1};
  zmtp::push_socket push{context.get_executor()};
  push.connect(arguments.endpoint(0));
  co_spawn(context,
           send(std::move(push), arguments.number(1), arguments.number(2), arguments.number(3)),
           zmtp::rethrow);
  context.run();
}
