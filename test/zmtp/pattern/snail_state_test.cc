// Whether a subscriber keeps up: by the age of messages, and by their numbers, for each publisher.

#include "zmtp/pattern/snail_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using enum snail_verdict;

TEST(snail_state, a_message_older_than_the_limit_is_too_late) {
  snail_state snail{{.max_delay = 1'000ms}};
  EXPECT_EQ(snail.on_message({.at = 5'000ms}, 5'000ms), keeps_up);
  EXPECT_EQ(snail.on_message({.at = 5'000ms}, 6'000ms), keeps_up);
  EXPECT_EQ(snail.delay(), 1'000ms);
  EXPECT_EQ(snail.on_message({.at = 5'000ms}, 6'001ms), too_late);
  EXPECT_EQ(snail.delay(), 1'001ms);
}

TEST(snail_state, a_message_of_the_future_has_no_age) {
  snail_state snail{{}};
  EXPECT_EQ(snail.on_message({.at = 9'000ms}, 1'000ms), keeps_up);
  EXPECT_EQ(snail.delay(), 0ms);
}

TEST(snail_state, age_is_ignored_without_a_limit) {
  snail_state snail{{.max_delay = std::nullopt}};
  EXPECT_EQ(snail.on_message({.at = 0ms}, 1h), keeps_up);
  EXPECT_EQ(snail.delay(), 1h);
}

TEST(snail_state, clocks_that_differ_are_compared_with_the_youngest_message) {
  snail_state snail{{.max_delay = 1'000ms, .clocks_differ = true}};
  EXPECT_EQ(snail.on_message({.publisher = "a", .at = 0ms}, 1h), keeps_up);
  EXPECT_EQ(snail.on_message({.publisher = "a", .at = 100ms}, 1h + 50ms), keeps_up);
  EXPECT_EQ(snail.on_message({.publisher = "a", .at = 200ms}, 1h + 1'150ms), keeps_up);
  EXPECT_EQ(snail.delay(), 1'000ms);
  // Another publisher has another clock.
  EXPECT_EQ(snail.on_message({.publisher = "b", .at = 0ms}, 2h), keeps_up);
  EXPECT_EQ(snail.on_message({.publisher = "a", .at = 300ms}, 1h + 1'251ms), too_late);
}

TEST(snail_state, numbers_follow_each_other) {
  snail_state snail{{}};
  // The first message may have any number: a late subscriber has not missed the earlier ones.
  EXPECT_EQ(snail.on_message({.number = 17}, 0ms), keeps_up);
  EXPECT_EQ(snail.on_message({.number = 18}, 0ms), keeps_up);
  EXPECT_EQ(snail.on_message({.number = 21}, 0ms), gap);
  EXPECT_EQ(snail.missed(), 2U);
  EXPECT_EQ(snail.on_message({.number = 22}, 0ms), keeps_up);
  EXPECT_EQ(snail.missed(), 0U);
}

TEST(snail_state, each_publisher_has_numbers_of_its_own) {
  snail_state snail{{}};
  for (std::uint64_t n = 1; n < 10; ++n) {
    EXPECT_EQ(snail.on_message({.publisher = "a", .number = n}, 0ms), keeps_up);
    EXPECT_EQ(snail.on_message({.publisher = "b", .number = 100 + n}, 0ms), keeps_up);
  }
  EXPECT_EQ(snail.on_message({.publisher = "a", .number = 11}, 0ms), gap);
  EXPECT_EQ(snail.on_message({.publisher = "b", .number = 110}, 0ms), keeps_up);
  EXPECT_EQ(snail.publishers(), 2U);
}

TEST(snail_state, a_restarted_publisher_starts_a_new_sequence) {
  snail_state snail{{.clocks_differ = true}};
  EXPECT_EQ(snail.on_message({.number = 1'000, .at = 10s}, 10s), keeps_up);
  EXPECT_EQ(snail.on_message({.number = 1, .at = 0s}, 20s), keeps_up);
  EXPECT_EQ(snail.delay(), 0ms);
  EXPECT_EQ(snail.on_message({.number = 2, .at = 0s}, 20s), keeps_up);
}

TEST(snail_state, expected_gaps_are_only_counted) {
  snail_state snail{{.gapless = false}};
  EXPECT_EQ(snail.on_message({.number = 1}, 0ms), keeps_up);
  EXPECT_EQ(snail.on_message({.number = 5}, 0ms), keeps_up);
  EXPECT_EQ(snail.missed(), 3U);
}

TEST(snail_state, messages_without_a_number_or_time_are_on_time) {
  snail_state snail{{}};
  EXPECT_EQ(snail.on_message({}, 1h), keeps_up);
  EXPECT_EQ(snail.on_message({}, 2h), keeps_up);
}

TEST(snail_state, the_publisher_with_the_longest_silence_is_forgotten) {
  snail_state snail{{.publishers = 2}};
  EXPECT_EQ(snail.on_message({.publisher = "a", .number = 1}, 0ms), keeps_up);
  EXPECT_EQ(snail.on_message({.publisher = "b", .number = 1}, 0ms), keeps_up);
  EXPECT_EQ(snail.on_message({.publisher = "a", .number = 2}, 0ms), keeps_up);
  EXPECT_EQ(snail.on_message({.publisher = "c", .number = 1}, 0ms), keeps_up);
  EXPECT_EQ(snail.publishers(), 2U);
  EXPECT_EQ(snail.on_message({.publisher = "a", .number = 9}, 0ms), gap);
  EXPECT_EQ(snail.on_message({.publisher = "b", .number = 9}, 0ms), keeps_up);
}

}  // namespace
}  // namespace zmtp
