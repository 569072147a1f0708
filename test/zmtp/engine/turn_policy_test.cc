#include "zmtp/engine/turn_policy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using facts = turn_policy::facts;

constexpr turn_policy::time_point first_turn{1000s};
constexpr auto long_after = first_turn + 1s;
constexpr facts idle{
    .more = false, .to_write = false, .sender_waits = false, .open = true, .now = {}};

constexpr facts sending_more(turn_policy::time_point now) {
  return {.more = true, .to_write = true, .sender_waits = true, .open = true, .now = now};
}

// Runs a turn that ends at `now` and has nothing to do.
void run(turn_policy& p, turn_policy::time_point now) {
  EXPECT_TRUE(p.enter());
  p.begin(now, false);
  p.leave();
  (void)p.writes(idle);
  EXPECT_FALSE(p.end(false, false, now));
}

TEST(turn_policy, only_the_outermost_turn_begins_and_ends) {
  turn_policy p;
  EXPECT_FALSE(p.running());
  EXPECT_TRUE(p.enter());
  EXPECT_FALSE(p.enter());
  EXPECT_TRUE(p.running());
  p.leave();
  EXPECT_TRUE(p.running());
  p.leave();
  EXPECT_FALSE(p.running());
}

TEST(turn_policy, each_turn_and_each_flush_outside_a_turn_has_a_number) {
  turn_policy p;
  run(p, first_turn);
  EXPECT_EQ(p.number(), 1U);
  p.begin_flush();
  EXPECT_EQ(p.number(), 2U);
  EXPECT_TRUE(p.enter());
  p.begin_flush();
  EXPECT_EQ(p.number(), 2U);
  p.begin(first_turn, false);
  EXPECT_EQ(p.number(), 3U);
}

// All combinations of what decides about writing, against the rules in words.
TEST(turn_policy, writes_to_the_peers_that_the_table_says) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    const bool posted = (bits & 1U) != 0;
    const bool follows = (bits & 2U) != 0;
    const facts f{.more = (bits & 4U) != 0,
                  .to_write = (bits & 8U) != 0,
                  .sender_waits = (bits & 16U) != 0,
                  .open = (bits & 32U) != 0,
                  .now = long_after};
    turn_policy p;
    run(p, first_turn);
    if (posted) {
      p.on_posted();
    }
    p.begin(first_turn + (follows ? 2us : 3us), false);

    std::size_t expected = 64;
    if (f.more) {
      expected = 8;  // the user sends more, so messages to other peers gather
    } else if (f.to_write && f.sender_waits) {
      expected = 64;  // the sender may continue
    } else if (!f.open) {
      expected = 64;  // no message follows
    } else if (posted || follows) {
      expected = 0;  // a later turn writes for all
    }
    EXPECT_EQ(p.writes(f), expected) << bits;

    // A turn follows if more can be done, or if the write may have made space for a sender.
    const bool promising = f.to_write && f.sender_waits;
    EXPECT_EQ(p.end(false, false, first_turn + 1s), promising) << bits;
    EXPECT_TRUE(p.end(true, false, first_turn + 1s)) << bits;
    EXPECT_TRUE(p.end(false, true, first_turn + 1s)) << bits;
  }
}

TEST(turn_policy, a_promise_lasts_for_one_turn) {
  turn_policy p;
  (void)p.writes({.more = false, .to_write = true, .sender_waits = true, .open = true, .now = {}});
  EXPECT_TRUE(p.end(false, false, first_turn));
  (void)p.writes(idle);
  EXPECT_FALSE(p.end(false, false, first_turn));
}

// Runs a turn from `begin` to `end`, at the end of which the user still sends more.
std::size_t peers_written_to(turn_policy& p, turn_policy::time_point begin,
                             turn_policy::time_point end, bool in_process = false) {
  p.begin(begin, in_process);
  const auto peers = p.writes(sending_more(end));
  EXPECT_TRUE(p.end(true, true, end));
  return peers;
}

TEST(turn_policy, messages_of_twenty_microseconds_need_one_write) {
  turn_policy p;
  EXPECT_EQ(peers_written_to(p, first_turn, first_turn + 5us), 0U);
  EXPECT_EQ(peers_written_to(p, first_turn + 10us, first_turn + 19'999ns), 0U);
  EXPECT_EQ(peers_written_to(p, first_turn + 20us, first_turn + 20us), 8U);
  // The time begins again with the next turn.
  EXPECT_EQ(peers_written_to(p, first_turn + 30us, first_turn + 49us), 0U);
  EXPECT_EQ(peers_written_to(p, first_turn + 49us, first_turn + 50us), 8U);
}

TEST(turn_policy, a_long_turn_writes_at_its_end) {
  turn_policy p;
  EXPECT_EQ(peers_written_to(p, first_turn, first_turn + 20us), 8U);
}

TEST(turn_policy, the_last_messages_do_not_gather) {
  turn_policy p;
  EXPECT_EQ(peers_written_to(p, first_turn, first_turn + 5us), 0U);
  p.begin(first_turn + 6us, false);
  p.on_posted_turn();
  auto last = sending_more({});
  last.more = false;
  EXPECT_EQ(p.writes(last), 64U);
  // Neither do they shorten the time of the next messages.
  EXPECT_EQ(peers_written_to(p, first_turn + 18us, first_turn + 37us), 0U);
}

TEST(turn_policy, after_close_nothing_gathers) {
  turn_policy p;
  p.begin(first_turn, false);
  auto closed = sending_more(first_turn);
  closed.open = false;
  EXPECT_EQ(p.writes(closed), 8U);
}

TEST(turn_policy, with_peers_in_the_process_nothing_gathers) {
  turn_policy p;
  EXPECT_EQ(peers_written_to(p, {}, first_turn, true), 8U);
  EXPECT_EQ(peers_written_to(p, {}, first_turn, true), 8U);
}

TEST(turn_policy, a_turn_follows_at_once_within_three_microseconds) {
  turn_policy p;
  run(p, first_turn);
  p.begin(first_turn + 2999ns, false);
  EXPECT_EQ(p.writes(idle), 0U);
  p.begin(first_turn + 3000ns, false);
  EXPECT_EQ(p.writes(idle), 64U);
}

TEST(turn_policy, with_peers_in_the_process_no_turn_follows_at_once) {
  turn_policy p;
  run(p, first_turn);
  p.begin(first_turn, true);
  EXPECT_EQ(p.writes(idle), 64U);
}

TEST(turn_policy, counts_from_the_end_of_the_turn) {
  turn_policy p;
  run(p, first_turn);
  p.begin(first_turn + 1s, false);
  (void)p.end(false, false, first_turn + 2s);
  p.begin(first_turn + 2s + 1us, false);
  EXPECT_EQ(p.writes(idle), 0U);
}

TEST(turn_policy, a_posted_turn_writes_at_once) {
  turn_policy p;
  run(p, first_turn);
  EXPECT_FALSE(p.posted());
  p.on_posted();
  EXPECT_TRUE(p.posted());
  p.on_posted_turn();
  EXPECT_FALSE(p.posted());
  p.begin(first_turn, false);
  EXPECT_EQ(p.writes(idle), 64U);
}

TEST(turn_policy, spins_for_a_time_after_the_last_turn) {
  turn_policy p;
  run(p, first_turn);
  EXPECT_TRUE(p.spins(first_turn, 10us, true));
  EXPECT_TRUE(p.spins(first_turn + 9us, 10us, true));
  EXPECT_FALSE(p.spins(first_turn + 10us, 10us, true));
  EXPECT_FALSE(p.spins(first_turn, 10us, false));
  EXPECT_FALSE(p.spins(first_turn, 0us, true));
}

TEST(turn_policy, posts_one_handler_to_spin) {
  turn_policy p;
  run(p, first_turn);
  p.on_spin(true);
  EXPECT_FALSE(p.spins(first_turn, 10us, true));
  p.on_spin(false);
  EXPECT_TRUE(p.spins(first_turn, 10us, true));
}

}  // namespace
}  // namespace zmtp
