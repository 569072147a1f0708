#pragma once
// Counters of the messages to and from one peer, and of its dropped messages by cause.

#include <cstdint>

namespace zmtp {

// For an endpoint that the socket connects to, these include all its connections.
struct peer_counters {
  std::uint64_t messages_sent = 0;      // queued for the peer
  std::uint64_t messages_received = 0;  // given to the user
  std::uint64_t octets_sent = 0;        // taken by the kernel, commands included
  std::uint64_t octets_received = 0;
  std::uint64_t dropped_full = 0;         // not queued: the peer's queue was full
  std::uint64_t dropped_over_budget = 0;  // not queued: the peer's queue was at its memory quota
  std::uint64_t dropped_unexpected = 0;   // received, but not valid for the pattern
  std::uint64_t not_reading = 0;          // times that the peer was alive and answered no PING
};

}  // namespace zmtp
