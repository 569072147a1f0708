// A fault of a program, a disk or a user is noticed.
#include "test/chp/simulation/expect_noticed.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace chp::simulation {
namespace {

void with_stores(setting& how) { how.stores = {true, true}; }
void with_stores_and_short_logs(setting& how) {
  with_stores(how);
  how.short_log = true;
}

TEST(planted_faults, are_the_only_ones) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto result = run_scenario(seed, {.faults = faults{}});
    EXPECT_TRUE(result.findings.empty())
        << result.description << ": " << result.findings.front().text;
    EXPECT_NE(result.figure("committed"), 0U) << result.description;
  }
}

TEST(planted_faults, a_disk_that_confirms_too_early_loses_updates_of_both) {
  expect_noticed(violation::lost, 1,
                 {.faults = faults{fault::power_loss, fault::slow_disk},
                  .set = with_stores,
                  .spoil = [](server, auto& how) { how.disk.confirms_early = true; }});
}

TEST(planted_faults, servers_that_lose_sessions_execute_updates_twice) {
  expect_noticed(violation::made_twice, 51,
                 {.faults = faults{fault::kill, fault::power_loss, fault::slow},
                  .set = with_stores_and_short_logs,
                  .spoil = [](server, auto& how) { how.disk.loses_sessions = true; }});
}

TEST(planted_faults, a_disk_that_loses_entries_is_noticed) {
  expect_noticed(violation::damaged, 1,
                 {.faults = faults{fault::kill},
                  .set = with_stores,
                  .spoil = [](server, auto& how) { how.disk.loses_entries = true; }});
}

TEST(planted_faults, updates_without_ids_are_executed_twice) {
  expect_noticed(violation::made_twice, 275,
                 {.faults = faults{fault::kill, fault::client_cut},
                  .guide = guide_process::options{.has_ids = false, .expects_once = true}});
}

TEST(planted_faults, few_known_ids_execute_updates_twice) {
  expect_noticed(violation::made_twice, 7,
                 {.faults = faults{fault::kill, fault::pause, fault::slow},
                  .set = [](auto& how) { how.few_ids = true; },
                  .guide = guide_process::options{.has_ids = true, .expects_once = true}});
}

TEST(planted_faults, a_server_with_another_policy_breaks_block) {
  expect_noticed(
      violation::one_in_block, 1,
      {.faults = faults{fault::kill},
       .set = [](auto& how) { how.block = true; },
       .spoil = [](server, auto& how) { how.server.server.degraded = degraded_policy::ack; }});
}

TEST(planted_faults, an_acknowledgement_that_claims_both_is_noticed) {
  const auto options =
      scenario_options{.faults = faults{fault::link_cut, fault::kill, fault::one_way_cut},
                       .spoil_client = [](auto& how) { how.claims_both = true; }};
  expect_noticed(violation::lost, 16, options);
  expect_noticed(violation::cut_of_both, 3, options);
}

TEST(planted_faults, an_acknowledgement_that_claims_both_shows_older_updates) {
  expect_noticed(violation::older_wins, 4,
                 {.faults = faults{fault::link_cut, fault::kill, fault::one_way_cut},
                  .spoil_client = [](auto& how) {
                    how.claims_both = true;
                    how.shared_keys = 50;
                  }});
}

TEST(planted_faults, a_client_that_does_not_tell_a_loss_is_noticed) {
  expect_noticed(violation::unreported_loss, 3,
                 {.faults = faults{fault::link_cut, fault::one_way_cut, fault::kill},
                  .spoil_client = [](auto& how) { how.drops_losses = true; }});
}

TEST(planted_faults, a_client_that_does_not_tell_a_lost_history_is_noticed) {
  expect_noticed(violation::unreported_history, 3,
                 {.faults = faults{fault::link_cut, fault::one_way_cut, fault::kill},
                  .spoil_client = [](auto& how) { how.drops_lost_histories = true; }});
}

void with_ttls(setting& how) { how.ttls = true; }

TEST(planted_faults, an_early_expiry_is_noticed) {
  expect_noticed(violation::expired_early, 1,
                 {.faults = faults{}, .set = with_ttls, .spoil_client = [](auto& how) {
                    how.erases_after = 90;
                  }});
}

TEST(planted_faults, an_expiry_that_ends_a_newer_value_is_noticed) {
  expect_noticed(violation::lost, 2,
                 {.faults = faults{}, .set = with_ttls, .spoil_client = [](auto& how) {
                    how.erases_after = 100;
                  }});
}

TEST(planted_faults, a_key_that_returns_after_its_expiry_is_noticed) {
  expect_noticed(violation::expired_returns, 1,
                 {.faults = faults{}, .set = with_ttls, .spoil_client = [](auto& how) {
                    how.sets_expired_again = true;
                  }});
}

TEST(planted_faults, a_key_that_does_not_expire_is_noticed) {
  expect_noticed(violation::unexpired, 1,
                 {.faults = faults{}, .set = with_ttls, .spoil_client = [](auto& how) {
                    how.ttl_factor = 100;
                  }});
}

TEST(planted_faults, a_lost_update_without_a_file_is_noticed) {
  expect_noticed(violation::not_in_file, 4,
                 {.faults = faults{fault::link_cut, fault::one_way_cut},
                  .spoil = [](server, auto& how) { how.writes_no_lost_files = true; }});
}

TEST(planted_faults, a_server_that_loses_its_disk_and_its_epochs_is_noticed) {
  const auto options =
      scenario_options{.faults = faults{fault::kill, fault::link_cut},
                       .set = with_stores,
                       .spoil = [](server who, auto& how) { how.loses_everything = who == 0; }};
  expect_noticed(violation::lost, 9, options);
  expect_noticed(violation::stopped, 21, options);
}

TEST(planted_faults, a_witness_that_grants_every_attempt_is_noticed) {
  expect_noticed(violation::lost, 21,
                 {.faults = faults{fault::link_cut, fault::one_way_cut},
                  .set = [](auto& how) { how.witness = true; },
                  .witness_grants_all = true});
}

TEST(planted_faults, a_link_that_stays_cut_is_noticed) {
  expect_noticed(violation::not_in_sync, 2, {.faults = faults{}, .stays = fault::link_cut});
}

TEST(planted_faults, a_client_that_stays_cut_is_noticed) {
  expect_noticed(violation::unended, 6, {.faults = faults{}, .stays = fault::client_cut});
}

TEST(planted_faults, a_client_that_follows_a_part_of_the_map_is_noticed) {
  expect_noticed(violation::unequal, 1, {.faults = faults{}, .spoil_client = [](auto& how) {
                                           how.client.subtree = "/once/";
                                         }});
}

}  // namespace
}  // namespace chp::simulation
