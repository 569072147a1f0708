#include "test/support/allocations.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace zmtp::test {

namespace {

thread_local constinit allocations counts;

// Nothing if there is none left.
void* try_take(std::size_t size) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    return nullptr;
  }
  counts.live += malloc_usable_size(memory);
  counts.peak = std::max(counts.peak, counts.live);
  counts.largest = std::max(counts.largest, size);
  ++counts.requests;
  return memory;
}

void* take(std::size_t size) {
  void* memory = try_take(size);
  if (memory == nullptr) {
    throw std::bad_alloc{};
  }
  return memory;
}

void give_back(void* memory) noexcept {
  if (memory != nullptr) {
    counts.live -= malloc_usable_size(memory);
    std::free(memory);
  }
}

}  // namespace

const allocations& counted() noexcept { return counts; }

void reset_peak() noexcept {
  counts.peak = counts.live;
  counts.largest = 0;
}

}  // namespace zmtp::test

void* operator new(std::size_t size) { return zmtp::test::take(size); }
void* operator new[](std::size_t size) { return zmtp::test::take(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return zmtp::test::try_take(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return zmtp::test::try_take(size);
}
void operator delete(void* memory) noexcept { zmtp::test::give_back(memory); }
void operator delete[](void* memory) noexcept { zmtp::test::give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { zmtp::test::give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { zmtp::test::give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  zmtp::test::give_back(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  zmtp::test::give_back(memory);
}
