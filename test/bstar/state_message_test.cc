#include "bstar/state_message.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace bstar {
namespace {

// BS-1
TEST(state_message, the_digit_of_the_guide_is_a_state_without_an_account) {
  for (const char digit : std::string{"1234"}) {
    const auto report = parse_state(std::string(1, digit));
    ASSERT_TRUE(report);
    EXPECT_EQ(static_cast<int>(report->state), digit - '0');
    EXPECT_FALSE(report->more);
    EXPECT_EQ(state_text(*report), std::string(1, digit));
  }
}

// BS-2
TEST(state_message, the_account_follows_a_space) {
  const auto report = parse_state("3 e=17 s=123 t=5 r=9");
  ASSERT_TRUE(report);
  EXPECT_EQ(*report,
            (peer_report{.state = peer_state::active,
                         .more = account{.of = 17, .position = 123, .tick = 5, .received = 9}}));
  EXPECT_EQ(state_text(*report), "3 e=17 s=123 t=5 r=9");
  EXPECT_EQ(state_digit(report->state), "3");
}

TEST(state_message, the_largest_numbers_are_read_and_written) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const peer_report report{
      .state = peer_state::passive,
      .more = account{.of = max_epoch, .position = most, .tick = most, .received = most}};
  const auto read = parse_state(state_text(report));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, report);
}

TEST(state_message, fields_come_in_any_order_and_unknown_ones_are_skipped) {
  const auto report = parse_state("4 r=4 x=later t=3 epochs=9 s=2 e=1 data=");
  ASSERT_TRUE(report);
  EXPECT_EQ(*report->more, (account{.of = 1, .position = 2, .tick = 3, .received = 4}));
}

// BS-3
TEST(state_message, malformed_states_are_named) {
  using namespace std::string_literals;
  for (const auto& frame :
       {""s, "0"s, "5"s, "9"s, "a"s, "33"s, "3\n"s, "3\0"s, "\0\0\0\3"s, "-3"s, " 3"s, "3e=1"s}) {
    EXPECT_EQ(parse_state(frame).error(), errc::not_a_state) << frame;
  }
}

TEST(state_message, a_damaged_account_is_named) {
  const std::string frames[] = {
      "3 ",
      "3 e=1 s=1 t=1",
      "3 e=1 s=1 t=1 r=",
      "3 e=1 s=1 t=1 r=x",
      "3 e=1 s=1 t=1 r=1 ",
      "3 e=1  s=1 t=1 r=1",
      "3 e=1 e=1 s=1 t=1 r=1",
      "3 e=-1 s=1 t=1 r=1",
      "3 e=1 s=+1 t=1 r=1",
      "3 e=1 s=1 t=1 r=0x1",
      "3 e=1 s=18446744073709551616 t=1 r=1",
      "3 =1 e=1 s=1 t=1 r=1",
      "3 later",
      "3 e=1 s=1 t=1 r=1 x=" + std::string(300, 'x'),
  };
  for (const auto& frame : frames) {
    EXPECT_EQ(parse_state(frame).error(), errc::bad_account) << frame;
  }
}

TEST(state_message, an_epoch_that_is_too_large_is_rejected) {
  EXPECT_TRUE(parse_state("3 e=524287 s=1 t=1 r=1"));
  EXPECT_EQ(parse_state("3 e=524288 s=1 t=1 r=1").error(), errc::epoch_too_large);
}

}  // namespace
}  // namespace bstar
