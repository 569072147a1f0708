// Accepts one connection, opens COUNT boxes of SIZE bytes, prints how fast they came.
#include "bench/limits/boxes.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE COUNT"};
  const auto listener = bench::limits::listen_at(bench::parse_endpoint(arguments.text(0)));
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t count = arguments.number(2);
  bench::limits::box_opener opener{size};
  const auto source = bench::limits::accept_one(listener);
  // The first bytes start the clock.
  std::uint64_t received = opener.received(bench::limits::read_blocking(source, opener.room()));
  const bench::stopwatch clock;
  while (received < count) {
    const auto bytes = bench::limits::read_blocking(source, opener.room());
    if (bytes == 0) {
      bench::fail("the source ended too early: give both programs the same arguments");
    }
    received += opener.received(bytes);
  }
  bench::print_throughput(size, count, clock.seconds());
}
