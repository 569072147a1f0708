// Binds a PULL, receives COUNT messages of paced_source in batches and prints how long they took.
#include "bench/support/arguments.h"
#include "bench/support/paced.h"
#include "bench/support/report.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>

namespace {

namespace asio = boost::asio;

asio::awaitable<void> receive(zmtp::pull_socket pull, std::uint64_t size, std::uint64_t count) {
  zmtp::message_batch batch;
  bench::latencies taken{count};
  std::optional<bench::stopwatch> clock;
  while (taken.incomplete()) {
    co_await pull.async_receive(batch, asio::use_awaitable);
    if (!clock) {
      clock.emplace();
    }
    const auto now = bench::pace::clock::now();
    for (const auto m : batch) {
      taken.add(m.bytes(0), now);
    }
  }
  bench::print_throughput(size, count, clock->seconds());
  taken.print();
}

}  // namespace

int main(int count, char** values) {
  // RATE is for paced_source: both take the same arguments.
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT RATE"};
  asio::io_context context{1};
  zmtp::pull_socket pull{context.get_executor()};
  pull.bind(arguments.endpoint(0));
  co_spawn(context, receive(std::move(pull), arguments.number(1), arguments.number(2)),
           zmtp::rethrow);
  context.run();
}
