// Faults that are planted around servers of production code are found: those of the disk, of messages, of the shell and
// of the model's own client. They need no change inside the product.

#include "test/chp/model/production_server.h"
#include "test/chp/model/world.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace chp::model {
namespace {

class production_fault : public testing::TestWithParam<planted> {};

TEST_P(production_fault, is_found_within_10_000_schedules) {
  const bool has_witness =
      GetParam() >= planted::witness_grants_all && GetParam() <= planted::member_outlives_memory;
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
                    planted::member_outlives_memory, planted::leaves_out_what_was_missed));

}  // namespace
}  // namespace chp::model
