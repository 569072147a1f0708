#pragma once
// How a publisher and a subscriber of NATS meet; bench/support/fan_out.h has the rest.

#include <cstdint>
#include <string_view>

namespace bench::nats {

// The subjects of the published messages, and of the words of the subscriber to the publisher.
inline constexpr std::string_view data_subject = "data";
inline constexpr std::string_view control_subject = "control";

// A server drops a client that has not read 64 MiB. So at most 4 MiB are on their way.
constexpr std::uint64_t deliveries_on_their_way(std::uint64_t size) {
  return 4 * 1024 * 1024 / size;
}

}  // namespace bench::nats
