// One PUB: waits for a subscriber to everything, then sends it COUNT messages of SIZE bytes over TOPICS topics,
// as fast as it takes them, and ends when it has them all.
#include "bench/support/arguments.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;

constexpr std::uint64_t batch_size = 1'000;
constexpr std::size_t topic_size = 8;

std::string topic_name(std::uint64_t number) {
  auto name = std::to_string(number);
  name.insert(0, topic_size - std::min(name.size(), topic_size), '0');
  return name;
}

asio::awaitable<void> publish(zmtp::pub_socket pub, std::uint64_t size, std::uint64_t count,
                              std::uint64_t topics) {
  co_await pub.async_wait_subscribers("", 1, asio::use_awaitable);
  const std::string body(size - topic_size, 'x');
  zmtp::message_batch batch;
  for (std::uint64_t sent = 0; sent < count;) {
    const auto end = std::min(sent + batch_size, count);
    for (; sent < end; ++sent) {
      batch.append(topic_name(sent % topics), body);
    }
    co_await pub.async_send(batch, asio::use_awaitable);
  }
  co_await pub.async_close(zmtp::deadline{}, asio::use_awaitable);
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT [TOPICS]"};
  const auto size = arguments.number(1);
  if (size < topic_size) {
    bench::misused("SIZE is 8 at least");
  }
  asio::io_context context{1};
  zmtp::socket_options options;
  options.no_drop = true;
  zmtp::pub_socket pub{context.get_executor(), options};
  pub.bind(arguments.endpoint(0));
  co_spawn(context,
           publish(std::move(pub), size, arguments.number(2), arguments.number_or(3, 1'000)),
           zmtp::rethrow);
  context.run();
}
