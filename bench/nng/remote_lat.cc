// Connects a REQ, sends ROUNDTRIPS messages one after the other and prints how long each took.
#include "bench/nng/socket.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <nng/protocol/reqrep0/req.h>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t roundtrips = arguments.number(2);
  bench::nng::socket req{nng_req0_open};
  req.connect(arguments.endpoint(0));
  bench::nng::message each{size};
  const bench::stopwatch clock;
  for (std::uint64_t done = 0; done < roundtrips; ++done) {
    req.send(each);
    req.receive(each, size);
  }
  bench::print_latency(size, roundtrips, clock.seconds());
}
