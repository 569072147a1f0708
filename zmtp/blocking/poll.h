#pragma once
// Waits for the first of several sockets that can be received from or sent to.

#include "zmtp/blocking/engine.h"
#include "zmtp/blocking/pollable.h"
#include "zmtp/blocking/socket.h"
#include "zmtp/error.h"
#include "zmtp/socket/deadline.h"

#include <cstddef>
#include <memory>
#include <span>

namespace zmtp::blocking {

// One socket, what is asked of it, and the answer. The socket must live, and stay where it is, until poll()
// has returned.
struct poll_item {
  enum class wants { to_receive, to_send, either };

  template <class Async>
  poll_item(socket<Async>& of, wants what) noexcept  // NOLINT: also for braces without a name
      : asked{what}, engine_{of.engine_.get()}, socket_{of.held_.get()} {}

  wants asked;
  bool readable = false;  // something has come, for which the pattern may have no use
  bool writable = false;  // a message would be queued, or dropped where the pattern drops
  bool closed = false;    // nothing will come of it any more

private:
  friend std::size_t poll(std::span<poll_item> items, deadline until);

  class waiting;
  [[nodiscard]] bool look();
  void begin(const std::shared_ptr<waiting>& in) const;

  engine* engine_;
  pollable* socket_;
};

// Waits until one of them is as it was asked to be, or closed, or until the deadline. Sets what each of them is,
// and returns how many are as asked, or closed: none if the deadline has passed. They may belong to several
// contexts. A time of zero only looks.
std::size_t poll(std::span<poll_item> items, deadline until = {});

}  // namespace zmtp::blocking
