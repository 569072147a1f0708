// Random schedules with servers of production code. The long form is 10 parts of 10^5 schedules.

#include "test/chp/model/production_server.h"
#include "test/chp/model/world.h"
#include "test/support/long_run.h"

#include <gtest/gtest.h>

namespace chp::model {
namespace {

TEST(chp_log_production, keeps_every_promise_in_random_schedules) {
  const zmtp::test::run_seeds seeds{10'000, 100'000};
  figures sum;
  for (auto seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (const auto broken = try_seed(seed, planted::none, sum, production_server::make)) {
      FAIL() << describe(seed, shorten(seed, planted::none, *broken, production_server::make));
    }
  }
  // The schedules reach what they are for.
  EXPECT_GT(sum.answers, seeds.count);
  EXPECT_GT(sum.cuts, seeds.count / 100);
  EXPECT_GT(sum.losses, seeds.count / 100);
}

TEST(chp_log_production, keeps_every_promise_with_a_witness) {
  const zmtp::test::run_seeds seeds{10'000, 100'000};
  figures sum;
  for (auto seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (const auto broken = try_seed(seed, planted::none, sum, production_server::make, true)) {
      FAIL() << describe(seed,
                         shorten(seed, planted::none, *broken, production_server::make, true));
    }
  }
  EXPECT_GT(sum.answers, seeds.count);
  EXPECT_GT(sum.cuts, seeds.count / 1'000);
  EXPECT_GT(sum.losses, seeds.count / 100);
}

TEST(chp_log_production, a_seed_does_the_same_twice) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const schedule s = make_schedule(seed, planted::none);
    std::vector<std::string> first;
    std::vector<std::string> second;
    run(s, &first, production_server::make);
    run(s, &second, production_server::make);
    EXPECT_EQ(first, second) << "seed " << seed;
    EXPECT_FALSE(first.empty());
  }
}

// Faults that need no change inside the product: those of the disk, of messages and of the shell.
// Faults of clients are in the model's own client.
class production_fault : public testing::TestWithParam<planted> {};

TEST_P(production_fault, is_found_within_10_000_schedules) {
  const bool has_witness = GetParam() >= planted::witness_grants_all;
  figures sum;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    if (const auto broken = try_seed(seed, GetParam(), sum, production_server::make, has_witness)) {
      RecordProperty("seed", std::to_string(seed));
      RecordProperty("promise", name_of(broken->broken));
      return;
    }
  }
  FAIL() << "not found";
}

INSTANTIATE_TEST_SUITE_P(
    each, production_fault,
    testing::Values(planted::commits_before_durable, planted::confirms_before_durable,
                    planted::counts_end_of_hello, planted::empty_server_serves,
                    planted::half_copy_serves, planted::cuts_without_file,
                    planted::snapshot_keeps_rows, planted::snapshot_without_sessions,
                    planted::ignores_greeting_numbers, planted::acts_while_suspended,
                    planted::epoch_not_reserved, planted::believes_any_epoch,
                    planted::trusts_since_of_lost_history, planted::follows_higher_epoch,
                    planted::position_without_answers, planted::offers_lost_updates_again,
                    planted::forgets_at_first_answer, planted::follows_without_asking_others,
                    planted::witness_grants_all, planted::counts_removal_before_answer,
                    planted::member_outlives_memory));

}  // namespace
}  // namespace chp::model
