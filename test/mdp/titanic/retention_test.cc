#include "mdp/titanic/retention.h"

#include <gtest/gtest.h>

namespace mdp::titanic {
namespace {

using namespace std::chrono_literals;
using time_point = retention::time_point;

constexpr time_point start{1000h};
constexpr std::chrono::seconds keep_time = 7 * 24h;

TEST(retention, an_outcome_expires_after_keep) {
  retention kept{keep_time};
  EXPECT_FALSE(kept.next_deadline());
  EXPECT_EQ(kept.enter(1, start), start + keep_time);
  EXPECT_EQ(kept.enter(2, start + 1s), start + keep_time + 1s);
  EXPECT_EQ(kept.next_deadline(), start + keep_time);
  EXPECT_FALSE(kept.take(start + keep_time - 1ns));
  EXPECT_EQ(kept.take(start + keep_time), 1U);
  EXPECT_FALSE(kept.take(start + keep_time));
  EXPECT_EQ(kept.take(start + keep_time + 1s), 2U);
  EXPECT_FALSE(kept.next_deadline());
}

TEST(retention, a_closed_request_does_not_expire) {
  retention kept{keep_time};
  const auto due = kept.enter(1, start);
  kept.enter(2, start);
  kept.leave(1, due);
  EXPECT_EQ(kept.take(start + keep_time), 2U);
  EXPECT_FALSE(kept.take(start + 2 * keep_time));
}

TEST(retention, the_age_at_a_start_counts) {
  retention kept{keep_time};
  EXPECT_EQ(kept.recover(1, 0s, start), start + keep_time);
  EXPECT_EQ(kept.recover(2, 24h, start), start + keep_time - 24h);
}

TEST(retention, nothing_expires_in_the_hour_after_a_start) {
  retention kept{keep_time};
  EXPECT_EQ(kept.recover(1, keep_time - 1s, start), start + 1h);
  EXPECT_EQ(kept.recover(2, keep_time, start), start + 1h);
  EXPECT_EQ(kept.recover(3, std::chrono::seconds::max(), start), start + 1h);
  retention shorter{10s};
  EXPECT_EQ(shorter.recover(1, 9s, start), start + 10s);
  EXPECT_EQ(shorter.recover(2, keep_time, start), start + 10s);
}

TEST(retention, without_keep_nothing_expires) {
  retention kept{std::nullopt};
  kept.leave(1, kept.enter(1, start));
  kept.enter(2, start);
  kept.recover(3, keep_time, start);
  EXPECT_FALSE(kept.next_deadline());
  EXPECT_FALSE(kept.take(time_point::max()));
}

}  // namespace
}  // namespace mdp::titanic
