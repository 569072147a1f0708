// The clustered hashmap's map: what a server does for each update, look-up and entry of a snapshot. Beside
// it std::map does what of that it can.
// bazel run -c opt //bench/micro:chp_store

#include "chp/command.h"
#include "chp/store.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace chp {
namespace {

using clock = std::chrono::steady_clock;
using milliseconds = std::chrono::duration<double, std::milli>;

const std::string value(32, 'v');
const std::string other_value(32, 'w');

// Keys of twenty bytes, in random order.
[[nodiscard]] std::vector<std::string> make_keys(std::int64_t count) {
  std::vector<std::string> keys;
  for (std::int64_t i = 0; i < count; ++i) {
    auto number = std::to_string(i);
    number.insert(0, 12 - number.size(), '0');
    keys.push_back("/bench/" + number + "x");
  }
  std::shuffle(keys.begin(), keys.end(), std::minstd_rand{1});
  return keys;
}

sequence fill(store& s, const std::vector<std::string>& keys) {
  sequence at = 0;
  for (const auto& key : keys) {
    s.apply({key, value, {}, {}}, ++at);
  }
  return at;
}

[[nodiscard]] std::map<std::string, std::string> make_map(const std::vector<std::string>& keys) {
  std::map<std::string, std::string> m;
  for (const auto& key : keys) {
    m.emplace(key, value);
  }
  return m;
}

// Goes round and round.
template <class T>
[[nodiscard]] const T& next_of(const std::vector<T>& all, std::size_t& at) {
  at = at + 1 < all.size() ? at + 1 : 0;
  return all[at];
}

void sizes(benchmark::internal::Benchmark* b) { b->ArgName("keys")->Arg(10'000)->Arg(1'000'000); }

void apply_to_existing(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  store s{1};
  auto at = fill(s, keys);
  std::size_t next = 0;
  for (auto _ : state) {
    s.apply({next_of(keys, next), other_value, {}, {}}, ++at);
  }
}
BENCHMARK(apply_to_existing)->Apply(sizes);

void apply_of_another_size(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  const std::vector<std::string> values{std::string(20, 'a'), std::string(60, 'b')};
  store s{1};
  auto at = fill(s, keys);
  std::size_t next = 0;
  std::size_t round = 0;
  for (auto _ : state) {
    const auto& key = next_of(keys, next);
    round += next == 0 ? 1 : 0;
    s.apply({key, values[round & 1], {}, {}}, ++at);
  }
}
BENCHMARK(apply_of_another_size)->Apply(sizes);

void apply_with_deadline(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  store s{1};
  sequence at = 0;
  store::time_point deadline{};
  for (const auto& key : keys) {
    s.apply({key, value, {}, deadline += std::chrono::microseconds{1}}, ++at);
  }
  std::size_t next = 0;
  for (auto _ : state) {
    s.apply({next_of(keys, next), value, {}, deadline += std::chrono::microseconds{1}}, ++at);
  }
}
BENCHMARK(apply_with_deadline)->Apply(sizes);

void apply_under_a_snapshot(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  store s{1};
  auto at = fill(s, keys);
  std::optional<store::snapshot> open;
  std::size_t next = 0;
  for (auto _ : state) {
    if (next == 0) {
      open.reset();
      open.emplace(s.open_snapshot());
    }
    s.apply({next_of(keys, next), value, {}, {}}, ++at);
  }
}
BENCHMARK(apply_under_a_snapshot)->Apply(sizes);

void apply_and_erase(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  store s{1};
  auto at = fill(s, keys);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto& key = next_of(keys, next);
    s.erase(key, ++at);
    s.apply({key, value, {}, {}}, ++at);
  }
}
BENCHMARK(apply_and_erase)->Apply(sizes);

void std_map_assign(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  auto m = make_map(keys);
  std::size_t next = 0;
  for (auto _ : state) {
    m[next_of(keys, next)] = other_value;
  }
}
BENCHMARK(std_map_assign)->Apply(sizes);

void find(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  store s{1};
  fill(s, keys);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(s.find(next_of(keys, next))->value().front());
  }
}
BENCHMARK(find)->Apply(sizes);

void std_map_find(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  const auto m = make_map(keys);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(m.find(next_of(keys, next))->second.front());
  }
}
BENCHMARK(std_map_find)->Apply(sizes);

// Per entry; as a server does it, in pieces, with or without what went since.
void read_snapshot(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  store s{1};
  auto at = fill(s, keys);
  auto open = s.open_snapshot();
  if (state.range(1) != 0) {
    for (const auto& key : keys) {
      s.apply({key, other_value, {}, {}}, ++at);
    }
  }
  std::size_t bytes = 0;
  std::int64_t entries = 0;
  while (state.KeepRunningBatch(state.range(0))) {
    auto from = state.range(1) != 0 ? std::move(open) : s.open_snapshot();
    while (!from.at_end()) {
      from.read(1'000, [&](const store::entry& e) {
        bytes += e.value().size();
        ++entries;
        return true;
      });
    }
  }
  benchmark::DoNotOptimize(bytes);
  state.SetItemsProcessed(entries);
}
BENCHMARK(read_snapshot)
    ->ArgNames({"keys", "all_replaced"})
    ->Args({10'000, 0})
    ->Args({1'000'000, 0});
BENCHMARK(read_snapshot)
    ->ArgNames({"keys", "all_replaced"})
    ->Args({1'000'000, 1})
    ->Iterations(1'000'000);

void std_map_iterate(benchmark::State& state) {
  const auto m = make_map(make_keys(state.range(0)));
  std::size_t bytes = 0;
  while (state.KeepRunningBatch(state.range(0))) {
    for (const auto& [key, held] : m) {
      bytes += held.size();
    }
  }
  benchmark::DoNotOptimize(bytes);
}
BENCHMARK(std_map_iterate)->Apply(sizes);

void expire(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  store s{1};
  sequence at = 0;
  while (state.KeepRunningBatch(state.range(0))) {
    state.PauseTiming();
    std::minstd_rand random{1};
    for (const auto& key : keys) {
      s.apply({key, value, {}, store::time_point{std::chrono::microseconds{random()}}}, ++at);
    }
    state.ResumeTiming();
    std::vector<std::string> due;
    do {
      due.clear();
      s.visit_due(store::time_point::max() - std::chrono::seconds{1}, 100,
                  [&](const store::entry& e) {
                    due.emplace_back(e.key());
                    return store::time_point::max();
                  });
      for (const auto& key : due) {
        s.erase(key, ++at);
      }
    } while (!due.empty());
  }
}
BENCHMARK(expire)->Apply(sizes);

// The longest single call, in milliseconds, of a life of a map: it grows, a snapshot is opened, everything
// changes, the snapshot is closed, everything changes again, and is dismantled.
void longest_call(benchmark::State& state) {
  const auto keys = make_keys(state.range(0));
  milliseconds grow{};
  milliseconds open{};
  milliseconds change{};
  milliseconds close{};
  milliseconds tidy{};
  milliseconds end{};
  const auto timed = [](milliseconds& longest, auto&& call) {
    const auto begin = clock::now();
    call();
    longest = std::max<milliseconds>(longest, clock::now() - begin);
  };
  for (auto _ : state) {
    store s{1};
    sequence at = 0;
    for (const auto& key : keys) {
      timed(grow, [&] { s.apply({key, value, {}, {}}, ++at); });
    }
    std::optional<store::snapshot> view;
    timed(open, [&] { view.emplace(s.open_snapshot()); });
    for (const auto& key : keys) {
      timed(change, [&] { s.apply({key, value, {}, {}}, ++at); });
    }
    timed(close, [&] { view.reset(); });
    for (const auto& key : keys) {
      timed(tidy, [&] { s.apply({key, value, {}, {}}, ++at); });
    }
    for (bool ended = false; !ended;) {
      timed(end, [&] { ended = s.dismantle(1'000); });
    }
  }
  state.counters["grow_ms"] = grow.count();
  state.counters["open_ms"] = open.count();
  state.counters["change_ms"] = change.count();
  state.counters["close_ms"] = close.count();
  state.counters["tidy_ms"] = tidy.count();
  state.counters["end_ms"] = end.count();
}
BENCHMARK(longest_call)
    ->ArgName("keys")
    ->Arg(1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Reads a KVSET and writes its KVPUB into a batch, without the map.
void set_to_publication(benchmark::State& state) {
  const auto id = update_id::of_session(update_id::make_session(1), 1);
  const zmtp::message set = make_set(form::kvmsg, "/bench/000000000000x", id, "", value);
  zmtp::message_batch published;
  const std::string_view counts = state.range(0) != 0 ? "d=/:1000000,/bench/:1000000\n" : "";
  sequence at = 0;
  for (auto _ : state) {
    const auto received = parse_set(set, form::kvmsg, {});
    append_publication(published, form::kvmsg, received->key, ++at, id, counts, received->value);
    benchmark::DoNotOptimize(published.framed_size());
    if (published.size() == 512) {
      published.clear();
    }
  }
}
BENCHMARK(set_to_publication)->ArgName("counts")->Arg(0)->Arg(1);

}  // namespace
}  // namespace chp
