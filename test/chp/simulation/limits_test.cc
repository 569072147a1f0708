// Some small limits of the settings are reached, so that the scenarios show what happens then.
#include "test/chp/simulation/scenario.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace chp::simulation {
namespace {

void expect_reached(std::string_view figure, bool setting::*limit) {
  const auto count = [&](std::uint64_t seed, bool is_small) {
    return run_scenario(seed, {.set = [&](setting& how) { how.*limit = is_small; }}).figure(figure);
  };
  std::uint64_t seed = 1;
  while (seed <= 100 && (count(seed, true) == 0 || count(seed, false) != 0)) {
    ++seed;
  }
  EXPECT_LE(seed, 100U) << figure;
}

TEST(small_limits, the_map_refuses_updates) {
  expect_reached("refused at limits", &setting::few_keys);
  expect_reached("refused at limits", &setting::small_map);
  expect_reached("refused at limits", &setting::small_values);
}

TEST(small_limits, servers_forget_sessions) {
  expect_reached("of forgotten sessions", &setting::few_sessions);
}

TEST(small_limits, clients_leave_a_larger_map) {
  expect_reached("maps above a copy", &setting::small_copies);
}

TEST(small_limits, a_passive_server_drops_updates) {
  expect_reached("dropped while waiting", &setting::small_updates);
}

}  // namespace
}  // namespace chp::simulation
