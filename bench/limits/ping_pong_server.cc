// Accepts one connection and returns SIZE bytes ROUNDTRIPS times.
#include "bench/limits/ping_pong.h"
#include "bench/support/arguments.h"

#include <vector>

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  const auto listener = bench::limits::listen_at(bench::parse_endpoint(arguments.text(0)));
  std::vector<std::byte> message(arguments.number(1));
  const std::uint64_t round_trips = arguments.number(2);
  bench::limits::ping_pong client{bench::limits::accept_one(listener)};
  for (std::uint64_t done = 0; done < round_trips; ++done) {
    client.receive(message);
    client.send(message);
  }
}
