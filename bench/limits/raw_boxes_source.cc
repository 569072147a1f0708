// Connects and sends COUNT boxes of SIZE bytes, sealed one by one, in writes of 1 MiB.
#include "bench/limits/boxes.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE COUNT"};
  const auto endpoint = bench::parse_endpoint(arguments.text(0));
  bench::limits::box_sealer sealer{arguments.number(1)};
  const auto sink = bench::limits::connect_to(endpoint);
  for (auto left = arguments.number(2); left != 0; left -= sealer.sealed()) {
    bench::limits::write_all(sink, sealer.seal(left));
  }
}
