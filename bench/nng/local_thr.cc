// Binds a PULL, receives COUNT messages and prints how fast they came.
#include "bench/nng/socket.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <nng/protocol/pipeline0/pull.h>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT"};
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t messages = arguments.number(2);
  bench::nng::socket pull{nng_pull0_open};
  pull.bind(arguments.endpoint(0));
  bench::nng::message each;
  pull.receive(each, size);
  const bench::stopwatch clock;
  for (std::uint64_t received = 1; received < messages; ++received) {
    pull.receive(each, size);
  }
  bench::print_throughput(size, messages, clock.seconds());
}
