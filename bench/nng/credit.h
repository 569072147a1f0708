#pragma once
// A PUB of nng drops what its buffer of a connection has no room for, and a SUB what its own has none for. So the
// publisher has a limited number of messages on their way, and the subscriber tells it when half of these have come.

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace bench::nng {

// The most messages that nng lets a socket buffer.
inline constexpr int largest_buffer = 8192;
// Messages on their way to all connections together. The rest of the buffer is for the last probes.
inline constexpr std::uint64_t deliveries_on_their_way = largest_buffer / 2;
inline constexpr std::string_view more_credit = "more";

// How many messages the publisher may send for one credit. It begins with two credits.
constexpr std::uint64_t messages_per_credit(std::uint64_t peers) {
  return std::max<std::uint64_t>(1, deliveries_on_their_way / 2 / peers);
}

}  // namespace bench::nng
