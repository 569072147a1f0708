// A subscriber of `feed` that works for a given time on each message: with SHARDS the sharded_subscriber, else
// one SUB in one thread. Prints the throughput from the first message to the end of the work on the last.
#include "bench/support/arguments.h"
#include "bench/support/report.h"
#include "bench/support/work.h"
#include "zmtp/pattern/sharded_subscriber.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;

struct job {
  std::string endpoint;
  std::uint64_t size;
  std::uint64_t count;
  std::uint64_t work;
};

asio::awaitable<void> receive(zmtp::sub_socket sub, const job& is) {
  std::optional<bench::stopwatch> clock;
  zmtp::message_batch batch;
  for (std::uint64_t done = 0; done < is.count; done += batch.size()) {
    co_await sub.async_receive(batch, asio::use_awaitable);
    if (!clock) {
      clock.emplace();
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      bench::work_for(is.work);
    }
  }
  bench::print_throughput(is.size, is.count, clock->seconds());
}

void run_alone(const job& is) {
  asio::io_context context{1};
  zmtp::sub_socket sub{context.get_executor()};
  sub.subscribe("");
  sub.connect(is.endpoint);
  co_spawn(context, receive(std::move(sub), is), zmtp::rethrow);
  context.run();
}

void run_sharded(const job& is, std::uint64_t shards) {
  std::once_flag first;
  std::optional<bench::stopwatch> clock;
  std::atomic<std::uint64_t> done{0};
  std::promise<double> seconds;
  const auto take = [&](std::size_t, const zmtp::message_batch& batch) {
    std::call_once(first, [&] { clock.emplace(); });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      bench::work_for(is.work);
    }
    if ((done += batch.size()) == is.count) {
      seconds.set_value(clock->seconds());
    }
  };
  zmtp::sharded_subscriber box{{.shards = shards}, {.on_messages = take}};
  box.subscribe("");
  box.connect(is.endpoint);
  bench::print_throughput(is.size, is.count, seconds.get_future().get());
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT NANOSECONDS [SHARDS]"};
  const job is{arguments.endpoint(0), arguments.number(1), arguments.number(2),
               arguments.number(3)};
  if (const auto shards = arguments.number_or(4, 0, 1'024); shards == 0) {
    run_alone(is);
  } else {
    run_sharded(is, shards);
  }
}
