#pragma once
// Decides when a peer gets a heartbeat and when a peer is dead, and postpones such verdicts after a
// pause of this process. Pure.

#include <chrono>
#include <optional>

namespace zmtp {

// A process that handles a deadline more than `grace` late was paused, for example by SIGSTOP.
// Messages of live peers may be pending then, and must be read before a peer is judged. In this
// case, returns another deadline: `now` plus the grace. Otherwise returns nothing, and the caller
// acts on the deadline.
[[nodiscard]] std::optional<std::chrono::steady_clock::time_point> postponed(
    std::chrono::steady_clock::time_point due, std::chrono::milliseconds grace,
    std::chrono::steady_clock::time_point now) noexcept;

// Judges peers that send heartbeats. A peer is dead after a number of intervals without a message.
// The grace after a pause is one interval, for all peers.
class liveness {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // The last message in each direction.
  struct times {
    time_point received{};
    time_point sent{};
  };

  // Less than one millisecond, or less than one interval, counts as one.
  liveness(std::chrono::milliseconds interval, unsigned intervals) noexcept;

  // Call it for each deadline, before the verdicts. `due` is the time at which the deadline was due.
  void on_deadline(time_point due, time_point now) noexcept;

  // Returns when the next heartbeat is due.
  [[nodiscard]] time_point heartbeat_at(const times& peer) const noexcept {
    return peer.sent + interval_;
  }
  // Returns when the peer is dead if it sends nothing more.
  [[nodiscard]] time_point dead_at(const times& peer) const noexcept {
    return verdict_at(peer.received + silence_);
  }
  // Returns when another verdict that is due at `due` may be given.
  [[nodiscard]] time_point verdict_at(time_point due) const noexcept {
    return due < earliest_verdict_ ? earliest_verdict_ : due;
  }

private:
  std::chrono::milliseconds interval_;
  std::chrono::milliseconds silence_;
  time_point earliest_verdict_{};
};

}  // namespace zmtp
