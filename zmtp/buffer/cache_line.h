#pragma once
// The unit in which a processor reads and writes memory.

#include <cstddef>

namespace zmtp {

// In bytes, for common processors. Another size affects only speed.
inline constexpr std::size_t cache_line = 64;

}  // namespace zmtp
