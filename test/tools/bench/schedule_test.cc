#include "tools/zinc/bench/schedule.h"

#include "tools/zinc/bench/stamped_message.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace zinc::bench {
namespace {

using namespace std::chrono_literals;

constexpr clock::time_point begin{1h};

TEST(schedule, with_a_rate_does_not_depend_on_the_present) {
  const schedule plan{.begin = begin, .rate = 3};
  for (const auto now : {begin, begin + 100s}) {
    EXPECT_EQ(plan.due(0, now), begin);
    EXPECT_EQ(plan.due(1, now), begin + 333'333'333ns);
    EXPECT_EQ(plan.due(3'000'000'000, now), begin + 1'000'000'000s);
  }
}

TEST(schedule, without_a_rate_is_always_due) {
  EXPECT_EQ(schedule{.begin = begin}.due(7, begin + 3s), begin + 3s);
}

TEST(schedule, ends_after_the_count_or_the_duration) {
  const schedule counted{.begin = begin, .count = 2};
  EXPECT_FALSE(counted.over(1, begin + 1h));
  EXPECT_TRUE(counted.over(2, begin));
  // A sender that is late still sends what was due in this time.
  const schedule paced{.begin = begin, .rate = 10, .duration = 1s};
  EXPECT_FALSE(paced.over(9, begin + 1h));
  EXPECT_TRUE(paced.over(10, begin));
  const schedule fast{.begin = begin, .duration = 1s};
  EXPECT_FALSE(fast.over(1'000'000, begin + 999ms));
  EXPECT_TRUE(fast.over(0, begin + 1s));
}

TEST(stamped_message, is_read_as_it_was_written) {
  std::string body(stamp_size + 3, '.');
  put_stamp(body.data(), {stamp_kind::end, 1'234'567'890'123, begin + 7ns});
  const auto read = read_stamp(body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, stamp_kind::end);
  EXPECT_EQ(read->number, 1'234'567'890'123U);
  EXPECT_EQ(read->due, begin + 7ns);
  EXPECT_TRUE(body.ends_with("..."));
}

TEST(stamped_message, rejects_other_messages) {
  std::string body(stamp_size, '.');
  EXPECT_FALSE(read_stamp(body));
  put_stamp(body.data(), {});
  EXPECT_TRUE(read_stamp(body));
  EXPECT_FALSE(read_stamp(std::string_view{body}.substr(1)));
  EXPECT_FALSE(read_stamp(std::string_view{body}.substr(0, stamp_size - 1)));
  body[4] = 9;
  EXPECT_FALSE(read_stamp(body));
  put_stamp(body.data(), {.due = clock::time_point{-1ns}});
  EXPECT_FALSE(read_stamp(body));
}

}  // namespace
}  // namespace zinc::bench
