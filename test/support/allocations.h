#pragma once
// Counts what `new` hands out in this program. Linking it replaces the global operators.

#include <cstddef>

namespace zmtp::test {

struct allocations {
  std::size_t live = 0;      // bytes in use
  std::size_t peak = 0;      // the most of them since the last reset_peak()
  std::size_t largest = 0;   // the largest single request since then
  std::size_t requests = 0;  // how many there were, ever
};

// Returns the counters of this thread.
[[nodiscard]] const allocations& counted() noexcept;
void reset_peak() noexcept;

}  // namespace zmtp::test
