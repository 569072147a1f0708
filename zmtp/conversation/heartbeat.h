#pragma once
// When to ask a silent peer whether it still lives, and what to make of the answer (reliability: the
// half-open peer). Pure.

#include "zmtp/options.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace zmtp {

// A peer is asked (PING) once it has been silent for heartbeat_options::interval, or for the TTL that
// it gave us itself; it is judged only if not an octet follows. What its kernel acknowledges says that
// it lives and does not read.
class heartbeat {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = time_point::duration;

  // What TCP says of what was written.
  struct acknowledgement {
    std::uint64_t octets = 0;  // how many the peer's kernel has acknowledged, ever
    bool complete = true;      // it has acknowledged all, and answers where it is asked for room
  };
  enum class action {
    none,
    ping,         // send PING
    not_reading,  // the peer lives and does not answer: said once for each silence
    dead,         // nothing was acknowledged for all that time
    timed_out,    // strict: not answered, whatever TCP says
    expired,      // strict: silent for longer than its TTL
  };

  explicit heartbeat(const heartbeat_options& options) noexcept : options_{&options} {}

  // Traffic begins. `asks`: the peer knows PING, which came with ZMTP 3.1.
  void start(time_point now, bool asks) noexcept;
  void stop() noexcept { due_.reset(); }

  // Any octet is life. Costs next to nothing: a deadline that it defers stays, and is found to be early.
  void on_octets(time_point now) noexcept {
    last_ = now;
    if (asked_at_) {
      answered();
    }
  }
  // The options have changed: a silence that has begun is judged by them.
  void on_options() noexcept {
    if (!asked_at_) {
      wait_for_silence();
    }
  }
  // The peer's PING: from now on it may be judged by `ttl`, if that is not zero.
  void on_ping(heartbeat_options::deciseconds ttl) noexcept;
  // The peer is to be asked now, and judged after two seconds by TCP alone.
  [[nodiscard]] action probe(time_point now, const acknowledgement& acknowledged) noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept { return due_; }
  // At next_deadline(), after what waits in the kernel was read.
  [[nodiscard]] action on_deadline(time_point now, const acknowledgement& acknowledged) noexcept;

private:
  void answered() noexcept;
  [[nodiscard]] std::optional<duration> allowed_silence() const noexcept;
  [[nodiscard]] bool expired(time_point now) const noexcept;
  void wait_for_silence() noexcept;
  [[nodiscard]] action ask(time_point now, duration patience,
                           const acknowledgement& acknowledged) noexcept;
  [[nodiscard]] action judge(time_point now, const acknowledgement& acknowledged) noexcept;
  void look_again(time_point now, duration patience) noexcept;

  const heartbeat_options* options_;
  bool asks_ = false;                   // the peer is asked each interval
  bool knows_ping_ = false;             // … or at least understands it
  bool probing_ = false;                // what was asked was asked by probe()
  bool reported_ = false;               // not_reading was said
  bool outstanding_ = false;            // something was unacknowledged at the last look
  std::uint64_t octets_ = 0;            // that were acknowledged at the last look
  duration ttl_{};                      // zero: none
  duration patience_{};                 // from one look to the next
  time_point last_;                     // octet
  std::optional<time_point> asked_at_;  // and not an octet since
  std::optional<time_point> due_;
};

}  // namespace zmtp
