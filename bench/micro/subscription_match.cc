// The search for the subscribers of a message: its first part is matched against topics of one or many subscribers.
// bazel run -c opt //bench/micro:subscription_match

#include "zmtp/routing/subscription_index.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <malloc.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

// The same topics each time: random bytes, 16 of them.
class topic_source {
public:
  std::string next() {
    std::string topic(16, '\0');
    std::generate(topic.begin(), topic.end(), [this] { return static_cast<char>(random_()); });
    return topic;
  }

private:
  std::minstd_rand random_;
};

std::size_t bytes_in_use() {
  const auto use = mallinfo2();
  return use.uordblks + use.hblkhd;
}

// Parts to be matched, so many that the branch predictor does not learn them.
std::vector<std::string> parts_beginning_with(std::size_t topics) {
  constexpr std::size_t most = 4096;
  topic_source source;
  std::vector<std::string> parts;
  const auto step = std::max<std::size_t>(topics / most, 1);
  for (std::size_t n = 0; n < topics; ++n) {
    auto topic = source.next();
    if (n % step == 0 && parts.size() < most) {
      parts.push_back(std::move(topic) + "what follows");
    }
  }
  return parts;
}

std::vector<std::string> unwanted_parts() {
  std::minstd_rand random{77};
  std::vector<std::string> parts(4096);
  for (auto& part : parts) {
    for (int i = 0; i < 28; ++i) {
      part += static_cast<char>(random());
    }
  }
  return parts;
}

void match_each(benchmark::State& state, const subscription_index& index,
                const std::vector<std::string>& parts) {
  std::vector<subscription_index::topic_id> matched;
  std::size_t next = 0;
  for (auto _ : state) {
    matched.clear();
    index.match(parts[next], matched);
    benchmark::DoNotOptimize(matched.data());
    next = next + 1 < parts.size() ? next + 1 : 0;
  }
}

void subscribe_all(subscription_index& index, std::size_t topics) {
  topic_source source;
  for (std::size_t n = 0; n < topics; ++n) {
    index.subscribe(0, source.next());
  }
}

void match_wanted(benchmark::State& state) {
  const auto topics = static_cast<std::size_t>(state.range(0));
  const auto parts = parts_beginning_with(topics);
  const auto before = bytes_in_use();
  subscription_index index;
  subscribe_all(index, topics);
  if (topics > 1) {  // with one topic, the size of the first block would decide
    state.counters["bytes_per_topic"] =
        static_cast<double>(bytes_in_use() - before) / static_cast<double>(topics);
  }
  match_each(state, index, parts);
}
BENCHMARK(match_wanted)->ArgName("topics")->Arg(1)->Arg(1'000)->Arg(1'000'000);

void match_unwanted(benchmark::State& state) {
  subscription_index index;
  subscribe_all(index, static_cast<std::size_t>(state.range(0)));
  match_each(state, index, unwanted_parts());
}
BENCHMARK(match_unwanted)->ArgName("topics")->Arg(1)->Arg(1'000)->Arg(1'000'000);

// Topics of the lengths from 1 to N. All of them begin as the part does, and end with this byte.
void match_lengths(benchmark::State& state, char end) {
  subscription_index index;
  const std::string longest(static_cast<std::size_t>(state.range(0)), 'a');
  for (std::size_t length = 1; length <= longest.size(); ++length) {
    index.subscribe(0, std::string(length - 1, 'a') + end);
  }
  const auto part = longest + "a";
  std::vector<subscription_index::topic_id> matched;
  state.counters["topics_looked_at"] = static_cast<double>(index.match(part, matched));
  match_each(state, index, {part});
}

void match_lengths_unwanted(benchmark::State& state) { match_lengths(state, 'b'); }
BENCHMARK(match_lengths_unwanted)->ArgName("lengths")->Arg(1)->Arg(10)->Arg(100)->Arg(1'024);

// All of them match.
void match_lengths_wanted(benchmark::State& state) { match_lengths(state, 'a'); }
BENCHMARK(match_lengths_wanted)->ArgName("lengths")->Arg(1)->Arg(10)->Arg(100)->Arg(1'024);

// Peers that want the same, all visited.
void match_and_visit(benchmark::State& state) {
  subscription_index index;
  for (std::int64_t peer = 0; peer < state.range(0); ++peer) {
    index.subscribe(static_cast<subscription_index::slot>(peer), "topic");
  }
  std::vector<subscription_index::topic_id> matched;
  for (auto _ : state) {
    matched.clear();
    index.match("topic and more", matched);
    std::uint64_t sum = 0;
    for (const auto topic : matched) {
      index.for_each_subscriber(topic, [&](subscription_index::slot peer) { sum += peer; });
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(match_and_visit)->ArgName("peers")->Arg(1)->Arg(10)->Arg(100)->Arg(1'000);

void subscribe_and_cancel(benchmark::State& state) {
  subscription_index index;
  const auto topics = static_cast<std::size_t>(state.range(0));
  subscribe_all(index, topics);
  const auto parts = unwanted_parts();
  std::size_t next = 0;
  for (auto _ : state) {
    const auto topic = std::string_view{parts[next]}.substr(0, 16);
    benchmark::DoNotOptimize(index.subscribe(1, topic));
    benchmark::DoNotOptimize(index.cancel(1, topic));
    next = next + 1 < parts.size() ? next + 1 : 0;
  }
}
BENCHMARK(subscribe_and_cancel)->ArgName("topics")->Arg(1)->Arg(1'000)->Arg(1'000'000);

}  // namespace
}  // namespace zmtp
