// Production sockets whose first connection is cut at a byte, for each pair of types, either way
// round, in both directions: they recover, and lose only what the kernels had.
//   --every N    offsets that are N apart (401)
#include "test/zmtp/simulation/production_scenario.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

std::size_t every = 401;

constexpr auto ends = {end_of_stream::connecting, end_of_stream::accepting};
constexpr auto kinds = {planned_cut::kind::taken, planned_cut::kind::arrived};

production_result run(std::size_t pattern, bool hub_binds, const planned_cut& cut) {
  return run_production(9, {.pattern = pattern, .cut = cut, .hub_binds = hub_binds});
}

std::string report_of(const planned_cut& cut, const production_result& result) {
  auto text = result.description + ", byte " + std::to_string(cut.bytes) + " from the " +
              (cut.from == end_of_stream::connecting ? "connecting" : "accepting") + " socket, " +
              (cut.what == planned_cut::kind::taken ? "taken" : "arrived");
  for (const auto& f : result.findings) {
    text += "\n  " + std::string{to_string(f.what)} + ": " + f.text;
  }
  return text;
}

// Returns the number of cuts that happened.
std::size_t cut_everywhere(std::size_t pattern, bool hub_binds, planned_cut cut) {
  cut.bytes = 0;
  const auto whole = run(pattern, hub_binds, cut);
  EXPECT_TRUE(whole.findings.empty()) << report_of(cut, whole);
  EXPECT_EQ(whole.figure("cut"), 0U);
  std::size_t cuts = 0;
  const auto all = whole.figure("bytes");
  for (auto at = 1 + pattern % every; at <= all && !testing::Test::HasFailure(); at += every) {
    cut.bytes = at;
    const auto result = run(pattern, hub_binds, cut);
    EXPECT_TRUE(result.findings.empty()) << report_of(cut, result);
    EXPECT_EQ(result.figure("cut"), 1U) << report_of(cut, result);
    ++cuts;
  }
  return cuts;
}

TEST(cut_everywhere, sockets_recover_and_lose_only_what_the_kernels_had) {
  std::size_t cuts = 0;
  for (std::size_t pattern = 0; pattern < production_patterns(); ++pattern) {
    for (const bool hub_binds : {false, true}) {
      for (const auto from : ends) {
        for (const auto what : kinds) {
          cuts += cut_everywhere(pattern, hub_binds, {.from = from, .what = what});
        }
      }
    }
  }
  std::printf("%zu cuts\n", cuts);
  EXPECT_NE(cuts, 0U);
}

// Two messages vanish that the kernels did not have when the connection was cut.
TEST(cut_everywhere, a_queue_that_is_lost_with_its_connection_is_noticed) {
  const auto loses_two = [count = 0](message m) mutable {
    ++count;
    std::vector<message> all;
    if (count != 5 && count != 6) {
      all.push_back(std::move(m));
    }
    return all;
  };
  const auto result =
      run_production(9, {.pattern = 0, .cut = planned_cut{.bytes = 100}, .edit = loses_two});
  EXPECT_TRUE(result.shows(violation::lost));
}

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  for (int i = 1; i + 1 < count; ++i) {
    if (std::string_view{arguments[i]} == "--every") {
      zmtp::simulation::every = std::stoul(arguments[i + 1]);
    }
  }
  return RUN_ALL_TESTS();
}
