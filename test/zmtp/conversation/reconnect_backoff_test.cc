#include "zmtp/conversation/reconnect_backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto never = milliseconds{0};      // the handshake was not completed
constexpr std::uint32_t in_the_middle = 50;  // of 101 equally likely shares: 100 %

TEST(reconnect_backoff, doubles_to_its_maximum) {
  reconnect_backoff backoff{{}};
  for (const auto expected : {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms, 2000ms}) {
    EXPECT_EQ(backoff.next(never, false, in_the_middle), expected);
  }
}

TEST(reconnect_backoff, goes_on_longer_while_the_peer_refuses) {
  reconnect_backoff backoff{{}};
  for (const auto expected : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 12'800ms,
                              25'600ms, 30'000ms, 30'000ms}) {
    EXPECT_EQ(backoff.next(never, true, in_the_middle), expected);
  }
  EXPECT_EQ(backoff.next(never, false, in_the_middle), 2000ms);
}

TEST(reconnect_backoff, starts_over_once_a_connection_was_stable) {
  reconnect_backoff backoff{{}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(backoff.next(never, false, in_the_middle), 0ms);
  }
  EXPECT_EQ(backoff.next(999ms, false, in_the_middle), 1600ms);
  EXPECT_EQ(backoff.next(1000ms, false, in_the_middle), 100ms);
  EXPECT_EQ(backoff.next(never, false, in_the_middle), 200ms);
  EXPECT_EQ(backoff.next(1h, true, in_the_middle), 100ms);
}

TEST(reconnect_backoff, is_spread_evenly_from_half_to_one_and_a_half) {
  auto shortest = 1h + 0ms;
  auto longest = 0ms;
  auto sum = 0ms;
  for (std::uint32_t random = 0; random < 10'100; ++random) {
    reconnect_backoff backoff{{}};
    const auto wait = backoff.next(never, false, random);
    shortest = std::min(shortest, wait);
    longest = std::max(longest, wait);
    sum += wait;
  }
  EXPECT_EQ(shortest, 50ms);
  EXPECT_EQ(longest, 150ms);
  EXPECT_EQ(sum / 10'100, 100ms);
}

TEST(reconnect_backoff, the_spread_does_not_add_up) {
  for (const std::uint32_t extreme : {0U, 100U}) {
    reconnect_backoff backoff{{}};
    const auto share = extreme == 0 ? 50 : 150;
    for (const auto whole : {100, 200, 400, 800, 1600, 2000}) {
      EXPECT_EQ(backoff.next(never, false, extreme).count(), whole * share / 100);
    }
  }
}

TEST(reconnect_backoff, keeps_to_the_options_it_is_given) {
  reconnect_backoff backoff{
      {.initial = 10ms, .maximum = 35ms, .refused_maximum = 50ms, .stable = 5ms}};
  EXPECT_EQ(backoff.next(never, false, in_the_middle), 10ms);
  EXPECT_EQ(backoff.next(4ms, false, in_the_middle), 20ms);
  EXPECT_EQ(backoff.next(4ms, false, in_the_middle), 35ms);
  EXPECT_EQ(backoff.next(4ms, true, in_the_middle), 50ms);
  EXPECT_EQ(backoff.next(5ms, true, in_the_middle), 10ms);
  reconnect_backoff narrow{{.initial = 500ms, .maximum = 200ms}};
  EXPECT_EQ(narrow.next(never, false, in_the_middle), 200ms);
}

TEST(reconnect_backoff, stays_within_its_bounds_for_any_history) {
  std::mt19937 random{1};
  reconnect_backoff backoff{{}};
  for (int i = 0; i < 10'000; ++i) {
    const bool refused = random() % 4 == 0;
    const auto wait =
        backoff.next(milliseconds{random() % 1200}, refused, static_cast<std::uint32_t>(random()));
    ASSERT_GE(wait, 50ms);
    ASSERT_LE(wait, refused ? 45'000ms : 3000ms);
  }
}

}  // namespace
}  // namespace zmtp
