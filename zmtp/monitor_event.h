#pragma once
// An event of an endpoint or a connection of a socket, for people and their tools.

#include "zmtp/error.h"
#include "zmtp/peer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp {

struct monitor_event {
  enum class kind : std::uint8_t {
    listening,             // the socket listens at an endpoint
    bind_failed,           // the socket could not bind, see `reason`
    unbound,               // stopped listening; its connections remain
    accepted,              // accepted a connection; its handshake starts
    accept_paused,         // accepting pauses, see `reason`; connections wait in the kernel
    connecting,            // a connection attempt starts
    connected,             // an attempt succeeded; the handshake starts
    connect_failed,        // an attempt failed, see `reason`
    connect_delayed,       // the next attempt starts in `retry_in`; `reason` ended the last one
    stopped,               // reconnect_options stopped all retries
    handshake_failed,      // the connection ended before its handshake was complete, see `reason`
    refused,               // like handshake_failed: one side rejected the other and would again
    attached,              // the handshake is complete; messages may flow
    detached,              // the connection of an attached peer ended, see `reason`
    not_reading,           // the peer's host is alive, but its application answers no PING
    subscription_refused,  // a peer's subscription exceeded a limit
    certificate_kept,      // changed files of TLS have a fault, see `reason`: the old ones stay
    closed,                // the last event: the socket has ended
  };

  kind what = kind::closed;
  std::chrono::steady_clock::time_point at;
  std::string endpoint;  // as passed to bind() or connect(); a connection has that of its origin
  std::optional<peer_id> peer;  // only of a peer that is or was attached
  // Properties of the peer. The address is known from the start of the connection, the rest after
  // the handshake.
  peer_info info;
  error_code reason;
  std::string peer_error;                 // the reason in the peer's ERROR
  std::chrono::milliseconds retry_in{0};  // only of connect_delayed
  std::uint64_t missed = 0;               // events lost directly before this one
};

// Returns the name of the enumerator.
[[nodiscard]] std::string_view to_string(monitor_event::kind what) noexcept;

}  // namespace zmtp
