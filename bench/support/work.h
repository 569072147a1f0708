#pragma once
// The work on each message in the programs that measure how subscribers share work.

#include <chrono>
#include <cstdint>

namespace bench {

// Keeps the thread busy for this time.
inline void work_for(std::uint64_t nanoseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds{nanoseconds};
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace bench
