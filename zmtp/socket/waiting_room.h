#pragma once
// The pending operations of a socket, and the concluded ones whose handlers have not run yet.
// Decides the order of service. Has no timers.

#include "zmtp/error.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/socket/deadline.h"
#include "zmtp/socket/waiter.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <functional>
#include <optional>

namespace zmtp {

// Every operation ends in conclude(). Handlers run in the order of these calls. After conclude(), a
// cancellation or deadline has no effect. Receivers and senders are served in turn. Operations that
// wait for a condition are served when it is true, and those that wait for the end of the socket
// when it ends.
class waiting_room {
public:
  using time_point = deadline::clock::time_point;
  enum class side { to_receive, to_send, to_learn, to_end };

  [[nodiscard]] bool receivers_wait() const noexcept { return !receivers_.empty(); }
  // Returns whether an operation waits to send to this peer or without naming a peer. Without an
  // argument, returns whether any operation waits to send.
  [[nodiscard]] bool senders_wait(std::optional<peer_id> to = {}) const noexcept;
  // Returns whether no other operation must be served before this one.
  [[nodiscard]] bool is_next(side where, const waiter& w) const noexcept;

  void enter(side where, waiter& w) noexcept;
  void conclude(waiter& w, error_code ec) noexcept;
  // Attempts pending operations in the order of their calls.
  void attempt_all();
  // Calls the handlers of concluded operations. They may start or end other operations. Returns
  // whether there were any.
  bool tell_all();

  [[nodiscard]] std::optional<time_point> first_deadline() const noexcept;
  void expire(time_point now) noexcept;
  // Concludes all operations that wait to send.
  void end_senders(error_code ec) noexcept;

  // Call when the socket is closed. Posts the handlers of concluded operations, and completes the
  // pending ones with `ec`, except those that wait for the end.
  void close(error_code ec);
  // Call when the socket ends. Completes the remaining operations with `ec`.
  void end(error_code ec);
  // Call when the context is destroyed. Does not call any handler.
  void abandon() noexcept;

private:
  [[nodiscard]] waiter_list& list_of(side where) noexcept;
  void attempt_senders();

  waiter_list receivers_;
  waiter_list senders_;
  waiter_list learners_;
  waiter_list enders_;
  waiter_list concluded_;
  boost::unordered_flat_set<peer_id, std::hash<peer_id>>
      // peers with a full queue in one round of attempts; a member to reuse its memory
      without_room_;
};

}  // namespace zmtp
