// Accepts PEERS connections and writes each buffer of framed messages to all of them.
#include "bench/limits/frames.h"
#include "bench/limits/tcp.h"
#include "bench/support/arguments.h"

#include <vector>

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT PEERS SIZE COUNT"};
  const std::uint64_t peers = arguments.number(1);
  bench::limits::frame_encoder encoder{arguments.number(2)};
  const std::uint64_t count = arguments.number(3);
  bench::allow_descriptors(peers);
  const auto listener = bench::limits::listen_at(bench::parse_endpoint(arguments.text(0)));
  std::vector<bench::limits::descriptor> sinks;
  for (std::uint64_t peer = 0; peer < peers; ++peer) {
    sinks.push_back(bench::limits::accept_one(listener));
  }
  while (encoder.completed() < count) {
    const auto bytes = encoder.encode(count);
    for (const auto& sink : sinks) {
      bench::limits::write_all(sink, bytes);
    }
  }
}
