#pragma once
// What a client of the clustered hashmap knows of itself, for people. Plain.

#include "chp/error.h"
#include "chp/sequence.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace chp {

struct client_counters {
  std::uint64_t updates = 0;      // that were applied
  std::uint64_t old_updates = 0;  // that were discarded for their sequence
  std::uint64_t snapshots = 0;    // that were taken
  std::uint64_t gaps = 0;
  std::uint64_t servers_left = 0;  // whatever the reason
  std::uint64_t resent = 0;        // KVSETs that were sent again to one that had them perhaps
  std::uint64_t committed = 0;
  std::array<std::uint64_t, errc_count> invalid{};  // messages that were ignored, by errc
};

struct client_status {
  bool ready = false;  // there is a map
  bool following =
      false;  // … that is kept up to date now; otherwise it is as it was when last it was
  bool degraded = false;  // one of a pair commits without the other one
  bool acknowledges =
      false;               // the server is of this project: committed is what its backup has, too
  std::size_t server = 0;  // the one that is followed or turned to, in the order of the constructor
  sequence number = 0;     // of the last update
  std::size_t keys = 0;
  std::size_t octets = 0;  // of keys and values
  std::size_t sent = 0;    // updates that are not committed
  std::size_t unsent = 0;  // … and those that wait for room or for a server
  client_counters counters;
};

}  // namespace chp
