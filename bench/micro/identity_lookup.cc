// The search for the peer with a routing id, which ROUTER does for each message that it sends.
// bazel run -c opt //bench/micro:identity_lookup

#include "zmtp/routing/router_state.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace zmtp {
namespace {

// Fills the table with ids as a ROUTER makes them up; returns known ones in random order.
[[nodiscard]] std::vector<std::string> fill(identity_table& table, std::int64_t peers) {
  std::vector<std::string> ids;
  for (std::uint32_t slot = 0; slot < static_cast<std::uint32_t>(peers); ++slot) {
    ids.push_back(table.make_up(1));
    table.insert(ids.back(), {.slot = slot, .generation = 1});
  }
  constexpr std::size_t most = 65'536;
  std::minstd_rand random;
  std::vector<std::string> asked;
  for (std::size_t i = 0; i < most; ++i) {
    asked.push_back(ids[random() % ids.size()]);
  }
  return asked;
}

void find(benchmark::State& state) {
  identity_table table;
  const auto asked = fill(table, state.range(0));
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.find(asked[next]));
    next = next + 1 < asked.size() ? next + 1 : 0;
  }
}
BENCHMARK(find)->ArgName("peers")->Arg(1)->Arg(10)->Arg(1'000)->Arg(10'000)->Arg(1'000'000);

void find_unknown(benchmark::State& state) {
  identity_table table;
  static_cast<void>(fill(table, state.range(0)));
  std::uint32_t n = 0;
  std::string id = "unknown peer 0000";
  for (auto _ : state) {
    id.back() = static_cast<char>(++n);
    benchmark::DoNotOptimize(table.find(id));
  }
}
BENCHMARK(find_unknown)->ArgName("peers")->Arg(10)->Arg(10'000)->Arg(1'000'000);

// A peer that comes and goes.
void insert_and_erase(benchmark::State& state) {
  identity_table table;
  static_cast<void>(fill(table, state.range(0)));
  const std::string id = "a routing id of a client that was given one";
  const peer_id peer{.slot = 1, .generation = 2};
  for (auto _ : state) {
    table.insert(id, peer);
    table.erase(id, peer);
  }
}
BENCHMARK(insert_and_erase)->ArgName("peers")->Arg(10)->Arg(10'000)->Arg(1'000'000);

}  // namespace
}  // namespace zmtp
