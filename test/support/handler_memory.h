#pragma once
// Counts how often Asio asks for memory for handlers and coroutines, which it does not get from `new`. Linking
// it replaces std::aligned_alloc.

#include <cstddef>

namespace zmtp::test {

// Returns the requests of this thread since its start. Memory that Asio reuses does not count; Asio
// keeps it for one run() of a context.
[[nodiscard]] std::size_t handler_memory_requests() noexcept;

}  // namespace zmtp::test
