#pragma once
// The requests that wait for one service. Its clients take turns; a client's own requests keep
// their order; what a lost worker gave back goes first.

#include "mdp/broker_records.h"
#include "mdp/pool.h"

#include <cstddef>

namespace mdp {

class request_queue {
public:
  // `lines` must outlive the queue; all queues may share it.
  explicit request_queue(pool<line>& lines) noexcept : lines_{lines} {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // By request::queued_at, which never decreases from one push to the next. Not when empty.
  [[nodiscard]] request& oldest() noexcept { return by_age_.front(); }

  // Behind the other requests of its client.
  void push(request& r);
  // In front of all others.
  void give_back(request& r) noexcept;
  // The next in turn. Not when empty.
  [[nodiscard]] request& take() noexcept;
  // One that waits here, wherever it is.
  void remove(request& r) noexcept;

private:
  [[nodiscard]] line& line_of(client_record& from);
  void leave_line(request& r) noexcept;

  pool<line>& lines_;
  list_of<line, &line::in_queue> turns_;
  list_of<request, &request::place> returned_;
  list_of<request, &request::age> by_age_;
  std::size_t size_ = 0;
};

}  // namespace mdp
