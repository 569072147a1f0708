#include "zmtp/buffer/scratch_block.h"

#include "zmtp/buffer/thread_value.h"

#include <algorithm>
#include <array>

namespace zmtp {

block_ptr scratch_block() {
  auto& scratches = thread_value<std::array<block_ptr, 4>>();
  for (auto& spare : scratches) {
    if (!spare) {
      spare = block_ptr{block::create(block_size::reading)};
    }
    if (spare->unique()) {
      return spare;
    }
  }
  // Messages use all blocks, so replace the oldest. It then belongs to its messages.
  std::rotate(scratches.begin(), scratches.begin() + 1, scratches.end());
  scratches.back() = block_ptr{block::create(block_size::reading)};
  return scratches.back();
}

}  // namespace zmtp
