#pragma once
// Memory for blocks. A released block is kept for the next allocation of its size. So a batch of
// messages reuses the pages of the previous batch. The kernel would have to zero new pages.

#include <cstddef>

namespace zmtp::recycled_memory {

// Sizes are powers of two, or one of three steps up to the next power. `beside` is the space for
// the header of a block.
inline constexpr std::size_t beside = 32;
// Larger sizes come from the heap and return to it.
inline constexpr std::size_t largest = 128 * 1024 + beside;
// Bytes that a thread keeps. The limit is `kept`, or half of the bytes in use if that is more, up
// to `kept_at_most`. The thread that releases a block keeps it, whichever thread allocated it.
// Bytes that a thread allocated and did not release itself count as in use.
inline constexpr std::size_t kept = 8 * 1024 * 1024;
inline constexpr std::size_t kept_at_most = 64 * 1024 * 1024;

// Returns uninitialized memory for `size` bytes, aligned for any type. Rounds up by at most a
// quarter, so that nearly equal sizes can reuse each other's memory. Throws std::bad_alloc.
[[nodiscard]] void* allocate(std::size_t size);
// Releases memory. `size` must be the size that was passed to allocate().
void release(void* memory, std::size_t size) noexcept;

}  // namespace zmtp::recycled_memory
