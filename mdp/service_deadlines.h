#pragma once
// The time at which the oldest pending request of each service expires. Pure.

#include "mdp/broker_records.h"
#include "mdp/deadline_heap.h"
#include "mdp/service_table.h"
#include "zmtp/pattern/liveness.h"

#include <algorithm>
#include <optional>

namespace mdp {

class service_deadlines {
public:
  // `liveness` must outlive this object.
  explicit service_deadlines(const zmtp::liveness& liveness) noexcept : liveness_{liveness} {}

  // Call this after a request was added to the queue of the service.
  void on_queued(service& s) {
    if (const auto end = expiry_of(s)) {
      heap_.set_no_later(s, *end);
    }
  }
  // Call this after any other change of the queue, the workers or the options of the service.
  void look_again(service& s) {
    if (const auto end = s.waiting.empty() ? std::nullopt : expiry_of(s)) {
      heap_.set(s, *end);
    } else {
      remove(s);
    }
  }
  void remove(service& s) noexcept { heap_.remove(s); }

  [[nodiscard]] std::optional<time_point> next() const noexcept { return heap_.next(); }
  // Returns the service whose deadline is due, or null. Its oldest request may be with a worker by now.
  [[nodiscard]] service* first_due(time_point now) const noexcept {
    return heap_.empty() || *heap_.next() > now ? nullptr : &heap_.first();
  }
  // Returns the oldest pending request of the service if it has expired, or null.
  [[nodiscard]] request* first_expired(service& s, time_point now) const noexcept {
    const auto end = s.waiting.empty() ? std::nullopt : expiry_of(s);
    return end && *end <= now ? &s.waiting.oldest() : nullptr;
  }

private:
  // The queue must not be empty.
  [[nodiscard]] std::optional<time_point> expiry_of(service& s) const noexcept {
    std::optional<time_point> end;
    const auto waits_since = s.waiting.oldest().queued_at;
    if (s.options.request_expiry) {
      end = waits_since + *s.options.request_expiry;
    }
    if (s.workers == 0) {
      const auto unserved = std::max(waits_since, s.unserved_since) + s.options.unserved_expiry;
      end = end ? std::min(*end, unserved) : unserved;
    }
    return end ? std::optional{liveness_.verdict_at(*end)} : std::nullopt;
  }

  const zmtp::liveness& liveness_;
  deadline_heap<service> heap_;
};

}  // namespace mdp
