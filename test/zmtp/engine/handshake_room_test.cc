#include "zmtp/engine/pending_handshakes_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using kind = handshake_room::verdict::kind;
using silences = std::vector<handshake_room::silence>;

handshake_room::verdict decide(const handshake_room& room, const silences& all) {
  return room.decide(all.size(), [&](std::size_t i) { return all[i]; });
}

TEST(handshake_room, no_handshake_is_evicted_while_slots_are_free) {
  const handshake_room room{3, 1s};
  EXPECT_EQ(decide(room, {}).what, kind::room);
  EXPECT_EQ(decide(room, {1h, 1h}).what, kind::room);
}

TEST(handshake_room, the_handshake_with_the_longest_silence_is_evicted) {
  const handshake_room room{3, 1s};
  const auto verdict = decide(room, {1200ms, 3s, 2s});
  EXPECT_EQ(verdict.what, kind::evict);
  EXPECT_EQ(verdict.which, 1U);
}

TEST(handshake_room, the_older_of_two_equal_handshakes_is_evicted) {
  const auto verdict = decide(handshake_room{3, 1s}, {500ms, 2s, 2s});
  EXPECT_EQ(verdict.what, kind::evict);
  EXPECT_EQ(verdict.which, 1U);
}

TEST(handshake_room, a_handshake_that_has_just_received_data_stays) {
  const auto verdict = decide(handshake_room{2, 1s}, {300ms, 999ms});
  EXPECT_EQ(verdict.what, kind::wait);
  EXPECT_EQ(verdict.again_after, 1ms) << "when the first handshake may be evicted";
}

TEST(handshake_room, exactly_as_long_as_is_allowed_is_too_long) {
  const handshake_room room{1, 1s};
  EXPECT_EQ(decide(room, {1s}).what, kind::evict);
  EXPECT_TRUE(room.may_go(1s));
  EXPECT_FALSE(room.may_go(1s - 1ns));
}

TEST(handshake_room, a_handshake_with_pending_data_stays) {
  const handshake_room room{1, 1s};
  ASSERT_EQ(decide(room, {5s}).what, kind::evict);
  EXPECT_FALSE(room.may_go(0s));
  EXPECT_FALSE(room.may_go(std::nullopt)) << "its handshake is over";
}

TEST(handshake_room, a_completed_handshake_is_never_evicted) {
  const auto verdict = decide(handshake_room{2, 1s}, {std::nullopt, std::nullopt});
  EXPECT_EQ(verdict.what, kind::wait);
  EXPECT_EQ(verdict.again_after, std::nullopt) << "there is nothing to wait for but its end";
  const auto other = decide(handshake_room{2, 1s}, {std::nullopt, 2s});
  EXPECT_EQ(other.what, kind::evict);
  EXPECT_EQ(other.which, 1U);
}

TEST(handshake_room, a_lower_limit_evicts_one_handshake_after_the_other) {
  const handshake_room room{2, 1s};
  silences all{2s, 4s, 3s, 500ms};
  EXPECT_EQ(decide(room, all).which, 1U);
  all.erase(all.begin() + 1);
  EXPECT_EQ(decide(room, all).which, 1U);
  all.erase(all.begin() + 1);
  EXPECT_EQ(decide(room, all).which, 0U);
  all.erase(all.begin());
  EXPECT_EQ(decide(room, all).what, kind::room);
}

TEST(handshake_room, without_a_silence_limit_any_idle_handshake_is_evicted) {
  EXPECT_EQ(decide(handshake_room{1, 0s}, {0s}).what, kind::evict);
}

}  // namespace
}  // namespace zmtp
