#pragma once
// Counts how often this program reads from and writes to sockets. Linking it replaces the C library's
// calls.

#include <cstddef>
#include <span>

namespace zmtp::test {

struct descriptor_calls {
  std::size_t reads = 0;
  std::size_t writes = 0;
  std::size_t read_octets = 0;
  std::size_t written_octets = 0;
};

// Of this thread since the last reset, by descriptor.
[[nodiscard]] std::span<const descriptor_calls> counted_calls() noexcept;
void reset_counted_calls() noexcept;

}  // namespace zmtp::test
