// Random scenarios, each from its seed: who talks to whom, what goes wrong. Whatever happens, the books
// must agree.
//   --seeds N         how many (500)
//   --first-seed S    from which on (1)
//   --seed S          this one alone
//   --trace           prints all that happens
#include "test/simulation/scenario.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace zmtp::simulation {
namespace {

struct {
  std::uint64_t first = 1;
  std::uint64_t count = 500;
  bool trace = false;
} asked_for;

std::string report_of(std::uint64_t seed, const scenario_result& result) {
  auto text = "seed " + std::to_string(seed) + ": " + result.description;
  for (const auto& f : result.findings) {
    text += "\n  " + std::string{to_string(f.what)} + ": " + f.text;
  }
  return text +
         "\nTo see it again: bazel run //test/simulation:socket_scenarios_test -- --trace --seed " +
         std::to_string(seed);
}

TEST(socket_scenarios, nothing_is_lost_doubled_spliced_or_out_of_order) {
  scenario_options options;
  if (asked_for.trace) {
    options.print = [](std::string_view line) {
      std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    };
  }
  const auto began = std::chrono::steady_clock::now();
  std::chrono::nanoseconds virtual_time{};
  std::size_t parcels = 0;
  std::size_t octets = 0;
  std::size_t events = 0;
  std::size_t troubles = 0;
  std::size_t failed = 0;
  std::uint64_t traces = 0;  // the same with every compiler
  for (auto seed = asked_for.first; seed != asked_for.first + asked_for.count; ++seed) {
    const auto result = run_scenario(seed, options);
    virtual_time += result.virtual_time;
    parcels += result.parcels;
    octets += result.octets;
    events += result.events;
    troubles += result.troubles;
    traces = traces * 31 + result.trace_hash;
    if (!result.findings.empty()) {
      ADD_FAILURE() << report_of(seed, result);
      if (++failed == 10) {
        break;
      }
    }
  }
  using seconds = std::chrono::duration<double>;
  const seconds took = std::chrono::steady_clock::now() - began;
  std::printf("%zu messages, %zu octets, %zu events, %zu troubles, traces %016" PRIx64
              "; %.0f virtual seconds in %.2f s, %.0f times\n",
              parcels, octets, events, troubles, traces, seconds{virtual_time}.count(),
              took.count(), seconds{virtual_time}.count() / took.count());
}

TEST(socket_scenarios, same_seed_same_trace) {
  std::uint64_t last = 0;
  for (auto seed = asked_for.first; seed != asked_for.first + 30; ++seed) {
    const auto once = run_scenario(seed);
    const auto again = run_scenario(seed);
    EXPECT_EQ(once.trace_hash, again.trace_hash) << "seed " << seed;
    EXPECT_EQ(once.events, again.events) << "seed " << seed;
    EXPECT_NE(once.trace_hash, last) << "seeds " << seed - 1 << " and " << seed;
    last = once.trace_hash;
  }
}

void parse(int count, char** arguments) {
  const auto number_after = [&](int i) {
    return i + 1 < count ? std::stoull(arguments[i + 1]) : std::uint64_t{1};
  };
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--seeds") {
      asked_for.count = number_after(i);
    } else if (argument == "--first-seed") {
      asked_for.first = number_after(i);
    } else if (argument == "--seed") {
      asked_for.first = number_after(i);
      asked_for.count = 1;
    } else if (argument == "--trace") {
      asked_for.trace = true;
    }
  }
}

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  zmtp::simulation::parse(count, arguments);
  return RUN_ALL_TESTS();
}
