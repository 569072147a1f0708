#pragma once
// Counters of an HTTP server, and their figures. Pure.

#include "zmtp/figure.h"

#include <cstddef>
#include <cstdint>

namespace zinc::http {

struct counters {
  std::uint64_t connections = 0;   // accepted
  std::uint64_t responses = 0;     // with any status
  std::uint64_t bad_requests = 0;  // answered by 400, 408, 413, 431 or 505
  std::uint64_t evicted = 0;       // closed for another connection, at the limit
  std::uint64_t refused = 0;       // closed at once, at the limit
  std::uint64_t slow_readers = 0;  // closed because they did not read a response in time
  std::size_t open = 0;
  std::size_t pages = 0;
};

// The counters as a record, for the report of the component.
[[nodiscard]] zmtp::figure_record figures_of(const counters& of);

}  // namespace zinc::http
