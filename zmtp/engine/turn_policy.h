#pragma once
// When a socket writes in a turn, to how many peers, and when another turn or spinning follows. Pure.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zmtp {

// Turns may be nested. Only the outermost one begins and ends here.
class turn_policy {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Rounds of one turn before others on the executor run.
  static constexpr int max_rounds = 16;
  // Peers that one turn writes to before others on the executor run. While the user sends more,
  // only a few, so that messages to the other peers gather and need fewer writes.
  static constexpr std::size_t max_peers = 64;
  static constexpr std::size_t few_peers = 8;
  // A turn that begins this soon after another one follows at once: several connections were ready
  // together. One write then sends all messages of these turns for one peer, in a turn that is
  // posted after them.
  static constexpr std::chrono::microseconds together{3};
  // While the user sends more, messages of several turns gather for this long and need one write.
  static constexpr std::chrono::microseconds gathering{20};

  [[nodiscard]] bool running() const noexcept { return depth_ != 0; }
  // The number of the turn, or of the flush outside a turn. A peer is written to once per number.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  // Returns whether this is the outermost turn. Call begin() then.
  [[nodiscard]] bool enter() noexcept { return ++depth_ == 1; }
  // After the outermost turn: serve the operations and call end().
  void leave() noexcept { --depth_; }
  // `now` is not used with peers in this process, because they need no write.
  void begin(time_point now, bool peers_in_process) noexcept {
    ++number_;
    follows_at_once_ = !peers_in_process && now - ended_ < together;
    if (peers_in_process) {
      unwritten_since_.reset();
    } else if (!unwritten_since_) {
      unwritten_since_ = now;
    }
  }
  // A flush outside a turn has a number of its own, and may write to each peer again.
  void begin_flush() noexcept { number_ += running() ? 0U : 1U; }

  struct facts {
    bool more;          // an operation has completed, or a peer was resumed or ended
    bool to_write;      // a peer has queued messages
    bool sender_waits;  // for space in a queue
    bool open;          // the user has not closed the socket
    time_point now;     // not used if nothing more can be done
  };
  // Call after the rounds of the outermost turn. Returns the number of peers to write to now: 0,
  // few_peers or max_peers.
  [[nodiscard]] std::size_t writes(const facts& f) noexcept {
    // If the kernel takes bytes, waiting send operations can continue.
    promising_ = f.to_write && f.sender_waits;
    const bool later = posted_ || follows_at_once_;
    if (later && !f.more && !promising_ && f.open) {
      return 0;
    }
    if (f.more && f.open && unwritten_since_ && f.now - *unwritten_since_ < gathering) {
      return 0;
    }
    unwritten_since_.reset();
    return f.more ? few_peers : max_peers;
  }
  // Call after the writes. Returns whether another turn must be posted.
  [[nodiscard]] bool end(bool more, bool to_write, time_point now) noexcept {
    ended_ = now;
    return more || promising_ || to_write;
  }

  // Returns whether a turn is posted already.
  [[nodiscard]] bool posted() const noexcept { return posted_; }
  void on_posted() noexcept { posted_ = true; }
  // Call when the posted turn runs. Others had their turn before it, so it writes.
  void on_posted_turn() noexcept {
    posted_ = false;
    ended_ = {};
  }

  // Returns whether to post a handler that does nothing, so that the executor's thread polls and
  // does not sleep. Exactly one handler is posted, for `spin` after the last turn.
  [[nodiscard]] bool spins(time_point now, std::chrono::nanoseconds spin,
                           bool open) const noexcept {
    return !spinning_ && open && now - ended_ < spin;
  }
  void on_spin(bool posted) noexcept { spinning_ = posted; }

private:
  int depth_ = 0;
  bool follows_at_once_ = false;  // the turn began directly after another one
  bool promising_ = false;        // a write may let a waiting sender continue
  bool posted_ = false;
  bool spinning_ = false;  // a handler keeps the thread awake
  std::uint64_t number_ = 0;
  time_point ended_;  // the end of the last turn, or zero after a posted turn began
  // The begin of the first turn after the last write. Empty with peers in this process.
  std::optional<time_point> unwritten_since_;
};

}  // namespace zmtp
