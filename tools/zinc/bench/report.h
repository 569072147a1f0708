#pragma once
// The figures of one end of zinc bench, as text and as JSON. Pure.

#include "tools/zinc/bench/latency_histogram.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace zinc::bench {

struct report {
  std::string type;            // the type of the socket
  std::size_t size = 0;        // bytes of each message
  std::uint64_t messages = 0;  // sent by a sender; received, or answered, by others
  // Sent, and neither received nor answered. Ends that only send or answer do not know it.
  std::optional<std::uint64_t> lost{};
  std::chrono::nanoseconds duration{0};  // from the first message to the last
  latency_histogram latency{};           // empty for a sender
};

[[nodiscard]] std::string text_of(const report& one);
[[nodiscard]] std::string json_line_of(const report& one);

}  // namespace zinc::bench
