#pragma once
// The operations of a socket that wait, and those that are over and not told yet. Who is served when;
// no timers.

#include "zmtp/error.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/socket/deadline.h"
#include "zmtp/socket/waiter.h"

#include <boost/unordered/unordered_flat_set.hpp>

#include <functional>
#include <optional>

namespace zmtp {

// Everybody ends by conclude(), whatever the end, and is told in that order: no handler overtakes
// another. From there on it is too late for a cancellation or a deadline. Who waits to receive or to send
// is served in turn; who waits to learn something, as soon as it is so; who waits for the end of the
// socket, then.
class waiting_room {
public:
  using time_point = deadline::clock::time_point;
  enum class side { to_receive, to_send, to_learn, to_end };

  [[nodiscard]] bool receivers_wait() const noexcept { return !receivers_.empty(); }
  // To this peer, or to whatever peer; without an argument: anybody.
  [[nodiscard]] bool senders_wait(std::optional<peer_id> to = {}) const noexcept;
  // Whether nobody waits who would have to be served before it.
  [[nodiscard]] bool is_next(side where, const waiter& w) const noexcept;

  void enter(side where, waiter& w) noexcept;
  void conclude(waiter& w, error_code ec) noexcept;
  // Attempts what waits, in the order of calls.
  void attempt_all();
  // Calls the handlers of what is over, which may do whatever they like. Whether there were any.
  bool tell_all();

  [[nodiscard]] std::optional<time_point> first_deadline() const noexcept;
  void expire(time_point now) noexcept;
  // Who waits to send waits for nothing.
  void end_senders(error_code ec) noexcept;

  // The socket is closed: what is over is told, and the rest ends with `ec`, both later; but for those
  // who wait for the end.
  void close(error_code ec);
  // All is over, with `ec`.
  void end(error_code ec);
  // The context is gone: nobody is told.
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
      without_room_;  // in one round of attempts; kept for its memory
};

}  // namespace zmtp
