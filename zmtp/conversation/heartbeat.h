#pragma once
// Decides when to send a PING to a peer that sends nothing, when the peer is dead, and which PINGs of
// the peer to answer. Pure.

#include "zmtp/command.h"
#include "zmtp/error.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp {

// Sends a PING after heartbeat_options::interval without a byte, or after the TTL that the peer
// sent. Judges the peer only if no byte follows. If the peer's kernel acknowledges data, the peer
// is alive but its application does not read.
class heartbeat {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = time_point::duration;

  // The state of TCP acknowledgements.
  struct acknowledgement {
    std::uint64_t bytes = 0;  // bytes that the peer's kernel has acknowledged so far
    bool complete = true;     // everything is acknowledged, and window probes are answered
  };
  enum class action {
    none,
    ping,         // send PING
    not_reading,  // alive but not answering; reported once per period without data
    dead,         // nothing was acknowledged within the timeout
    timed_out,    // strict: no answer within the timeout, whatever TCP reports
    expired,      // strict: no byte within the peer's TTL
  };

  // Keeps references to both; changes of their values apply immediately.
  heartbeat(const heartbeat_options& options, const limits& limit) noexcept
      : options_{&options}, limit_{&limit} {}

  // Call when traffic starts. `asks`: the peer knows PING (ZMTP 3.1).
  void start(time_point now, bool asks) noexcept;
  void stop() noexcept { due_.reset(); }

  // Call for any received bytes. Does not move the deadline, which is cheap; on_deadline() detects
  // that it is early.
  void on_bytes(time_point now) noexcept {
    last_ = now;
    if (asked_at_) {
      answered();
    }
  }
  // Call after a change of the options. They apply to the current period without data.
  void on_options() noexcept {
    if (!asked_at_) {
      wait_for_silence();
    }
  }
  // Call for a PING of the peer. Returns the context for the PONG, which is a view into `ping`. From
  // now on the TTL applies to the peer, unless it is zero.
  // Errors: errc::ping_flood.
  [[nodiscard]] result<std::string_view> on_ping(time_point now,
                                                 const command::ping& ping) noexcept;
  // Starts a test of the peer now. After two seconds, on_deadline() decides by TCP alone.
  [[nodiscard]] action probe(time_point now, const acknowledgement& acknowledged) noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept { return due_; }
  // Call at next_deadline(), after a read of everything that the kernel has received.
  [[nodiscard]] action on_deadline(time_point now, const acknowledgement& acknowledged) noexcept;

private:
  void answered() noexcept;
  [[nodiscard]] std::optional<duration> allowed_silence() const noexcept;
  [[nodiscard]] bool expired(time_point now) const noexcept;
  void wait_for_silence() noexcept;
  [[nodiscard]] action ask(time_point now, duration timeout,
                           const acknowledgement& acknowledged) noexcept;
  [[nodiscard]] action decide(time_point now, const acknowledgement& acknowledged) noexcept;
  void look_again(time_point now, duration timeout) noexcept;

  const heartbeat_options* options_;
  const limits* limit_;
  bool asks_ = false;                   // the peer gets a PING each interval
  bool knows_ping_ = false;             // … or at least understands PING
  bool probing_ = false;                // probe() sent the pending PING
  bool reported_ = false;               // not_reading was reported
  bool outstanding_ = false;            // unacknowledged bytes at the last check
  std::uint64_t bytes_ = 0;             // acknowledged bytes at the last check
  duration ttl_{};                      // zero: none
  duration timeout_{};                  // time between two checks
  time_point last_;                     // time of the last byte
  std::optional<time_point> asked_at_;  // time of the PING, while no byte has followed
  std::optional<time_point> due_;
  time_point second_{};  // start of the second in which PINGs of the peer are counted
  unsigned pings_ = 0;   // … and their number
};

}  // namespace zmtp
