#pragma once
// Blocks that are used for the length of a turn and then by the next connection, so that the steady
// state allocates nothing and an idle connection owns nothing.

#include "zmtp/buffer/block.h"

#include <cstddef>

namespace zmtp::block_pool {

inline constexpr std::size_t small = 4 * 1024;
inline constexpr std::size_t large = 64 * 1024;
inline constexpr std::size_t largest = 128 * 1024;
inline constexpr std::size_t reading = 256 * 1024;

// A block to read into, of `reading` octets: the same one each time while no message keeps a slice of
// it, else one of a few that messages have let go of.
[[nodiscard]] block_ptr scratch();

// A block with one owner; of the first three sizes above it costs no allocation in the steady state.
[[nodiscard]] block_ptr take(std::size_t capacity);
// Gives a block back, whatever its size; kept for take() if it is of a pooled size and nobody else
// owns it.
void give_back(block_ptr memory) noexcept;

}  // namespace zmtp::block_pool
