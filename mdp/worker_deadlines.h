#pragma once
// When a worker is owed a heartbeat, and when its silence means that it is dead.

#include "mdp/broker_records.h"
#include "mdp/deadline_heap.h"
#include "mdp/options.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace mdp {

// Who hears or tells a worker something only notes the time in its record; the deadline is looked
// at again when it is due.
class worker_deadlines {
public:
  explicit worker_deadlines(const broker_options& options) noexcept
      : interval_{options.heartbeat_interval},
        silence_{options.heartbeat_interval * options.liveness} {}

  enum class verdict {
    fine,
    owed_a_heartbeat,
    dead,
  };

  void add(worker_record& w) { heap_.set(w, due(w, {})); }
  void remove(worker_record& w) noexcept { heap_.remove(w); }
  // After a request was given to an idle worker.
  void on_busy(worker_record& w) {
    if (const auto end = end_of(w, {})) {
      heap_.set_no_later(w, *end);
    }
  }

  [[nodiscard]] std::optional<time_point> next() const noexcept { return heap_.next(); }
  // The worker whose deadline is due, or null.
  [[nodiscard]] worker_record* first_due(time_point now) const noexcept {
    return heap_.empty() || *heap_.next() > now ? nullptr : &heap_.first();
  }
  // Nobody is dead before `judge_from`.
  [[nodiscard]] verdict judge(const worker_record& w, time_point now,
                              time_point judge_from) const noexcept {
    if (const auto end = end_of(w, judge_from); end && *end <= now) {
      return verdict::dead;
    }
    return w.told_at + interval_ <= now ? verdict::owed_a_heartbeat : verdict::fine;
  }
  // After a judgement, or what followed from it.
  void look_again(worker_record& w, time_point judge_from) { heap_.set(w, due(w, judge_from)); }

private:
  // When it is dead, if nothing more is heard.
  [[nodiscard]] std::optional<time_point> end_of(const worker_record& w,
                                                 time_point judge_from) const noexcept {
    if (w.held == 0) {
      return std::max(w.heard_at + silence_, judge_from);
    }
    auto end = time_point::max();
    if (w.busy_expiry) {
      // From the first request in hand, not from the latest: a worker that gets one after the other
      // and says nothing is as dead as one that got one.
      end = std::max(w.heard_at, w.busy_since) + *w.busy_expiry;
    }
    if (w.busy_deadline) {
      end = std::min(end, w.hands.front().given_at + *w.busy_deadline);
    }
    return end != time_point::max() ? std::optional{std::max(end, judge_from)} : std::nullopt;
  }
  [[nodiscard]] time_point due(const worker_record& w, time_point judge_from) const noexcept {
    const auto heartbeat = w.told_at + interval_;
    const auto end = end_of(w, judge_from);
    return end ? std::min(heartbeat, *end) : heartbeat;
  }

  deadline_heap<worker_record> heap_;
  std::chrono::milliseconds interval_;
  std::chrono::milliseconds silence_;
};

}  // namespace mdp
