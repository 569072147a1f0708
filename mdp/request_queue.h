#pragma once
// The waiting requests of one service. Clients take turns. The requests of one client keep their
// order. A request that a worker returned goes first.
//
// A request that was lost with its worker is a suspect, because it may have ended that worker. The
// next worker would lose all its requests with it. So suspects wait apart from the others.

#include "mdp/broker_records.h"
#include "mdp/pool.h"

#include <cstddef>

namespace mdp {

class request_queue {
public:
  // `lines` must outlive the queue. Several queues may share it.
  explicit request_queue(pool<line>& lines) noexcept : lines_{lines} {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // Returns the request with the earliest request::queued_at, which never decreases between pushes.
  // Must not be empty.
  [[nodiscard]] request& oldest() noexcept { return by_age_.front(); }

  // Adds the request after the other requests of its client.
  void push(request& r);
  // Adds the request in front of all others, or of the suspects if it has been attempted before.
  void give_back(request& r) noexcept;
  // The next suspect, and the next of the other returned requests. Null if there is none.
  [[nodiscard]] request* suspect() noexcept {
    return suspects_.empty() ? nullptr : &suspects_.front();
  }
  [[nodiscard]] request* returned() noexcept {
    return returned_.empty() ? nullptr : &returned_.front();
  }
  [[nodiscard]] bool has_turn() const noexcept { return !turns_.empty(); }
  // Removes and returns the next request in turn that was not returned by a worker. has_turn() must
  // be true.
  [[nodiscard]] request& take() noexcept;
  // Removes a request from any list of this queue.
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
