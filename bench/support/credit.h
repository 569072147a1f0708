#pragma once
// Publishers of nng and NATS drop what a subscriber does not take in time. So the publisher has a limited number of
// messages on their way, and the subscriber tells it when half of these have come.

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace bench {

inline constexpr std::string_view more_credit = "more";

// How many messages the publisher may send for one credit. It begins with two credits. `deliveries_on_their_way` are
// those to all connections together.
constexpr std::uint64_t messages_per_credit(std::uint64_t deliveries_on_their_way,
                                            std::uint64_t peers) {
  return std::max<std::uint64_t>(1, deliveries_on_their_way / 2 / peers);
}

}  // namespace bench
