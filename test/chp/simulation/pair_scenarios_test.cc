// Scenarios of a pair of servers of the clustered hashmap with clients, whose ledgers must agree. For the
// command-line arguments, see test/simulation/seeds.h.
#include "test/chp/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chp::simulation {
namespace {

constexpr std::string_view target = "//test/chp/simulation:pair_scenarios_test";

// Six of ten seeds are dramas; the other properties depend on the seed. Half of the blocks of twenty seeds have
// stores.
scenario_options options_of(std::uint64_t seed) {
  scenario_options how{.print = zmtp::simulation::printer_asked_for(),
                       .stored = seed / 20 % 2 == 1};
  switch (seed % 10) {
    case 1:
      how.what = drama::active_killed;
      how.letter_clients = 0;
      break;
    case 2:
      how.what = drama::active_killed;
      how.letter_clients = 2;
      break;
    case 3: how.what = seed % 20 == 3 ? drama::both_restarted : drama::both_killed; break;
    case 4:
      how.what = drama::partition;
      how.small = seed % 40 == 4;
      how.busy = seed % 20 == 14;
      break;
    case 5: how.what = drama::left_alone; break;
    case 6: how.what = drama::questions_held; break;
    default: break;
  }
  return how;
}

scenario_result run(std::uint64_t seed) { return run_scenario(seed, options_of(seed)); }

std::size_t sum_of(drama what, std::string_view figure, bool stored = false) {
  std::size_t sum = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    sum += run_scenario(seed, {.what = what, .stored = stored}).figure(figure);
  }
  return sum;
}

TEST(pair_scenarios, nothing_is_lost_invented_or_early) {
  zmtp::simulation::expect_no_findings(target, run);
}

TEST(pair_scenarios, same_seed_same_trace) { zmtp::simulation::expect_same_traces(run); }

// The dramas.
TEST(pair_scenarios, a_killed_server_is_replaced_three_times) {
  EXPECT_EQ(sum_of(drama::active_killed, "activations"), 40U);
}

TEST(pair_scenarios, a_server_that_restarts_after_the_other_loses_nothing) {
  EXPECT_EQ(sum_of(drama::both_restarted, "lost with both memories"), 0U);
}

TEST(pair_scenarios, a_server_that_is_restarted_alone_loses_nothing) {
  EXPECT_EQ(sum_of(drama::left_alone, "lost with both memories"), 0U);
}

TEST(pair_scenarios, two_servers_without_stores_that_are_killed_lose_their_maps) {
  EXPECT_NE(sum_of(drama::both_killed, "lost with both memories"), 0U);
}

TEST(pair_scenarios, two_servers_with_stores_that_are_killed_lose_nothing) {
  EXPECT_EQ(sum_of(drama::both_killed, "lost with both memories", true), 0U);
}

TEST(pair_scenarios, both_sides_of_a_partition_accept_updates) {
  EXPECT_NE(sum_of(drama::partition, "offered by losers"), 0U);
}

TEST(pair_scenarios, an_offer_may_exceed_the_limits) {
  std::size_t offered = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto result = run_scenario(seed, {.what = drama::partition, .small = true});
    offered += result.figure("offered by losers");
    refused += result.figure("refused");
  }
  EXPECT_NE(offered, 0U);
  EXPECT_NE(refused, 0U);
}

TEST(pair_scenarios, delayed_requests_arrive_at_once) {
  EXPECT_NE(sum_of(drama::questions_held, "questions at once"), 0U);
  EXPECT_NE(sum_of(drama::questions_held, "offered by losers"), 0U);
}

}  // namespace
}  // namespace chp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
