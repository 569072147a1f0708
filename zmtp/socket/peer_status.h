#pragma once
// A snapshot of a peer of a socket.

#include "zmtp/routing/peer_counters.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/peer_info.h"

#include <chrono>
#include <cstddef>

namespace zmtp {

struct peer_status {
  peer_id id;
  peer_info info;
  peer_counters counters;
  std::size_t messages_to_send = 0;  // queued, and not taken whole by the kernel
  std::size_t octets_to_send = 0;
  std::size_t messages_to_receive = 0;  // not received by the user yet
  std::size_t octets_to_receive = 0;    // with the objects that hold the messages
  std::chrono::steady_clock::time_point attached_at;
};

}  // namespace zmtp
