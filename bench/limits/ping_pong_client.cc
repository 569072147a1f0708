// Connects, sends SIZE bytes and waits for them, ROUNDTRIPS times; prints how long each took.
#include "bench/limits/ping_pong.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <vector>

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  const auto endpoint = bench::parse_endpoint(arguments.text(0));
  std::vector<std::byte> message(arguments.number(1));
  const std::uint64_t round_trips = arguments.number(2);
  bench::limits::ping_pong server{bench::limits::connect_to(endpoint)};
  const bench::stopwatch clock;
  for (std::uint64_t done = 0; done < round_trips; ++done) {
    server.send(message);
    server.receive(message);
  }
  bench::print_latency(message.size(), round_trips, clock.seconds());
}
