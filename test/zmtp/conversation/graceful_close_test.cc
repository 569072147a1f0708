#include "zmtp/conversation/graceful_close.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <optional>

namespace zmtp {
namespace {

using received = graceful_close::received;
using outcome = graceful_close::outcome;
using verdict = graceful_close::verdict;

// One whose socket has closed, and that has written all.
graceful_close shut() {
  graceful_close p;
  p.begin();
  EXPECT_TRUE(p.shuts(true, false));
  return p;
}

TEST(graceful_close, the_stream_stays_open_before_the_close_begins) {
  graceful_close p;
  EXPECT_FALSE(p.begun());
  EXPECT_FALSE(p.shuts(true, false));
  EXPECT_FALSE(p.shut());
}

TEST(graceful_close, closes_our_end_once_everything_is_written) {
  graceful_close p;
  p.begin();
  EXPECT_FALSE(p.shuts(false, true)) << "still in the handshake";
  EXPECT_FALSE(p.shuts(false, false)) << "with what is queued to come behind it";
  EXPECT_FALSE(p.shuts(true, true));
  EXPECT_FALSE(p.shut());
  EXPECT_TRUE(p.shuts(true, false));
  EXPECT_TRUE(p.shut());
  EXPECT_FALSE(p.shuts(true, false));
}

TEST(graceful_close, stays_open_while_the_peer_does) {
  graceful_close p;
  p.begin();
  for (const auto what : {received::bytes, received::nothing}) {
    EXPECT_EQ(p.on_read(what), verdict::stays);
    EXPECT_EQ(shut().on_read(what), verdict::stays);
  }
}

TEST(graceful_close, a_peer_that_closes_first_has_not_read_to_the_end) {
  graceful_close p;
  p.begin();
  EXPECT_EQ(p.on_read(received::end), verdict::left_unread);
  EXPECT_EQ(shut().on_read(received::end), verdict::closed);
}

TEST(graceful_close, a_peer_whose_connection_fails_has_not_read_to_the_end) {
  graceful_close p;
  p.begin();
  EXPECT_EQ(p.on_read(received::failure), verdict::left_unread);
  EXPECT_EQ(shut().on_read(received::failure), verdict::left_unread);
}

TEST(graceful_close, does_not_wait_for_a_stream_that_the_peer_has_ended) {
  auto p = shut();
  EXPECT_TRUE(p.listens());
  EXPECT_EQ(p.on_read(received::bytes), verdict::stays);
  EXPECT_TRUE(p.listens());
  EXPECT_EQ(p.on_read(received::end), verdict::closed);
  EXPECT_FALSE(p.listens());
}

TEST(graceful_close, a_peer_that_acknowledged_everything_has_read_to_the_end) {
  auto p = shut();
  EXPECT_EQ(p.look({}, false, false, 0), outcome::read_all);
  EXPECT_EQ(p.next_look(), std::nullopt);
}

TEST(graceful_close, unacknowledged_bytes_may_still_be_acknowledged) {
  auto p = shut();
  EXPECT_EQ(p.look({}, false, false, 1), outcome::unknown);
  EXPECT_EQ(p.look({}, false, false, 0), outcome::read_all);
  EXPECT_EQ(p.next_look(), std::nullopt);
}

TEST(graceful_close, checks_unacknowledged_bytes_after_doubling_pauses_up_to_a_limit) {
  using namespace std::chrono_literals;
  auto p = shut();
  auto now = graceful_close::clock::time_point{} + 1h;
  for (const auto pause : {5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 160ms, 160ms}) {
    EXPECT_EQ(p.look(now, false, false, 1), outcome::unknown);
    EXPECT_EQ(p.next_look(), now + pause);
    now += pause;
  }
}

TEST(graceful_close, a_reset_or_a_stalled_peer_leaves_bytes_unread) {
  for (const std::size_t unacknowledged : {0U, 1U}) {
    auto p = shut();
    EXPECT_EQ(p.look({}, false, true, unacknowledged), outcome::left_unread);
    EXPECT_EQ(p.look({}, true, false, unacknowledged), outcome::left_unread);
    EXPECT_EQ(p.next_look(), std::nullopt);
  }
}

}  // namespace
}  // namespace zmtp
