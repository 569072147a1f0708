#include "test/support/allocations.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace zmtp::test {

namespace {

thread_local constinit allocations counts;

void* take(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc{};
  }
  counts.live += malloc_usable_size(memory);
  counts.peak = std::max(counts.peak, counts.live);
  counts.largest = std::max(counts.largest, size);
  ++counts.requests;
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
void operator delete(void* memory) noexcept { zmtp::test::give_back(memory); }
void operator delete[](void* memory) noexcept { zmtp::test::give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { zmtp::test::give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { zmtp::test::give_back(memory); }
