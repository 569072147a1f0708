#pragma once
// The visit of a client at one server: it requests a snapshot, receives it, and follows the
// updates. Pure.

#include "chp/client_options.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace chp {

// The client's states of protocols B18, with reliability.md 3.2, G4: a snapshot counts only if it
// was requested after the first KVPUB or HUGZ, which proves that the subscription is active. The
// first request is sent earlier, because it is the vote that makes a passive server active. A reply
// does not name its request, so the request that counts uses a DEALER of its own.
class server_visit {
public:
  using time_point = std::chrono::steady_clock::time_point;

  enum class phase : std::uint8_t {
    asking,     // nothing of a reply that counts has arrived
    receiving,  // a snapshot that counts
    following,  // updates
  };
  enum class action : std::uint8_t {
    nothing,
    ask,    // send ICANHAZ?
    renew,  // open a new DEALER, whose answers count
    adopt,  // adopt the complete snapshot, or start without one
    leave,  // the server is unresponsive
  };

  explicit server_visit(const client_options& options);

  // Both connections are being made. Each step until the reply may take this part of the time for a
  // reply, or all of it after the first message on the other connection.
  void begin(time_point now, unsigned divisor);
  // The subscriber is connected, and updates are missing: requests another snapshot. Returns renew.
  [[nodiscard]] action begin_again(time_point now);

  // The subscriber is connected. Returns adopt if no snapshot is requested.
  [[nodiscard]] action on_subscriber_attached(time_point now);
  // The DEALER is connected. Returns ask in most cases.
  [[nodiscard]] action on_snapshot_attached(time_point now);
  // A KVPUB or HUGZ has arrived.
  [[nodiscard]] action on_publication(time_point now);
  // A KVSYNC has arrived. Returns false if it does not count.
  [[nodiscard]] bool on_entry(time_point now);
  // A KTHXBAI has arrived.
  [[nodiscard]] action on_end(time_point now);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // If the call is late by more than the timeout, this process was paused. The server then gets the
  // timeout again, so that the client reads pending messages first.
  [[nodiscard]] action on_deadline(time_point now);

  [[nodiscard]] phase at() const noexcept { return phase_; }

private:
  [[nodiscard]] action renew(time_point now);
  void extend_timeout(time_point now) noexcept;
  void give(std::optional<std::chrono::milliseconds> time, time_point now) noexcept;

  std::chrono::milliseconds ask_interval_;
  std::chrono::milliseconds answer_timeout_;
  std::optional<std::chrono::milliseconds> server_ttl_;
  bool asks_;
  phase phase_ = phase::asking;
  bool asked_ = false;   // on this DEALER
  bool counts_ = false;  // replies on this DEALER count
  std::optional<std::chrono::milliseconds> timeout_;
  std::optional<time_point> expiry_;    // when timeout_ ends
  std::optional<time_point> next_ask_;  // while there is no answer
};

}  // namespace chp
