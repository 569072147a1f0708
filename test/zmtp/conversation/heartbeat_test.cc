// PINGs to an unresponsive peer, and the outcome of its answer.

#include "zmtp/conversation/heartbeat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using action = heartbeat::action;
using deciseconds = heartbeat_options::deciseconds;
using said = heartbeat::acknowledgement;

constexpr said took_all{.bytes = 7, .complete = true};
constexpr said took_nothing{.bytes = 7, .complete = false};
constexpr said took_some{.bytes = 8, .complete = false};

class a_heartbeat : public testing::Test {
protected:
  void start(bool asks = true) { beat.start(now, asks); }
  void expect_due(heartbeat::duration from_now) {
    ASSERT_TRUE(beat.next_deadline().has_value());
    EXPECT_EQ(*beat.next_deadline() - now, from_now);
  }
  // Moves the clock to the deadline.
  action at_deadline(said what = took_all) {
    if (!beat.next_deadline()) {
      ADD_FAILURE() << "no deadline";
      return action::none;
    }
    now = *beat.next_deadline();
    return beat.on_deadline(now, what);
  }
  action ask(said what = took_all) {
    const auto did = at_deadline(what);
    EXPECT_EQ(did, action::ping);
    return did;
  }

  void on_ping(int ttl) {
    EXPECT_TRUE(beat.on_ping(now, {.ttl = static_cast<std::uint16_t>(ttl), .context = {}}));
  }

  heartbeat_options options;
  limits limit;
  heartbeat beat{options, limit};
  heartbeat::time_point now{1h};
};

TEST_F(a_heartbeat, pings_after_ten_seconds_without_traffic) {
  start();
  expect_due(10s);
  EXPECT_EQ(beat.on_deadline(now + 9999ms, took_all), action::none);
  EXPECT_EQ(at_deadline(), action::ping);
}

TEST_F(a_heartbeat, never_pings_a_peer_without_ping_support) {
  start(false);
  EXPECT_EQ(beat.next_deadline(), std::nullopt);
  beat.on_bytes(now + 1s);
  EXPECT_EQ(beat.next_deadline(), std::nullopt);
}

TEST_F(a_heartbeat, does_nothing_before_it_starts_nor_after_it_stopped) {
  EXPECT_EQ(beat.next_deadline(), std::nullopt);
  beat.on_bytes(now);
  EXPECT_EQ(beat.next_deadline(), std::nullopt);
  start();
  beat.stop();
  EXPECT_EQ(beat.next_deadline(), std::nullopt);
}

// The previous deadline stays: the code does not set the timer again for each message.
TEST_F(a_heartbeat, bytes_defer_it_only_when_it_is_due) {
  start();
  const auto due = beat.next_deadline();
  for (int i = 0; i < 90; ++i) {
    now += 100ms;
    beat.on_bytes(now);
    EXPECT_EQ(beat.next_deadline(), due);
  }
  EXPECT_EQ(at_deadline(), action::none);
  expect_due(9s);
  EXPECT_EQ(at_deadline(), action::ping);
}

TEST_F(a_heartbeat, pings_once_at_a_time) {
  start();
  ask();
  for (int i = 0; i < 20; ++i) {
    EXPECT_NE(at_deadline(took_all), action::ping);
  }
  beat.on_bytes(now);
  expect_due(10s);
  ask();
}

TEST_F(a_heartbeat, a_byte_right_after_a_ping_answers_it) {
  start();
  ask();
  beat.on_bytes(now);
  expect_due(10s);
  now += 30s;
  EXPECT_EQ(beat.on_deadline(now, took_nothing), action::ping);
}

TEST_F(a_heartbeat, a_peer_whose_kernel_has_taken_nothing_since_is_dead) {
  start();
  ask(took_all);
  expect_due(30s);
  EXPECT_EQ(at_deadline(took_nothing), action::dead);
}

TEST_F(a_heartbeat, a_peer_whose_kernel_takes_everything_does_not_read) {
  start();
  ask();
  EXPECT_EQ(at_deadline(took_all), action::not_reading);
  expect_due(30s);
}

TEST_F(a_heartbeat, a_peer_whose_kernel_takes_something_does_not_read) {
  start();
  ask();
  EXPECT_EQ(at_deadline(took_some), action::not_reading);
}

TEST_F(a_heartbeat, not_reading_is_reported_once_for_each_timeout) {
  start();
  ask();
  EXPECT_EQ(at_deadline(), action::not_reading);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(at_deadline(), action::none);
    expect_due(30s);
  }
  beat.on_bytes(now);
  ask();
  EXPECT_EQ(at_deadline(), action::not_reading);
}

// Data that were sent just before the query to TCP may still be in flight.
TEST_F(a_heartbeat, data_sent_a_moment_ago_get_their_time) {
  start();
  ask();
  EXPECT_EQ(at_deadline({.bytes = 20, .complete = true}), action::not_reading);
  EXPECT_EQ(at_deadline({.bytes = 20, .complete = false}), action::none);
  expect_due(30s);
  EXPECT_EQ(at_deadline({.bytes = 21, .complete = false}), action::none);
  EXPECT_EQ(at_deadline({.bytes = 21, .complete = true}), action::none);
}

TEST_F(a_heartbeat, a_peer_that_dies_while_it_does_not_read_is_detected) {
  start();
  ask();
  EXPECT_EQ(at_deadline(took_all), action::not_reading);
  EXPECT_EQ(at_deadline(took_nothing), action::none);
  EXPECT_EQ(at_deadline(took_nothing), action::dead);
}

TEST_F(a_heartbeat, strict_closes_independently_of_tcp) {
  for (const auto& what : {took_all, took_nothing, took_some}) {
    options.strict = true;
    start();
    beat.on_bytes(now);
    ask();
    expect_due(30s);
    EXPECT_EQ(at_deadline(what), action::timed_out);
  }
}

TEST_F(a_heartbeat, follows_its_options_and_their_changes) {
  options.interval = 3s;
  options.timeout = 5s;
  start();
  expect_due(3s);
  options.interval = 1min;
  EXPECT_EQ(at_deadline(), action::none);
  expect_due(57s);
  options.timeout = 7s;
  ask();
  expect_due(7s);
  options.interval.reset();
  beat.on_bytes(now);
  EXPECT_EQ(beat.next_deadline(), std::nullopt);
}

TEST_F(a_heartbeat, changed_options_apply_to_a_timeout_that_has_begun) {
  options.interval.reset();
  start();
  EXPECT_EQ(beat.next_deadline(), std::nullopt);
  options.interval = 3s;
  beat.on_options();
  expect_due(3s);
  options.interval = 1s;
  beat.on_options();
  expect_due(1s);
  ask();
  options.timeout = 1s;
  beat.on_options();
  expect_due(30s);
}

TEST_F(a_heartbeat, a_ttl_causes_an_earlier_ping) {
  start();
  now += 1s;
  beat.on_bytes(now);
  on_ping(30);
  expect_due(3s);
  ask();
  expect_due(3s);
  EXPECT_EQ(at_deadline(took_nothing), action::dead);
}

TEST_F(a_heartbeat, a_ttl_alone_never_disconnects_a_peer_whose_kernel_answers) {
  start();
  beat.on_bytes(now);
  on_ping(30);
  ask();
  EXPECT_EQ(at_deadline(took_all), action::not_reading);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(at_deadline(took_all), action::none);
  }
}

// TTL of 65.6 s and more overflow in libzmq; shorter ones than a round trip are given time.
TEST_F(a_heartbeat, a_ttl_of_any_size_is_applied_exactly) {
  for (const auto tenths : {1, 19, 656, 65'535}) {
    options.interval.reset();
    beat = heartbeat{options, limit};
    start(false);
    on_ping(tenths);
    expect_due(deciseconds{tenths});
    ask();
    expect_due(std::clamp<heartbeat::duration>(deciseconds{tenths}, 2s, 30s));
  }
}

TEST_F(a_heartbeat, the_newest_ttl_applies) {
  start();
  on_ping(30);
  on_ping(0);
  EXPECT_EQ(at_deadline(), action::none);
  expect_due(7s);
  beat.on_bytes(now);
  on_ping(20);
  expect_due(2s);
}

TEST_F(a_heartbeat, strict_closes_a_peer_that_exceeds_its_ttl) {
  options.strict = true;
  start();
  beat.on_bytes(now);
  on_ping(600);
  ask();
  beat.on_bytes(now);
  on_ping(120);
  expect_due(10s);
  ask();
  expect_due(2s);
  EXPECT_EQ(at_deadline(took_all), action::expired);
}

TEST_F(a_heartbeat, strict_does_not_close_a_peer_within_its_ttl) {
  options.strict = true;
  start();
  on_ping(10);
  for (int i = 0; i < 100; ++i) {
    now += 900ms;
    EXPECT_EQ(beat.on_deadline(now, took_all), action::none);
    beat.on_bytes(now);
    on_ping(10);
  }
}

TEST_F(a_heartbeat, returns_the_context_of_a_ping_up_to_the_limit) {
  start();
  limit.ping_context_size = 3;
  EXPECT_EQ(*beat.on_ping(now, {.ttl = 0, .context = "abc"}), "abc");
  EXPECT_EQ(*beat.on_ping(now, {.ttl = 0, .context = "abcd"}), "abc");
}

TEST_F(a_heartbeat, limits_the_pings_of_each_second) {
  start();
  limit.pings_per_second = 2;
  for (int second = 0; second < 3; ++second, now += 1s) {
    on_ping(0);
    now += 999ms;
    on_ping(0);
    EXPECT_EQ(beat.on_ping(now, {}).error(), errc::ping_flood);
    now -= 999ms;
  }
}

TEST_F(a_heartbeat, a_probe_ends_after_two_seconds_and_the_heartbeat_goes_on) {
  start();
  EXPECT_EQ(beat.probe(now, took_all), action::ping);
  expect_due(2s);
  EXPECT_EQ(at_deadline(took_all), action::none);
  expect_due(30s);
  EXPECT_EQ(at_deadline(took_all), action::not_reading);
}

TEST_F(a_heartbeat, a_probe_after_a_ping_sends_no_second_ping) {
  start();
  ask(took_all);
  now += 1s;
  EXPECT_EQ(beat.probe(now, took_nothing), action::none);
  expect_due(2s);
  EXPECT_EQ(at_deadline(took_nothing), action::dead);
}

// In any history: a peer that has sent anything within the interval gets no PING. A peer that is
// declared dead got a PING, and left data unacknowledged for the whole timeout.
TEST_F(a_heartbeat, declares_no_peer_dead_too_early_in_any_history) {
  std::mt19937 random{1};
  int deaths = 0;
  for (int run = 0; run < 2'000; ++run) {
    heartbeat b{options, limit};
    b.start(now, true);
    auto received = now;
    constexpr auto never = heartbeat::time_point::max();
    auto asked = never;  // when a PING without an answer was sent
    auto taken = now;    // when nothing was outstanding, last
    said what = took_all;
    for (int i = 0; i < 60; ++i) {
      now += random() % 12'000 * 1ms;
      switch (random() % 12) {
        case 0:
          b.on_bytes(now);
          received = now;
          asked = never;
          break;
        case 1: what.complete = false; break;  // something is sent
        case 2:
          what.bytes += what.complete ? 0 : 1;
          what.complete = true;
          break;
        default: break;
      }
      taken = what.complete ? now : taken;
      const auto did = b.on_deadline(now, what);
      if (did == action::ping) {
        ASSERT_GE(now - received, 10s);
        ASSERT_EQ(asked, never);
        asked = now;
        what.complete = false;
      } else if (did == action::not_reading) {
        ASSERT_NE(asked, never);
        ASSERT_GE(now - asked, 30s);
      } else if (did == action::dead) {
        ASSERT_NE(asked, never);
        ASSERT_GE(now - asked, 30s);
        ASSERT_GE(now - taken, 30s);
        ++deaths;
        break;
      }
    }
  }
  EXPECT_GT(deaths, 100);
}

}  // namespace
}  // namespace zmtp
