#pragma once
// The peers of a socket: their names inside the process, their properties and counters, and the
// messages received from them.

#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/socket_type.h"

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace zmtp {

// The name of one peer of one socket inside the process, not on the wire. Valid from the attach of
// the peer to its detach, and never reused for another peer. `slot` is a small index for tables.
// `generation` distinguishes successive users of a slot.
struct peer_id {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;

  friend auto operator<=>(const peer_id&, const peer_id&) = default;
};

// The process at the other end of an ipc connection, as the kernel identified it when it connected
// or started to listen. The process may have ended since, and its id may belong to another process.
struct process_credentials {
  std::int32_t pid = 0;  // 0: a process that is not visible in the local pid namespace
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  friend bool operator==(const process_credentials&, const process_credentials&) = default;
};

// A public key of CURVE (Curve25519).
using curve_public_key = std::array<std::byte, 32>;

// A PLAIN client sent these. They prove nothing until an authenticator accepts them.
struct plain_credentials {
  std::string username;
  std::string password;
};

// The peer has proved that it has the secret key.
struct curve_credentials {
  curve_public_key public_key;
};

// The credentials from a peer's handshake. Each security mechanism has its own alternative. NULL,
// and the server of PLAIN, have none.
using credentials = std::variant<std::monostate, plain_credentials, curve_credentials>;

// The properties of a peer after its handshake.
struct peer_info {
  std::optional<socket_type> type;  // empty if the peer did not send a Socket-Type
  std::string routing_id;           // as announced; on a ROUTER the id that addresses the peer
  std::string address;              // transport address: 127.0.0.1:40312, [::1]:40312, /run/a, @a
  metadata properties;
  std::optional<process_credentials> process{};  // only of a peer that is connected over ipc
  std::string mechanism{};  // the security mechanism: NULL, PLAIN, CURVE …; empty over inproc
  std::optional<curve_public_key> public_key{};  // with CURVE: the peer has its secret key
  // From the authenticator of this socket, which the peer cannot choose. Without one, and when the
  // authenticator is asked: the name in the certificate that the peer has shown over TLS, or empty.
  std::string user_id{};
  metadata user_properties{};
};

// Returns `*known`, or an empty peer_info if `known` is null because the peer has disconnected. The
// empty one is never destroyed, so that objects with static lifetime may use it.
[[nodiscard]] inline const peer_info& known_or_empty(const peer_info* known) {
  static const auto& empty = *new const peer_info;
  return known != nullptr ? *known : empty;
}

// Counters of the messages to and from one peer, and of its dropped messages by cause. For an
// endpoint that the socket connects to, these include all its connections.
struct peer_counters {
  std::uint64_t messages_sent = 0;      // queued for the peer
  std::uint64_t messages_received = 0;  // given to the user
  std::uint64_t bytes_sent = 0;         // taken by the kernel, commands included
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped_full = 0;         // not queued: the peer's queue was full
  std::uint64_t dropped_over_budget = 0;  // not queued: the peer's queue was at its memory quota
  std::uint64_t dropped_unexpected = 0;   // received, but not valid for the pattern
  std::uint64_t not_reading = 0;          // times that the peer was alive and answered no PING
};

// A snapshot of a peer of a socket.
struct peer_status {
  peer_id id;
  peer_info info;
  peer_counters counters;
  std::size_t messages_to_send = 0;  // queued, and not taken whole by the kernel
  std::size_t bytes_to_send = 0;
  std::size_t messages_to_receive = 0;  // not received by the user yet
  std::size_t bytes_to_receive = 0;     // with the objects that hold the messages
  std::chrono::steady_clock::time_point attached_at;
};

// A received item of a socket with addressable peers: the peer, and the message.
struct routed_message {
  enum class kind : std::uint8_t {
    message,
    attached,  // the peer can be sent to from now on; comes before its first message
    detached,  // the peer has disconnected; comes after its last message
  };

  kind what = kind::message;
  peer_id peer;
  message content;  // without parts unless `what` is message
};

}  // namespace zmtp

template <>
struct std::hash<zmtp::peer_id> {
  std::size_t operator()(zmtp::peer_id id) const noexcept {
    return std::hash<std::uint64_t>{}(std::uint64_t{id.generation} << 32 | id.slot);
  }
};
