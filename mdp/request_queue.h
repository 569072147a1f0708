#pragma once
// The requests that wait for one service. Its clients take turns; a client's own requests keep
// their order. A request that a worker gave back goes first.
//
// A request that was lost with a worker is a suspect: it may have ended that worker, and would end the
// requests beside it with the next one. So suspects wait apart from the others.

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
  // In front of all others; of the suspects if it has attempts behind it.
  void give_back(request& r) noexcept;
  // The next suspect, and the next of the others that were given back; null if there is none.
  [[nodiscard]] request* suspect() noexcept {
    return suspects_.empty() ? nullptr : &suspects_.front();
  }
  [[nodiscard]] request* returned() noexcept {
    return returned_.empty() ? nullptr : &returned_.front();
  }
  [[nodiscard]] bool has_turn() const noexcept { return !turns_.empty(); }
  // The next in turn, of requests that no worker has given back. Not without one.
  [[nodiscard]] request& take() noexcept;
  // One that waits here, wherever it is.
  void remove(request& r) noexcept;

private:
  [[nodiscard]] line& line_of(client_record& from);
  void leave_line(request& r) noexcept;

  pool<line>& lines_;
  list_of<line, &line::in_queue> turns_;
  list_of<request, &request::place> suspects_;
  list_of<request, &request::place> returned_;
  list_of<request, &request::age> by_age_;
  std::size_t size_ = 0;
};

}  // namespace mdp
