#pragma once
// Memory for blocks. What one block leaves is kept for the next of its size: a batch of messages that
// ends gives its pages to the batch that follows, not to the kernel, which would have to zero them again.

#include <cstddef>

namespace zmtp::recycled_memory {

// Sizes are a power of two, or one of three steps on the way to the next, and beside it what a block says
// of itself.
inline constexpr std::size_t beside = 32;
// Sizes above it come from the heap and return to it.
inline constexpr std::size_t largest = 128 * 1024 + beside;
// What a thread keeps, in octets: the first at most, or half of what is in use, if that is more, up to the
// second. It is the thread's that ended the block, whoever made it, and what it took and has not ended
// itself counts as in use.
inline constexpr std::size_t kept = 8 * 1024 * 1024;
inline constexpr std::size_t kept_at_most = 64 * 1024 * 1024;

// Uninitialised memory for `size` octets, aligned for any type; up to a quarter more is taken, so that
// sizes nearly equal can follow one another. Throws std::bad_alloc.
[[nodiscard]] void* allocate(std::size_t size);
// Ends it. `size` as it was asked for.
void release(void* memory, std::size_t size) noexcept;

}  // namespace zmtp::recycled_memory
