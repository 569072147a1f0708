#include "zmtp/conversation/reconnect_backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr auto never = milliseconds{0};  // the handshake was not completed
constexpr std::uint32_t longest = 50;    // among 51 equally likely shares: 100 %

TEST(reconnect_backoff, doubles_to_its_maximum) {
  reconnect_backoff backoff{{}};
  for (const auto expected : {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms, 2000ms}) {
    EXPECT_EQ(backoff.next(never, false, longest), expected);
  }
}

TEST(reconnect_backoff, grows_further_while_the_peer_rejects) {
  reconnect_backoff backoff{{}};
  for (const auto expected : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 12'800ms,
                              25'600ms, 30'000ms, 30'000ms}) {
    EXPECT_EQ(backoff.next(never, true, longest), expected);
  }
  EXPECT_EQ(backoff.next(never, false, longest), 2000ms);
}

TEST(reconnect_backoff, starts_over_after_a_stable_connection) {
  reconnect_backoff backoff{{}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(backoff.next(never, false, longest), 0ms);
  }
  EXPECT_EQ(backoff.next(999ms, false, longest), 1600ms);
  EXPECT_EQ(backoff.next(1000ms, false, longest), 100ms);
  EXPECT_EQ(backoff.next(never, false, longest), 200ms);
  EXPECT_EQ(backoff.next(1h, true, longest), 100ms);
}

TEST(reconnect_backoff, is_spread_evenly_between_half_and_the_whole) {
  auto least = 1h + 0ms;
  auto most = 0ms;
  auto sum = 0ms;
  for (std::uint32_t random = 0; random < 10'200; ++random) {
    reconnect_backoff backoff{{}};
    const auto wait = backoff.next(never, false, random);
    least = std::min(least, wait);
    most = std::max(most, wait);
    sum += wait;
  }
  EXPECT_EQ(least, 50ms);
  EXPECT_EQ(most, 100ms);
  EXPECT_EQ(sum / 10'200, 75ms);
}

TEST(reconnect_backoff, the_spread_does_not_add_up) {
  for (const std::uint32_t extreme : {0U, 50U}) {
    reconnect_backoff backoff{{}};
    const auto share = extreme == 0 ? 50 : 100;
    for (const auto whole : {100, 200, 400, 800, 1600, 2000}) {
      EXPECT_EQ(backoff.next(never, false, extreme).count(), whole * share / 100);
    }
  }
}

TEST(reconnect_backoff, follows_its_options) {
  reconnect_backoff backoff{
      {.initial = 10ms, .maximum = 35ms, .refused_maximum = 50ms, .stable = 5ms}};
  EXPECT_EQ(backoff.next(never, false, longest), 10ms);
  EXPECT_EQ(backoff.next(4ms, false, longest), 20ms);
  EXPECT_EQ(backoff.next(4ms, false, longest), 35ms);
  EXPECT_EQ(backoff.next(4ms, true, longest), 50ms);
  EXPECT_EQ(backoff.next(5ms, true, longest), 10ms);
  reconnect_backoff narrow{{.initial = 500ms, .maximum = 200ms}};
  EXPECT_EQ(narrow.next(never, false, longest), 200ms);
}

TEST(reconnect_backoff, a_rejection_is_an_error_that_the_next_handshake_would_repeat) {
  for (const auto reason : {errc::refused_by_peer, errc::not_admitted}) {
    EXPECT_TRUE(is_refusal(reason, false));
    EXPECT_TRUE(is_refusal(reason, true));
  }
  for (const auto reason : {errc::mechanism_mismatch, errc::bad_socket_type, errc::not_zmtp,
                            errc::version_2_refused, errc::duplicate_routing_id}) {
    EXPECT_TRUE(is_refusal(reason, false)) << make_error_code(reason).message();
    EXPECT_FALSE(is_refusal(reason, true)) << make_error_code(reason).message();
  }
  for (const auto reason : {errc::connection_lost, errc::handshake_timeout, errc::out_of_memory,
                            errc::socket_closed, errc::handshake_evicted}) {
    EXPECT_FALSE(is_refusal(reason, false)) << make_error_code(reason).message();
  }
  const auto system = boost::system::errc::make_error_code(boost::system::errc::connection_refused);
  EXPECT_FALSE(is_refusal(system, false)) << "nobody listens, which is no refusal";
}

TEST(reconnect_backoff, waits_longer_if_the_peer_rejects) {
  reconnect_backoff backoff{{.initial = 1s, .maximum = 2s, .refused_maximum = 4s}};
  EXPECT_EQ(backoff.on_end(errc::bad_socket_type, {}, longest), 1s);
  EXPECT_EQ(backoff.on_end(errc::refused_by_peer, 1ms, longest), 2s);
  EXPECT_EQ(backoff.on_end(errc::mechanism_mismatch, {}, longest), 4s);
  EXPECT_EQ(backoff.on_end(errc::connection_lost, {}, longest), 2s);
}

TEST(reconnect_backoff, never_stops_by_default) {
  reconnect_backoff backoff{{}};
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(backoff.on_end(errc::refused_by_peer, {}, longest));
  }
}

TEST(reconnect_backoff, stops_after_the_allowed_number_of_failures_in_a_row) {
  reconnect_backoff backoff{{.stable = 1s, .stop_after = 3}};
  EXPECT_TRUE(backoff.on_end(errc::connection_lost, {}, longest));
  EXPECT_TRUE(backoff.on_end(errc::connection_lost, 999ms, longest));
  EXPECT_TRUE(backoff.on_end(errc::connection_lost, 1s, longest))
      << "the connection had been stable";
  EXPECT_TRUE(backoff.on_end(errc::connection_lost, {}, longest));
  EXPECT_TRUE(backoff.on_end(errc::bad_socket_type, {}, longest));
  EXPECT_FALSE(backoff.on_end(errc::handshake_timeout, {}, longest));
}

TEST(reconnect_backoff, stops_at_the_first_attempt_if_one_is_the_limit) {
  reconnect_backoff backoff{{.stop_after = 1}};
  EXPECT_FALSE(backoff.on_end(errc::connection_lost, {}, longest));
}

TEST(reconnect_backoff, stops_only_on_rejection_if_so_configured) {
  reconnect_backoff backoff{{.stop_on_refusal = true}};
  EXPECT_TRUE(backoff.on_end(errc::connection_lost, {}, longest));
  EXPECT_TRUE(backoff.on_end(errc::bad_socket_type, 5ms, longest));
  EXPECT_FALSE(backoff.on_end(errc::bad_socket_type, {}, longest));
  EXPECT_FALSE(backoff.on_end(errc::refused_by_peer, 1h, longest));
}

TEST(reconnect_backoff, options_may_change) {
  reconnect_backoff backoff{{}};
  EXPECT_EQ(backoff.on_end(errc::connection_lost, {}, longest), 100ms);
  backoff.change({.initial = 7ms, .maximum = 150ms});
  EXPECT_EQ(backoff.on_end(errc::connection_lost, {}, longest), 150ms);
  backoff.change({.stop_after = 3});
  EXPECT_FALSE(backoff.on_end(errc::connection_lost, {}, longest));
}

TEST(reconnect_backoff, stays_within_its_bounds_for_any_history) {
  std::mt19937 random{1};
  reconnect_backoff backoff{{}};
  for (int i = 0; i < 10'000; ++i) {
    const bool refused = random() % 4 == 0;
    const auto wait =
        backoff.next(milliseconds{random() % 1200}, refused, static_cast<std::uint32_t>(random()));
    ASSERT_GE(wait, 50ms);
    ASSERT_LE(wait, refused ? 30'000ms : 2000ms);
  }
}

}  // namespace
}  // namespace zmtp
