#pragma once
// Waits for the first readable or writable socket of several.

#include "zmtp/blocking/context.h"
#include "zmtp/blocking/socket.h"
#include "zmtp/error.h"
#include "zmtp/runtime/timer.h"

#include <cstddef>
#include <memory>
#include <span>

namespace zmtp::blocking {

// One socket, the requested condition, and the result. Until poll() has returned, the socket must
// live and must not be moved.
struct poll_item {
  enum class wants { to_receive, to_send, either };

  template <class Async>
  poll_item(socket<Async>& of, wants what) noexcept  // NOLINT: implicit, for braced lists
      : asked{what}, engine_{of.engine_.get()}, socket_{of.held_.get()} {}

  wants asked;
  bool readable = false;  // a message is queued; the pattern may still drop it
  bool writable = false;  // a message would be queued, or dropped if the pattern drops
  bool closed = false;    // the socket or its context is closed

private:
  friend std::size_t poll(std::span<poll_item> items, deadline until);

  class waiting;
  [[nodiscard]] bool look();
  void begin(const std::shared_ptr<waiting>& in) const;

  engine* engine_;
  pollable* socket_;
};

// Waits until one of the sockets fulfils its condition or is closed, or until the deadline. Sets
// the results of all items. Returns the number of items whose condition is true or whose socket is
// closed, and 0 after the deadline. The sockets may belong to several contexts. A duration of zero
// only checks.
std::size_t poll(std::span<poll_item> items, deadline until = {});

}  // namespace zmtp::blocking
