// Connects and sends COUNT frames of SIZE bytes, encoded one by one into buffers of 1 MiB.
#include "bench/limits/frames.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE COUNT"};
  const auto endpoint = bench::parse_endpoint(arguments.text(0));
  bench::limits::frame_encoder encoder{arguments.number(1)};
  const std::uint64_t count = arguments.number(2);
  const auto sink = bench::limits::connect_to(endpoint);
  while (encoder.completed() < count) {
    bench::limits::write_all(sink, encoder.encode(count));
  }
}
