// Accepts one connection, decodes COUNT frames of SIZE bytes in place, prints how fast they came.
#include "bench/limits/frames.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE COUNT"};
  const auto listener = bench::limits::listen_at(bench::parse_endpoint(arguments.text(0)));
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t count = arguments.number(2);
  bench::limits::frame_decoder decoder{size};
  const auto source = bench::limits::accept_one(listener);
  bench::limits::wait_for_bytes(source, bench::limits::write_size);
  // The first bytes start the clock.
  std::uint64_t received = decoder.received(bench::limits::read_blocking(source, decoder.room()));
  const bench::stopwatch clock;
  while (received < count) {
    const auto bytes = bench::limits::read_blocking(source, decoder.room());
    if (bytes == 0) {
      bench::fail("the source ended too early: give both programs the same arguments");
    }
    received += decoder.received(bytes);
  }
  bench::print_throughput(size, count, clock.seconds());
}
