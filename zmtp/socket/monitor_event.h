#pragma once
// What happens to the endpoints and connections of a socket, for people and their tools.

#include "zmtp/error.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/peer_info.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp {

struct monitor_event {
  enum class kind : std::uint8_t {
    listening,             // at an endpoint
    bind_failed,           // … or not: `reason`
    unbound,               // not any more; its connections stay
    accepted,              // a connection came; its handshake begins
    accept_paused,         // newcomers wait in the kernel: `reason`
    connecting,            // an attempt begins
    connected,             // … and has a connection; its handshake begins
    connect_failed,        // … or has none: `reason`
    connect_delayed,       // the next attempt comes after `retry_in`; `reason` ended the last one
    stopped,               // there will be none: reconnect_options said so
    handshake_failed,      // the connection ended before its handshake: `reason`
    refused,               // likewise, because one side turned the other away, or will again
    attached,              // the handshake is over: messages may flow
    detached,              // the connection of an attached peer ended: `reason`
    not_reading,           // a peer's kernel lives, its application answers no PING
    subscription_refused,  // a peer's subscription was above a limit
    closed,                // the socket is closed and all is over: the last event
  };

  kind what = kind::closed;
  std::chrono::steady_clock::time_point at;
  std::string endpoint;  // that was bound or connected to: of a connection, the one it came by
  std::optional<peer_id> peer;  // of one that is or was attached
  // What is known of the peer: the address from the connection on, the rest once it has said it.
  peer_info info;
  error_code reason;
  std::string peer_error;                 // the reason that the peer's ERROR gave
  std::chrono::milliseconds retry_in{0};  // of connect_delayed
  std::uint64_t missed = 0;  // events that were lost since the one before, for want of room
};

// As the enumerator is written.
[[nodiscard]] std::string_view to_string(monitor_event::kind what) noexcept;

}  // namespace zmtp
