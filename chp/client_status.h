#pragma once
// Status and counters of a client of the clustered hashmap. Plain data.

#include "chp/error.h"
#include "chp/sequence.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace chp {

// Counters of a client since its start.
struct client_counters {
  std::uint64_t updates = 0;      // applied
  std::uint64_t old_updates = 0;  // dropped because of their sequence
  std::uint64_t snapshots = 0;    // adopted
  std::uint64_t gaps = 0;
  std::uint64_t servers_left = 0;  // for any reason
  std::uint64_t resent = 0;        // KVSETs that were sent again to the same server
  std::uint64_t committed = 0;
  std::uint64_t lost = 0;           // committed on one server, and lost with its history
  std::uint64_t lost_unlisted = 0;  // may be lost too, and their keys are not known any more
  std::array<std::uint64_t, errc_count> invalid{};  // ignored messages, by errc
};

// Status of a client.
struct client_status {
  bool ready = false;         // the client has a map
  bool following = false;     // the map is kept up to date; otherwise it is the last copy
  bool degraded = false;      // a server of a pair commits without its peer
  bool acknowledges = false;  // a Zinc server, which answers each update
  std::size_t server = 0;     // index of the current server, in the order of the constructor
  sequence number = 0;        // the last applied update
  std::size_t keys = 0;
  std::size_t bytes = 0;   // bytes, all keys and values
  std::size_t sent = 0;    // updates sent and without an outcome
  std::size_t unsent = 0;  // updates waiting for a server or for the limit
  std::size_t kept = 0;    // updates with an outcome that both servers may not have
  std::size_t asked = 0;   // kept updates whose outcome the followed server has not sent yet
  client_counters counters;
};

}  // namespace chp
