#pragma once
// The results and counters of sending and receiving, for sockets and proxies.

#include "zmtp/error.h"

#include <array>
#include <cstdint>

namespace zmtp {

// The result of queueing one message.
enum class send_status {
  queued,       // the socket took the message
  full,         // every possible peer is at its high-water mark, or there is none
  unknown,      // no such peer
  out_of_turn,  // REQ: a reply is pending; REP: no request
  too_long,     // XSUB: the topic of a subscription is above limits::topic_size
  closed,       // the socket is closed
  bad_message,  // no parts, or too many to add an envelope
};

// Returns the error of an asynchronous send for this status. No error for `queued`, and for `full`,
// which only waits.
[[nodiscard]] error_code to_error(send_status status) noexcept;

// How a pattern that drops messages treats a peer with a full queue.
enum class if_full {
  report,  // send nothing and return full, so that the shell can write first
  drop,    // drop the message for that peer, and count the drop
};

// Counters of sent, received and dropped messages of the socket.
struct socket_counters {
  std::uint64_t messages_sent = 0;      // queued for a peer
  std::uint64_t messages_received = 0;  // given to the user
  std::uint64_t bytes_sent = 0;         // taken by the kernel, handshakes and commands included
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped_full = 0;           // not queued: the peer's queue was full
  std::uint64_t dropped_over_budget = 0;    // not queued: the peer's queue was at its memory quota
  std::uint64_t dropped_unknown = 0;        // not queued: no such peer
  std::uint64_t dropped_detached = 0;       // queued for a peer that disconnected
  std::uint64_t dropped_closed = 0;         // queued when the linger time ended
  std::uint64_t dropped_unexpected = 0;     // received out of turn, or without an envelope
  std::uint64_t dropped_conflated = 0;      // replaced by a newer message
  std::uint64_t refused_subscriptions = 0;  // above a limit of the connection
  std::uint64_t accept_pauses = 0;  // no file descriptors or no memory for another connection
  std::uint64_t not_reading = 0;    // times that a live peer answered no PING
  // Connections that have ended, by errc.
  std::array<std::uint64_t, errc_count> ended{};
};

// Counters of one side: messages, and bytes of all their parts with envelopes.
struct proxy_traffic {
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
};

// Counters since the proxy was created. Each message that one side received was sent on the other
// side or dropped, except at most one pending message per direction.
struct proxy_statistics {
  proxy_traffic frontend;
  proxy_traffic backend;
  std::uint64_t dropped = 0;  // undeliverable: the peer has disconnected, or REQ/REP order
};

}  // namespace zmtp
