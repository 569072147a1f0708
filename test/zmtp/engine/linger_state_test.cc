#include "zmtp/engine/linger_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using step = linger_state::step;

constexpr linger_state::time_point start{1000s};

// A close that lingers for a second from `start`.
linger_state finishing() {
  linger_state c;
  EXPECT_EQ(c.on_close(start, 1s, 0), step::finish);
  return c;
}

TEST(linger_state, is_open_until_the_user_closes_it) {
  linger_state c;
  EXPECT_TRUE(c.open());
  EXPECT_FALSE(c.finishing());
  EXPECT_FALSE(c.over());
  EXPECT_EQ(c.next_deadline(), std::nullopt);
  EXPECT_FALSE(c.expired(linger_state::time_point::max()));
}

TEST(linger_state, continues_for_the_linger_time) {
  const auto c = finishing();
  EXPECT_FALSE(c.open());
  EXPECT_TRUE(c.finishing());
  EXPECT_FALSE(c.over());
  EXPECT_EQ(c.next_deadline(), start + 1s);
  EXPECT_FALSE(c.expired(start + 1s - 1ns));
  EXPECT_TRUE(c.expired(start + 1s));
}

TEST(linger_state, without_a_linger_time_has_no_limit) {
  linger_state c;
  EXPECT_EQ(c.on_close(start, std::nullopt, 0), step::finish);
  EXPECT_TRUE(c.finishing());
  EXPECT_EQ(c.next_deadline(), std::nullopt);
  EXPECT_FALSE(c.expired(linger_state::time_point::max()));
}

TEST(linger_state, a_linger_time_that_the_clock_cannot_count_is_a_year) {
  linger_state c;
  EXPECT_EQ(c.on_close(start, std::chrono::milliseconds::max(), 0), step::finish);
  EXPECT_EQ(c.next_deadline(), start + std::chrono::hours{24 * 365});
}

TEST(linger_state, without_time_to_linger_ends_at_once) {
  linger_state c;
  EXPECT_EQ(c.on_close(start, 0ms, 0), step::end);
  EXPECT_FALSE(c.finishing()) << "nothing is written any more";
  c.on_end(false, 0);
  EXPECT_TRUE(c.over());
  EXPECT_EQ(c.outcome(), error_code{});
}

TEST(linger_state, closed_once_more_counts_the_new_linger_time_from_then) {
  for (const std::chrono::milliseconds linger : {10ms, 3'600'000ms}) {
    auto c = finishing();
    EXPECT_EQ(c.on_close(start + 500ms, linger, 0), step::nothing);
    EXPECT_EQ(c.next_deadline(), start + 500ms + linger);
    EXPECT_FALSE(c.expired(start + 500ms));
    EXPECT_TRUE(c.expired(start + 500ms + linger));
  }
}

TEST(linger_state, a_second_close_can_remove_the_limit_or_end_at_once) {
  auto c = finishing();
  EXPECT_EQ(c.on_close(start, std::nullopt, 0), step::nothing);
  EXPECT_FALSE(c.expired(start + 1h));
  EXPECT_EQ(c.on_close(start + 1h, 0ms, 0), step::end);
}

TEST(linger_state, a_finished_close_does_not_start_again) {
  auto c = finishing();
  c.on_end(true, 0);
  for (const auto linger :
       {std::optional{0ms}, std::optional{5ms}, std::optional<std::chrono::milliseconds>{}}) {
    EXPECT_EQ(c.on_close(start, linger, 7), step::nothing);
    EXPECT_TRUE(c.over());
    EXPECT_EQ(c.next_deadline(), std::nullopt);
    EXPECT_FALSE(c.expired(start + 1h));
    EXPECT_EQ(c.outcome(), errc::timed_out);
  }
}

TEST(linger_state, connects_only_if_messages_are_left_to_write) {
  linger_state c;
  EXPECT_TRUE(c.connects(false));
  EXPECT_TRUE(c.connects(true));
  c = finishing();
  EXPECT_FALSE(c.connects(false));
  EXPECT_TRUE(c.connects(true));
  c.on_end(true, 0);
  EXPECT_FALSE(c.connects(false));
  EXPECT_FALSE(c.connects(true));
}

TEST(linger_state, succeeds_if_everything_was_written_and_read) {
  auto c = finishing();
  c.on_end(false, 0);
  EXPECT_EQ(c.outcome(), error_code{});
}

TEST(linger_state, messages_still_queued_at_the_end_have_timed_out) {
  auto c = finishing();
  c.on_end(true, 0);
  EXPECT_EQ(c.outcome(), errc::timed_out);
}

TEST(linger_state, a_peer_that_left_something_unread_was_lost) {
  auto c = finishing();
  c.on_unread();
  c.on_end(false, 0);
  EXPECT_EQ(c.outcome(), errc::connection_lost);
}

TEST(linger_state, a_peer_that_disconnected_with_a_queue_is_an_error) {
  linger_state c;
  EXPECT_EQ(c.on_close(start, 1s, 3), step::finish);
  c.on_end(false, 4);
  EXPECT_EQ(c.outcome(), errc::connection_lost);
}

TEST(linger_state, messages_lost_before_the_close_do_not_count) {
  linger_state c;
  EXPECT_EQ(c.on_close(start, 1s, 3), step::finish);
  c.on_end(false, 3);
  EXPECT_EQ(c.outcome(), error_code{});
}

TEST(linger_state, messages_lost_between_two_closes_count) {
  linger_state c;
  EXPECT_EQ(c.on_close(start, 1s, 3), step::finish);
  EXPECT_EQ(c.on_close(start, 0ms, 4), step::end);
  c.on_end(false, 4);
  EXPECT_EQ(c.outcome(), errc::connection_lost);
}

TEST(linger_state, unwritten_messages_have_precedence_over_unread_ones) {
  auto c = finishing();
  c.on_unread();
  c.on_end(true, 5);
  EXPECT_EQ(c.outcome(), errc::timed_out);
}

}  // namespace
}  // namespace zmtp
