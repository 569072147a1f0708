#pragma once
// Counts how often Asio asks for memory for handlers and coroutines, which it does not get from `new`. Linking
// it replaces std::aligned_alloc.

#include <cstddef>

namespace zmtp::test {

// Of this thread, ever. What Asio uses again is not asked for; what it keeps for that lasts as long as one
// run() of a context.
[[nodiscard]] std::size_t handler_memory_requests() noexcept;

}  // namespace zmtp::test
