#pragma once
// What one peer has sent and was sent, and what was lost of it, by cause.

#include <cstdint>

namespace zmtp {

// Of an endpoint that we connect to, over all its connections.
struct peer_counters {
  std::uint64_t messages_sent = 0;      // queued for it
  std::uint64_t messages_received = 0;  // given to the user
  std::uint64_t octets_sent = 0;        // that the kernel took, commands included
  std::uint64_t octets_received = 0;
  std::uint64_t dropped_full = 0;         // not queued: its queue was full
  std::uint64_t dropped_over_budget = 0;  // not queued: its queue had what the process allows each
  std::uint64_t dropped_unexpected = 0;   // came where the pattern has no use for it
  std::uint64_t not_reading = 0;          // times that it lived and answered no PING
};

}  // namespace zmtp
