#pragma once
// The long forms of tests, which take minutes: tools/test --long. A full test is several parts, each with other random
// numbers, and tools/test --part N runs one of them: ZINC_LONG=N.

#include <cstdint>
#include <cstdlib>

namespace zmtp::test {

// The number of the part, from 1. Returns 0 for the short form.
[[nodiscard]] inline std::uint64_t long_part() {
  const char* const value = std::getenv("ZINC_LONG");
  return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
}

[[nodiscard]] inline bool long_run() { return long_part() != 0; }

}  // namespace zmtp::test
