#include "test/support/failing_allocations.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace zmtp::test {

namespace {

struct plan {
  bool counting = false;
  std::size_t skipped = 0;  // that still succeed
  std::size_t failing = 0;  // that fail then
  std::size_t failed = 0;
};

thread_local constinit plan now;

bool fails() noexcept {
  if (!now.counting || now.failing == 0) {
    return false;
  }
  if (now.skipped != 0) {
    --now.skipped;
    return false;
  }
  --now.failing;
  ++now.failed;
  return true;
}

void* take(std::size_t size) {
  void* memory = fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc{};
  }
  return memory;
}

}  // namespace

void fail_allocations(std::size_t skipped, std::size_t count) noexcept {
  now = {.counting = now.counting, .skipped = skipped, .failing = count};
}

std::size_t stop_failing_allocations() noexcept {
  return std::exchange(now, {.counting = now.counting}).failed;
}

counting_allocations::counting_allocations() noexcept { now.counting = true; }
counting_allocations::~counting_allocations() { now.counting = false; }

}  // namespace zmtp::test

// Not inline into what allocates, so that the compiler does not take them for the library's.
[[gnu::noinline]] void* operator new(std::size_t size) { return zmtp::test::take(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return zmtp::test::take(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  void* memory = nullptr;
  return !zmtp::test::fails() &&
                 posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) == 0
             ? memory
             : nullptr;
}
