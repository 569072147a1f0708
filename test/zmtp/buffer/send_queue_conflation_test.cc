// The queue drops messages that it has not begun to write, and completes the ones that it has.

#include "test/support/wire.h"
#include "test/zmtp/buffer/no_mark.h"
#include "zmtp/buffer/send_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using test::framed;
using test::no_mark;
using test::parts;

std::string taken_from(send_queue& queue, std::size_t at_most = static_cast<std::size_t>(-1)) {
  std::string written;
  while (!queue.empty() && written.size() < at_most) {
    std::array<send_queue::piece, 1> piece;
    EXPECT_EQ(queue.gather(piece), 1U);
    const auto count = std::min(piece[0].size(), at_most - written.size());
    written.append(reinterpret_cast<const char*>(piece[0].data()), count);
    queue.advance(count);
  }
  return written;
}

message of(const parts& content) {
  message m;
  for (const auto& part : content) {
    m.adopt_back(std::string{part});
  }
  return m;
}

// A small one is copied into a chunk, a large one is an entry of its own.
const parts small_one{"small", "x"};
const parts large_one{"large", std::string(20'000, 'x'), ""};

TEST(send_queue_conflation, an_empty_queue_has_nothing_to_drop) {
  send_queue queue{no_mark};
  EXPECT_EQ(queue.drop_unbegun(), 0U);
  queue.push(of(small_one));
  static_cast<void>(taken_from(queue));
  EXPECT_EQ(queue.drop_unbegun(), 0U);
  EXPECT_TRUE(queue.empty());
}

TEST(send_queue_conflation, messages_handed_over_are_counted_until_they_are_released) {
  send_queue queue{no_mark};
  std::vector<queue_entry> away;
  queue.push(of(large_one));
  const auto bytes = queue.bytes();
  queue.hand_over(away);
  queue.push(of(small_one));
  EXPECT_EQ(queue.drop_unbegun(), 1U);
  EXPECT_EQ(queue.messages(), 1U);
  EXPECT_EQ(queue.bytes(), bytes);
  queue.push(of(small_one));
  queue.release(1, bytes);
  EXPECT_EQ(queue.messages(), 1U);
  EXPECT_FALSE(queue.full());
}

TEST(send_queue_conflation, a_message_not_begun_is_dropped) {
  for (const auto& first : {small_one, large_one}) {
    for (const auto& then : {small_one, large_one}) {
      send_queue queue{no_mark};
      queue.push(of(first));
      queue.compact();
      EXPECT_EQ(queue.drop_unbegun(), 1U);
      EXPECT_EQ(queue.messages(), 0U);
      EXPECT_EQ(queue.bytes(), 0U);
      queue.push(of(then));
      queue.compact();
      EXPECT_EQ(queue.messages(), 1U);
      EXPECT_EQ(taken_from(queue), framed(then));
      EXPECT_EQ(queue.bytes(), 0U);
    }
  }
}

TEST(send_queue_conflation, a_begun_message_stays_and_only_the_last_follows_it) {
  for (const auto& first : {small_one, large_one}) {
    for (const auto& then : {small_one, large_one}) {
      for (std::size_t cut = 1; cut < framed(first).size(); cut += cut < 20 ? 1 : 5'003) {
        send_queue queue{no_mark};
        queue.push(of(first));
        auto written = taken_from(queue, cut);
        EXPECT_EQ(queue.drop_unbegun(), 0U);
        queue.push(of({"dropped"}));
        EXPECT_EQ(queue.drop_unbegun(), 1U);
        queue.push(of(then));
        EXPECT_EQ(queue.messages(), 2U);
        EXPECT_EQ(queue.bytes(), framed(first).size() + framed(then).size());
        written += taken_from(queue);
        ASSERT_TRUE(written == framed(first) + framed(then)) << "cut at " << cut;
        EXPECT_EQ(queue.messages(), 0U);
        EXPECT_EQ(queue.bytes(), 0U);
      }
    }
  }
}

TEST(send_queue_conflation, a_begun_message_is_dropped_after_a_disconnect) {
  send_queue queue{no_mark};
  queue.push(of(small_one));
  static_cast<void>(taken_from(queue, 3));
  queue.rewind();
  EXPECT_EQ(queue.drop_unbegun(), 1U);
  queue.push(of(large_one));
  EXPECT_EQ(taken_from(queue), framed(large_one));
}

// Several messages in one chunk. The first was written before the connection was lost.
TEST(send_queue_conflation, a_partly_written_chunk_is_dropped_with_the_rest) {
  send_queue queue{no_mark};
  for (int i = 0; i < 3; ++i) {
    queue.push(of(small_one));
  }
  static_cast<void>(taken_from(queue, framed(small_one).size() + 2));
  queue.rewind();
  EXPECT_EQ(queue.messages(), 2U);
  EXPECT_EQ(queue.drop_unbegun(), 2U);
  EXPECT_EQ(queue.bytes(), 0U);
  queue.push(of(small_one));
  EXPECT_EQ(taken_from(queue), framed(small_one));
}

TEST(send_queue_conflation, lent_messages_stay_until_they_are_written) {
  for (const auto& first : {small_one, large_one}) {
    for (const auto& then : {small_one, large_one}) {
      send_queue queue{no_mark};
      queue.push(of(first));
      queue.compact();
      queue.lend(framed(first).size());
      EXPECT_EQ(queue.drop_unbegun(), 0U);
      queue.push(of({"dropped"}));
      EXPECT_EQ(queue.drop_unbegun(), 1U);
      queue.push(of(then));
      EXPECT_EQ(queue.messages(), 2U);
      std::array<send_queue::piece, 4> next;
      ASSERT_NE(queue.gather(next), 0U);
      EXPECT_TRUE(framed(then).starts_with(
          std::string_view{reinterpret_cast<const char*>(next[0].data()), next[0].size()}))
          << "the lent message is not gathered again";
      queue.advance(framed(first).size());
      EXPECT_EQ(queue.messages(), 1U);
      EXPECT_TRUE(taken_from(queue) == framed(then));
      EXPECT_EQ(queue.bytes(), 0U);
    }
  }
}

TEST(send_queue_conflation, lent_messages_are_sent_again_after_a_disconnect) {
  send_queue queue{no_mark};
  queue.push(of(small_one));
  queue.push(of(large_one));
  queue.lend(queue.bytes());
  queue.advance(framed(small_one).size());
  queue.rewind();
  EXPECT_EQ(queue.messages(), 1U);
  EXPECT_TRUE(taken_from(queue) == framed(large_one));
}

}  // namespace
}  // namespace zmtp
