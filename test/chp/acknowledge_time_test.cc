// The times from an update to its acknowledgement, as the active server counts them.
#include "test/chp/update_log_fixture.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <numeric>

namespace chp {
namespace {

using namespace std::chrono_literals;
using namespace test;

struct times {
  std::uint64_t count;
  std::chrono::nanoseconds sum;

  friend bool operator==(const times&, const times&) = default;
};

times times_of(const server& s) {
  const auto& all = s.log.counters().acknowledge_time;
  return {std::accumulate(all.counts().begin(), all.counts().end(), std::uint64_t{0}), all.sum()};
}

update_log_options stored() {
  update_log_options o;
  o.state.has_store = true;
  return o;
}

TEST(chp_acknowledge_time, is_nothing_without_a_store_and_a_backup) {
  server s;
  s.log.become_active(1, time_zero, s.out);
  s.set("a", "v", id(1));
  s.set("b", "v");
  (void)s.turn(time_zero + 5ms);
  EXPECT_EQ(times_of(s), (times{2, 0ms}));
  (void)s.turn(time_zero + 9ms);
  EXPECT_EQ(times_of(s), (times{2, 0ms})) << "a turn without an update";
}

TEST(chp_acknowledge_time, lasts_until_the_turn_in_which_the_disk_has_the_update) {
  server s{stored()};
  s.log.become_active(1, time_zero, s.out);
  s.set("a", "v", id(1));
  (void)s.turn(time_zero);
  s.set("b", "v", id(2));
  s.set("c", "v", id(3));
  (void)s.turn(time_zero + 10ms);
  EXPECT_EQ(times_of(s), (times{0, 0ms}));
  s.write({}, time_zero + 30ms);
  EXPECT_EQ(times_of(s), (times{0, 0ms})) << "the turn has not ended";
  (void)s.turn(time_zero + 40ms);
  EXPECT_EQ(times_of(s), (times{3, 40ms + 2 * 30ms}));
}

TEST(chp_acknowledge_time, counts_a_repeated_update_once) {
  server s{stored()};
  s.log.become_active(1, time_zero, s.out);
  s.set("a", "v", id(1));
  (void)s.turn(time_zero);
  s.set("a", "v", id(1));
  (void)s.turn(time_zero + 10ms);
  s.write({}, time_zero + 20ms);
  (void)s.turn(time_zero + 20ms);
  s.set("a", "v", id(1));
  (void)s.turn(time_zero + 30ms);
  EXPECT_EQ(times_of(s), (times{1, 20ms}));
}

TEST(chp_acknowledge_time, lasts_until_the_backup_of_a_blocked_pair_has_the_update) {
  auto o = paired();
  o.policy = degraded_policy::block;
  server active{o, 1};
  server passive{o, 2};
  active.log.become_active(1, time_zero, active.out);
  connect(active, passive);
  active.set("a", "v", id(1));
  const auto sent = active.turn(time_zero);
  (void)active.turn(time_zero + 10ms);
  EXPECT_EQ(times_of(active), (times{0, 0ms}));
  for (const auto& m : sent.to_peer) {
    passive.log.on_peer_message(m, time_zero, passive.out);
  }
  for (const auto& m : passive.turn().to_peer) {
    active.log.on_peer_message(m, time_zero, active.out);
  }
  (void)active.turn(time_zero + 25ms);
  EXPECT_EQ(times_of(active), (times{1, 25ms}));
}

}  // namespace
}  // namespace chp
