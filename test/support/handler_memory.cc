#include "test/support/handler_memory.h"

#include <algorithm>
#include <cstdlib>

namespace zmtp::test {

namespace {

thread_local constinit std::size_t requests = 0;

}  // namespace

std::size_t handler_memory_requests() noexcept { return requests; }

}  // namespace zmtp::test

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++zmtp::test::requests;
  void* memory = nullptr;
  return posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) == 0 ? memory : nullptr;
}
