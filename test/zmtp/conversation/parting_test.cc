#include "zmtp/conversation/graceful_close.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <optional>

namespace zmtp {
namespace {

using heard = parting::heard;
using outcome = parting::outcome;
using verdict = parting::verdict;

// One whose socket has closed, and that has written all.
parting shut() {
  parting p;
  p.begin();
  EXPECT_TRUE(p.shuts(true, false));
  return p;
}

TEST(parting, the_stream_stays_open_before_the_close_begins) {
  parting p;
  EXPECT_FALSE(p.begun());
  EXPECT_FALSE(p.shuts(true, false));
  EXPECT_FALSE(p.shut());
}

TEST(parting, closes_our_end_once_everything_is_written) {
  parting p;
  p.begin();
  EXPECT_FALSE(p.shuts(false, true)) << "still in the handshake";
  EXPECT_FALSE(p.shuts(false, false)) << "with what is queued to come behind it";
  EXPECT_FALSE(p.shuts(true, true));
  EXPECT_FALSE(p.shut());
  EXPECT_TRUE(p.shuts(true, false));
  EXPECT_TRUE(p.shut());
  EXPECT_FALSE(p.shuts(true, false));
}

TEST(parting, stays_open_while_the_peer_does) {
  parting p;
  p.begin();
  for (const auto what : {heard::octets, heard::nothing}) {
    EXPECT_EQ(p.on_read(what), verdict::stays);
    EXPECT_EQ(shut().on_read(what), verdict::stays);
  }
}

TEST(parting, a_peer_that_closes_first_has_not_read_to_the_end) {
  parting p;
  p.begin();
  EXPECT_EQ(p.on_read(heard::end), verdict::left_unread);
  EXPECT_EQ(shut().on_read(heard::end), verdict::closed);
}

TEST(parting, a_peer_whose_connection_fails_has_not_read_to_the_end) {
  parting p;
  p.begin();
  EXPECT_EQ(p.on_read(heard::failure), verdict::left_unread);
  EXPECT_EQ(shut().on_read(heard::failure), verdict::left_unread);
}

TEST(parting, does_not_wait_for_a_stream_that_the_peer_has_ended) {
  auto p = shut();
  EXPECT_TRUE(p.listens());
  EXPECT_EQ(p.on_read(heard::octets), verdict::stays);
  EXPECT_TRUE(p.listens());
  EXPECT_EQ(p.on_read(heard::end), verdict::closed);
  EXPECT_FALSE(p.listens());
}

TEST(parting, a_peer_that_acknowledged_everything_has_read_to_the_end) {
  auto p = shut();
  EXPECT_EQ(p.judge({}, false, false, 0), outcome::read_all);
  EXPECT_EQ(p.next_look(), std::nullopt);
}

TEST(parting, unacknowledged_bytes_may_still_be_acknowledged) {
  auto p = shut();
  EXPECT_EQ(p.judge({}, false, false, 1), outcome::unknown);
  EXPECT_EQ(p.judge({}, false, false, 0), outcome::read_all);
  EXPECT_EQ(p.next_look(), std::nullopt);
}

TEST(parting, checks_unacknowledged_bytes_after_doubling_pauses_up_to_a_limit) {
  using namespace std::chrono_literals;
  auto p = shut();
  auto now = parting::clock::time_point{} + 1h;
  for (const auto pause : {5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 160ms, 160ms}) {
    EXPECT_EQ(p.judge(now, false, false, 1), outcome::unknown);
    EXPECT_EQ(p.next_look(), now + pause);
    now += pause;
  }
}

TEST(parting, a_reset_or_a_stalled_peer_leaves_bytes_unread) {
  for (const std::size_t unacknowledged : {0U, 1U}) {
    auto p = shut();
    EXPECT_EQ(p.judge({}, false, true, unacknowledged), outcome::left_unread);
    EXPECT_EQ(p.judge({}, true, false, unacknowledged), outcome::left_unread);
    EXPECT_EQ(p.next_look(), std::nullopt);
  }
}

}  // namespace
}  // namespace zmtp
