// When a peer gets a heartbeat, when it is dead, and how a pause of the process postpones verdicts.

#include "zmtp/pattern/liveness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using time_point = liveness::time_point;

// Returns a time, in milliseconds since the start.
time_point at(milliseconds since_start) { return time_point{} + 1h + since_start; }

using rule = std::function<std::optional<time_point>(time_point, milliseconds, time_point)>;

// Returns the rows of the table that the rule does not fulfil.
std::vector<int> wrong_rows(const rule& tested) {
  struct row {
    milliseconds due;
    milliseconds grace;
    milliseconds now;
    std::optional<milliseconds> postponed_to;
  };
  const std::vector<row> table{
      {100ms, 50ms, 90ms, std::nullopt},   // 0: early
      {100ms, 50ms, 100ms, std::nullopt},  // 1: in time
      {100ms, 50ms, 149ms, std::nullopt},  // 2: late, within the grace
      {100ms, 50ms, 150ms, std::nullopt},  // 3: the whole grace
      {100ms, 50ms, 151ms, 201ms},         // 4: the first millisecond after the grace
      {100ms, 50ms, 3'600'000ms, 3'600'050ms},
      {100ms, 500ms, 151ms, std::nullopt},  // 6: a longer grace
  };
  std::vector<int> wrong;
  for (int i = 0; i != static_cast<int>(table.size()); ++i) {
    const auto& [due, grace, now, to] = table[static_cast<std::size_t>(i)];
    if (tested(at(due), grace, at(now)) != (to ? std::optional{at(*to)} : std::nullopt)) {
      wrong.push_back(i);
    }
  }
  return wrong;
}

TEST(liveness, only_a_deadline_later_than_the_grace_is_postponed_by_the_grace) {
  EXPECT_EQ(wrong_rows(postponed), std::vector<int>{});
}

TEST(liveness, the_table_detects_false_rules) {
  EXPECT_EQ(wrong_rows([](auto, auto, auto) { return std::nullopt; }), (std::vector{4, 5}));
  EXPECT_EQ(wrong_rows([](auto due, auto grace, auto now) {
              return now - due >= grace ? std::optional{now + grace} : std::nullopt;
            }),
            std::vector{3});
  EXPECT_EQ(wrong_rows([](auto due, auto grace, auto now) {
              return now > due ? std::optional{now + grace} : std::nullopt;
            }),
            (std::vector{2, 3, 6}));
  EXPECT_EQ(wrong_rows([](auto due, auto grace, auto now) {
              return now - due > grace ? std::optional{due + grace} : std::nullopt;
            }),
            (std::vector{4, 5}));
  EXPECT_EQ(wrong_rows([](auto due, auto, auto now) { return postponed(due, 50ms, now); }),
            std::vector{6});
}

// Returns the first step of a history in which the class is wrong, or zero. The interval is 100 ms,
// and a peer is dead after three.
template <class Tested>
int first_wrong_step() {
  struct step {
    milliseconds due;  // the deadline that is handled
    milliseconds now;
    milliseconds received;
    milliseconds sent;
    milliseconds heartbeat_at;
    milliseconds dead_at;
    milliseconds verdict_at;  // the time of a verdict that is due at 1,000 ms
  };
  const std::vector<step> history{
      {0ms, 0ms, 0ms, 0ms, 100ms, 300ms, 1'000ms},                // 1
      {100ms, 200ms, 0ms, 200ms, 300ms, 300ms, 1'000ms},          // 2: late by the grace
      {300ms, 900ms, 0ms, 200ms, 300ms, 1'000ms, 1'000ms},        // 3: a pause
      {300ms, 950ms, 0ms, 950ms, 1'050ms, 1'050ms, 1'050ms},      // 4: another pause
      {1'050ms, 1'050ms, 0ms, 950ms, 1'050ms, 1'050ms, 1'050ms},  // 5: in time after a pause
      {1'050ms, 1'060ms, 1'060ms, 950ms, 1'050ms, 1'360ms, 1'050ms},
      {1'050ms, 1'060ms, 1'060ms, 1'060ms, 1'160ms, 1'360ms, 1'050ms},
  };
  Tested tested{100ms, 3};
  int number = 0;
  for (const auto& s : history) {
    ++number;
    tested.on_deadline(at(s.due), at(s.now));
    const liveness::times last{at(s.received), at(s.sent)};
    if (tested.heartbeat_at(last) != at(s.heartbeat_at) || tested.dead_at(last) != at(s.dead_at) ||
        tested.verdict_at(at(1'000ms)) != at(s.verdict_at)) {
      return number;
    }
  }
  return 0;
}

TEST(liveness, a_silent_peer_is_dead_after_all_intervals_and_the_grace) {
  EXPECT_EQ(first_wrong_step<liveness>(), 0);
}

struct does_not_notice_a_pause : liveness {
  using liveness::liveness;
  void on_deadline(time_point, time_point) noexcept {}
};

struct notices_only_the_first_pause : liveness {
  using liveness::liveness;
  void on_deadline(time_point due, time_point now) noexcept {
    if (!std::exchange(paused, paused || postponed(due, 100ms, now))) {
      liveness::on_deadline(due, now);
    }
  }
  bool paused = false;
};

struct forgets_a_pause : liveness {
  using liveness::liveness;
  void on_deadline(time_point due, time_point now) noexcept {
    *static_cast<liveness*>(this) = liveness{100ms, 3};
    liveness::on_deadline(due, now);
  }
};

struct counts_an_interval_less : liveness {
  counts_an_interval_less(milliseconds interval, unsigned intervals) noexcept
      : liveness{interval, intervals - 1} {}
};

struct judges_by_what_was_sent : liveness {
  using liveness::liveness;
  [[nodiscard]] time_point dead_at(const times& peer) const noexcept {
    return liveness::dead_at({peer.sent, peer.sent});
  }
};

struct sends_heartbeats_by_what_was_received : liveness {
  using liveness::liveness;
  [[nodiscard]] time_point heartbeat_at(const times& peer) const noexcept {
    return liveness::heartbeat_at({peer.received, peer.received});
  }
};

TEST(liveness, the_history_detects_false_classes) {
  EXPECT_EQ(first_wrong_step<does_not_notice_a_pause>(), 3);
  EXPECT_EQ(first_wrong_step<notices_only_the_first_pause>(), 4);
  EXPECT_EQ(first_wrong_step<forgets_a_pause>(), 5);
  EXPECT_EQ(first_wrong_step<counts_an_interval_less>(), 1);
  EXPECT_EQ(first_wrong_step<judges_by_what_was_sent>(), 2);
  EXPECT_EQ(first_wrong_step<sends_heartbeats_by_what_was_received>(), 2);
}

TEST(liveness, zero_counts_as_one) {
  const liveness least{0ms, 0};
  const liveness::times last{at(0ms), at(0ms)};
  EXPECT_EQ(least.heartbeat_at(last), at(1ms));
  EXPECT_EQ(least.dead_at(last), at(1ms));
}

}  // namespace
}  // namespace zmtp
