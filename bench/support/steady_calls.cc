#include "bench/support/steady_calls.h"

#include <cinttypes>
#include <cstdio>

namespace bench {

void print_answer(std::uint64_t number) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const std::int64_t microseconds = std::chrono::floor<std::chrono::microseconds>(now).count();
  std::printf("answer %" PRIu64 ": %" PRId64 " [us]\n", number, microseconds);
  std::fflush(stdout);
}

}  // namespace bench
