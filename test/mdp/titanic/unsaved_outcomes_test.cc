// Outcomes that could not be stored are kept, and tried again in time.

#include "mdp/titanic/unsaved_outcomes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace mdp::titanic {
namespace {

using namespace std::chrono_literals;

constexpr unsaved_outcomes::time_point outcome_time{1000s};

TEST(unsaved_outcomes, an_outcome_that_is_being_stored_is_not_due) {
  unsaved_outcomes all;
  all.keep(7, zmtp::message{"reply"});
  EXPECT_EQ(all.reply(7), zmtp::message{"reply"});
  EXPECT_EQ(all.next_deadline(), std::nullopt);
  EXPECT_EQ(all.wake(outcome_time), std::nullopt);
  EXPECT_FALSE(all.forget(7)) << "a result of the store is to come";
}

TEST(unsaved_outcomes, retries_an_outcome_once_after_the_store_was_full) {
  unsaved_outcomes all;
  all.keep(7, zmtp::message{"reply"});
  all.rest(7, outcome_time + 1s);
  EXPECT_EQ(all.next_deadline(), outcome_time + 1s);
  EXPECT_EQ(all.wake(outcome_time + 1s - 1ns), std::nullopt);
  EXPECT_EQ(all.wake(outcome_time + 1s), 7U);
  EXPECT_EQ(all.wake(outcome_time + 1s), std::nullopt);
  EXPECT_EQ(all.next_deadline(), std::nullopt);
  EXPECT_EQ(all.reply(7), zmtp::message{"reply"});
}

TEST(unsaved_outcomes, does_not_retry_a_forgotten_outcome) {
  unsaved_outcomes all;
  all.keep(7, {});
  all.keep(8, {});
  all.rest(7, outcome_time);
  all.rest(8, outcome_time);
  EXPECT_TRUE(all.forget(7));
  EXPECT_FALSE(all.forget(7));
  EXPECT_EQ(all.wake(outcome_time), 8U);
  EXPECT_EQ(all.wake(outcome_time), std::nullopt);
}

TEST(unsaved_outcomes, does_not_mix_two_outcomes_of_one_slot) {
  unsaved_outcomes all;
  all.keep(7, zmtp::message{"old"});
  all.rest(7, outcome_time);
  EXPECT_TRUE(all.forget(7));
  all.keep(7, zmtp::message{"new"});
  EXPECT_EQ(all.wake(outcome_time), std::nullopt) << "it is being stored";
  EXPECT_EQ(all.reply(7), zmtp::message{"new"});
}

}  // namespace
}  // namespace mdp::titanic
