// Accepts one connection, reads COUNT times WRITE_SIZE bytes and prints how fast they came.
#include "bench/limits/frames.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <vector>

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT WRITE_SIZE COUNT"};
  const auto listener = bench::limits::listen_at(bench::parse_endpoint(arguments.text(0)));
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t count = arguments.number(2);
  std::vector<std::byte> buffer(bench::limits::read_size);
  const auto source = bench::limits::accept_one(listener);
  bench::limits::wait_for_bytes(source, bench::limits::write_size);
  // The first bytes start the clock.
  std::uint64_t received = bench::limits::read_blocking(source, buffer);
  const bench::stopwatch clock;
  while (received < size * count) {
    const auto bytes = bench::limits::read_blocking(source, buffer);
    if (bytes == 0) {
      bench::fail("the source ended too early: give both programs the same arguments");
    }
    received += bytes;
  }
  bench::print_throughput(size, count, clock.seconds());
}
