// A fault of a program or of its user is noticed: each check of the history finds one.
#include "test/bstar/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace bstar::simulation {
namespace {

using faults = std::vector<fault>;

bool noticed(violation what, const scenario_options& options) {
  return zmtp::simulation::noticed(what,
                                   [&](std::uint64_t seed) { return run_scenario(seed, options); });
}

TEST(planted_faults, are_the_only_ones) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto result = run_scenario(seed, {.faults = faults{}});
    EXPECT_TRUE(result.findings.empty())
        << result.description << ": " << result.findings.front().text;
    EXPECT_EQ(result.figure("changes of role"), 2U) << result.description;
    EXPECT_NE(result.figure("answers"), 0U) << result.description;
  }
}

TEST(planted_faults, two_primaries_use_the_same_epochs) {
  EXPECT_TRUE(noticed(violation::epoch_of_both,
                      {.faults = faults{fault::link_cut},
                       .spoil = [](server, auto& how) { how.node.pair.as = role::primary; }}));
}

TEST(planted_faults, a_lost_file_is_noticed_by_an_old_epoch) {
  EXPECT_TRUE(noticed(
      violation::epoch_went_back,
      {.faults = faults{fault::kill}, .spoil = [](server, auto& how) { how.loses_file = true; }}));
}

TEST(planted_faults, a_server_without_a_file_is_noticed) {
  EXPECT_TRUE(noticed(
      violation::epoch_not_stored,
      {.faults = faults{}, .spoil = [](server, auto& how) { how.node.epoch_file.clear(); }}));
}

TEST(planted_faults, a_server_that_does_not_ask_its_node_serves_after_a_pause) {
  EXPECT_TRUE(noticed(violation::two_served,
                      {.faults = faults{fault::pause},
                       .spoil = [](server, auto& how) { how.serves_without_vote = true; }}));
}

TEST(planted_faults, a_server_that_needs_no_request_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::unasked, {.faults = faults{fault::kill}, .spoil = [](server, auto& how) {
                                     how.node.pair.take_over = takeover::on_expiry;
                                   }}));
}

TEST(planted_faults, a_server_with_a_short_expiry_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::too_early, {.faults = faults{fault::kill}, .spoil = [](server, auto& how) {
                                       how.node.pair.expiry = how.node.pair.heartbeat * 3 / 2;
                                     }}));
}

TEST(planted_faults, a_server_with_rare_heartbeats_loses_its_role_although_it_is_well) {
  EXPECT_TRUE(
      noticed(violation::too_early, {.faults = faults{}, .spoil = [](server who, auto& how) {
                                       if (who == 0) {
                                         how.node.pair.heartbeat *= 20;
                                         how.node.pair.expiry = 2 * how.node.pair.heartbeat;
                                       }
                                     }}));
}

TEST(planted_faults, servers_that_cannot_store_an_epoch_are_noticed) {
  EXPECT_TRUE(noticed(violation::none_active, {.faults = faults{}, .spoil = [](server, auto& how) {
                                                 how.node.epoch_file += ".d/epoch";
                                               }}));
}

TEST(planted_faults, a_link_that_stays_cut_is_noticed_by_two_active_servers) {
  EXPECT_TRUE(noticed(violation::both_active, {.faults = faults{}, .stays = fault::link_cut}));
}

TEST(planted_faults, a_late_change_of_roles_is_noticed) {
  EXPECT_TRUE(
      noticed(violation::unsteady, {.faults = faults{},
                                    .spoil = [](server, auto& how) { *how.node.pair.expiry *= 10; },
                                    .stays = fault::kill}));
}

TEST(planted_faults, a_server_that_does_not_answer_is_noticed) {
  EXPECT_TRUE(noticed(violation::unserved, {.faults = faults{}, .spoil = [](server, auto& how) {
                                              how.serves_nobody = true;
                                            }}));
}

}  // namespace
}  // namespace bstar::simulation
