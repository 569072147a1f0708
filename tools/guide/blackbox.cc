// blackbox: a subscriber whose threads share the topics, and a feed that is as fast as these threads.

#include "tools/guide/program.h"
#include "zmtp/pattern/sharded_subscriber.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
namespace asio = boost::asio;

struct settings {
  std::string bind = "tcp://*:5556";
  std::vector<std::string> connect{"tcp://localhost:5556"};
  std::size_t shards = 2;
  std::size_t work = 1;
  bool no_feed = false;
};

// Publishes messages of 100 bytes, of a thousand topics.
asio::awaitable<void> feed(const settings& is) {
  zmtp::socket_options options;
  options.no_drop = true;
  const auto executor = co_await asio::this_coro::executor;
  zmtp::pub_socket publisher{executor, options};
  publisher.bind(is.bind);
  const std::string body(96, 'x');
  for (zmtp::message_batch batch;;) {
    for (int topic = 0; topic < 1'000; ++topic) {
      batch.append(fmt::format("{:04}", topic), body);
    }
    co_await publisher.async_wait_subscribers("0000", 1, asio::use_awaitable);
    co_await publisher.async_send(batch, asio::use_awaitable);
  }
}

// Keeps its thread busy for the given time.
void toil(std::size_t microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{microseconds};
  while (std::chrono::steady_clock::now() < end) {
  }
}

asio::awaitable<void> report(const zmtp::sharded_subscriber& box) {
  auto before = box.counters();
  for (;;) {
    co_await guide::pause(1s);
    const auto now = box.counters();
    std::uint64_t all = 0;
    std::string each;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto done = now[i].processed - before[i].processed;
      all += done;
      each += fmt::format(" {}", done);
    }
    guide::say("I: {} messages/second, by shard:{}", all, each);
    before = now;
  }
}

asio::awaitable<int> run(const settings& is) {
  zmtp::sharded_subscriber box{{.shards = is.shards},
                               {.on_messages = [&](std::size_t, const zmtp::message_batch& all) {
                                 for (std::size_t i = 0; i < all.size(); ++i) {
                                   toil(is.work);
                                 }
                               }}};
  box.subscribe("");
  for (const auto& at : is.connect) {
    box.connect(at);
  }
  if (is.no_feed) {
    co_await report(box);
  } else {
    co_await (feed(is) || report(box));
  }
  co_return guide::exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  settings is;
  guide::command_line line{"Black Box: a subscriber whose threads share the topics"};
  line.endpoint("--bind", is.bind, "endpoint to bind, for the feed");
  line.endpoints("--connect", is.connect, "publisher to connect to; repeatable");
  line.number("--shards", is.shards, "number of threads");
  line.number("--work", is.work, "time to process a message, in microseconds", 0);
  line.flag("--no-feed", is.no_feed, "do not run the feed; other processes publish");
  return guide::run(line, argc, argv, run, is);
}
