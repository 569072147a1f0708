#pragma once
// Decides when a worker needs a heartbeat, and when a worker that sends nothing is lost.

#include "mdp/broker_records.h"
#include "mdp/deadline_heap.h"
#include "zmtp/pattern/liveness.h"

#include <algorithm>
#include <optional>

namespace mdp {

// Deadlines of workers. Sending and receiving only store the time in the worker's record. The
// deadline is recomputed when it is due.
class worker_deadlines {
public:
  // `liveness` must outlive this object.
  explicit worker_deadlines(const zmtp::liveness& liveness) noexcept : liveness_{liveness} {}

  enum class verdict {
    fine,
    owed_a_heartbeat,
    dead,
  };

  void add(worker_record& w) { heap_.set(w, due(w)); }
  void remove(worker_record& w) noexcept { heap_.remove(w); }
  // Call it after a request was assigned to an idle worker.
  void on_busy(worker_record& w) {
    if (const auto end = end_of(w)) {
      heap_.set_no_later(w, *end);
    }
  }

  [[nodiscard]] std::optional<time_point> next() const noexcept { return heap_.next(); }
  // Returns the worker whose deadline is due, or null.
  [[nodiscard]] worker_record* first_due(time_point now) const noexcept {
    return heap_.empty() || *heap_.next() > now ? nullptr : &heap_.first();
  }
  [[nodiscard]] verdict decide(const worker_record& w, time_point now) const noexcept {
    if (const auto end = end_of(w); end && *end <= now) {
      return verdict::dead;
    }
    return liveness_.heartbeat_at(w.last) <= now ? verdict::owed_a_heartbeat : verdict::fine;
  }
  // Recomputes the deadline. Call it after decide() and the actions that follow.
  void look_again(worker_record& w) { heap_.set(w, due(w)); }

private:
  // Returns when the worker is dead if it sends nothing more.
  [[nodiscard]] std::optional<time_point> end_of(const worker_record& w) const noexcept {
    if (w.held == 0) {
      return liveness_.dead_at(w.last);
    }
    auto end = time_point::max();
    if (w.busy_expiry) {
      // Counts from the first assigned request, not from the latest: otherwise a worker that gets
      // request after request and sends nothing would never be dead.
      end = std::max(w.last.received, w.busy_since) + *w.busy_expiry;
    }
    if (w.busy_timeout) {
      end = std::min(end, w.in_flight.front().given_at + *w.busy_timeout);
    }
    return end != time_point::max() ? std::optional{liveness_.verdict_at(end)} : std::nullopt;
  }
  [[nodiscard]] time_point due(const worker_record& w) const noexcept {
    const auto heartbeat = liveness_.heartbeat_at(w.last);
    const auto end = end_of(w);
    return end ? std::min(heartbeat, *end) : heartbeat;
  }

  const zmtp::liveness& liveness_;
  deadline_heap<worker_record> heap_;
};

}  // namespace mdp
