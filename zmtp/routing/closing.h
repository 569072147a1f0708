#pragma once
// The end of a socket: what goes on once the user has closed it, for how long, and what it came to.

#include "zmtp/error.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace zmtp {

class closing {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // The user has not closed it yet.
  [[nodiscard]] bool open() const noexcept { return phase_ == phase::open; }
  // He has, and what is queued is written, until that has been read or the linger time is over.
  [[nodiscard]] bool finishing() const noexcept { return phase_ == phase::finishing; }
  [[nodiscard]] bool over() const noexcept { return phase_ == phase::over; }

  enum class step {
    nothing,  // it is over already, or goes on for another linger time
    finish,   // what is queued is written, and nothing else
    end,      // on_end(), now
  };
  // The user closes it; once more: for this linger time from now. Without one, for as long as it takes.
  // `dropped`: messages that have gone with their peers.
  [[nodiscard]] step on_close(time_point now, std::optional<std::chrono::milliseconds> linger,
                              std::uint64_t dropped) noexcept;
  // When the linger time is over.
  [[nodiscard]] const std::optional<time_point>& next_deadline() const noexcept {
    return deadline_;
  }
  // on_end() is to be called, however much is left.
  [[nodiscard]] bool expired(time_point now) const noexcept {
    return finishing() && deadline_ && *deadline_ <= now;
  }

  // Whether an endpoint is to be connected, and connected again: once the socket is closed, only for what is
  // left to write.
  [[nodiscard]] bool connects(bool unwritten) const noexcept {
    return open() || (finishing() && unwritten);
  }
  // A peer went while this finishes, without having read to the end.
  void on_unread() noexcept { unread_ = true; }

  // All is over: nobody is there any more, or the linger time was over before, or the context goes down.
  // `unwritten`: something is still queued; `dropped` as above.
  void on_end(bool unwritten, std::uint64_t dropped) noexcept;
  // What it came to, once it is over: nothing if all was written and read, errc::timed_out,
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
