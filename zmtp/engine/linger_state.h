#pragma once
// The end of a socket: what continues after the user has closed the socket, for how long, and the
// outcome.

#include "zmtp/error.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace zmtp {

class linger_state {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Returns whether the user has not closed the socket yet.
  [[nodiscard]] bool open() const noexcept { return phase_ == phase::open; }
  // Returns whether the socket is closed and still writes its queues, until peers have read
  // everything or the linger time ends.
  [[nodiscard]] bool finishing() const noexcept { return phase_ == phase::finishing; }
  [[nodiscard]] bool over() const noexcept { return phase_ == phase::over; }

  enum class step {
    nothing,  // the socket has ended already, or only its linger time changes
    finish,   // write the queues, and nothing else
    end,      // call on_end() now
  };
  // Call when the user closes the socket. A second call sets a new linger time from `now`. Without
  // a linger time, there is no limit. `dropped`: messages that were dropped with their peers so
  // far.
  [[nodiscard]] step on_close(time_point now, std::optional<std::chrono::milliseconds> linger,
                              std::uint64_t dropped) noexcept;
  // The end of the linger time.
  [[nodiscard]] const std::optional<time_point>& next_deadline() const noexcept {
    return deadline_;
  }
  // Returns whether on_end() must be called, even if messages are left.
  [[nodiscard]] bool expired(time_point now) const noexcept {
    return finishing() && deadline_ && *deadline_ <= now;
  }

  // Returns whether an endpoint must connect and reconnect. After the user has closed the socket,
  // only unwritten messages require a connection.
  [[nodiscard]] bool connects(bool unwritten) const noexcept {
    return open() || (finishing() && unwritten);
  }
  // Call when a peer disconnects before it has read everything.
  void on_unread() noexcept { unread_ = true; }

  // Call when the socket ends: no connection is left, the linger time is over, or the context is
  // destroyed. `unwritten`: messages are still queued. `dropped`: as for on_close().
  void on_end(bool unwritten, std::uint64_t dropped) noexcept;
  // The outcome after the end: no error if the peers read everything, errc::timed_out, or
  // errc::connection_lost.
  [[nodiscard]] error_code outcome() const noexcept { return outcome_; }

private:
  enum class phase { open, finishing, over };

  phase phase_ = phase::open;
  bool unread_ = false;
  std::uint64_t dropped_before_ = 0;
  std::optional<time_point> deadline_;
  error_code outcome_;
};

}  // namespace zmtp
