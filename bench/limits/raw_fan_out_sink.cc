// Opens PEERS connections, reads COUNT messages of SIZE bytes from each, which it counts by their
// bytes, and prints the deliveries per second.
#include "bench/limits/frames.h"
#include "bench/limits/poller.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <optional>
#include <vector>

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values, "ENDPOINT PEERS SIZE COUNT"};
  const auto endpoint = bench::parse_endpoint(arguments.text(0));
  const std::uint64_t peers = arguments.number(1);
  const std::uint64_t size = arguments.number(2);
  const std::uint64_t deliveries = peers * arguments.number(3);
  const std::uint64_t expected = deliveries * bench::limits::frame_size(size);
  bench::allow_descriptors(peers);
  bench::limits::poller poller;
  std::vector<bench::limits::descriptor> sources;
  for (std::uint64_t peer = 0; peer < peers; ++peer) {
    sources.push_back(bench::limits::connect_to(endpoint));
    poller.add(sources.back(), peer);
  }
  std::vector<std::byte> buffer(bench::limits::read_size);
  std::optional<bench::stopwatch> clock;
  std::uint64_t received = 0;
  std::uint64_t open = peers;
  while (received < expected) {
    if (open == 0) {
      bench::fail("the source ended too early: give both programs the same arguments");
    }
    for (const auto& event : poller.wait()) {
      const auto bytes = bench::limits::read_blocking(sources[event.data.u64], buffer);
      if (bytes == 0) {
        sources[event.data.u64] = bench::limits::descriptor{};
        --open;
        continue;
      }
      // The first bytes start the clock.
      if (!clock) {
        clock.emplace();
      }
      received += bytes;
    }
  }
  bench::print_fan_out(peers, size, deliveries, clock->seconds());
}
