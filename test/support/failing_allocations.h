#pragma once
// Makes requests for memory fail, those of `new` and those of Asio for handlers. Linking it replaces the global
// operators and std::aligned_alloc.

#include <cstddef>

namespace zmtp::test {

// Lets the next `skipped` requests of this thread succeed, then `count` fail. Only requests within the scope of a
// counting_allocations count. Each call replaces the settings of the call before.
void fail_allocations(std::size_t skipped, std::size_t count) noexcept;
// Nothing fails any more. Returns how many have failed.
std::size_t stop_failing_allocations() noexcept;

// The scope in which requests of this thread count, and may fail.
class counting_allocations {
public:
  counting_allocations() noexcept;
  counting_allocations(const counting_allocations&) = delete;
  counting_allocations& operator=(const counting_allocations&) = delete;
  ~counting_allocations();
};

}  // namespace zmtp::test
