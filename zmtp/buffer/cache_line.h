#pragma once
// What the processor reads and writes at once.

#include <cstddef>

namespace zmtp {

// Octets. Of the processors that we know; another size costs time, and nothing else.
inline constexpr std::size_t cache_line = 64;

}  // namespace zmtp
