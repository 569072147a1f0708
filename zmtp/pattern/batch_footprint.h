#pragma once
// What messages that were received together, and wait together, pin in memory.

#include "zmtp/buffer/block.h"
#include "zmtp/message.h"

#include <cstddef>
#include <span>

namespace zmtp {

// Those of one read lie behind each other in a block, which counts once.
class batch_footprint {
public:
  explicit batch_footprint(std::span<const message> batch) noexcept : objects_{batch.size_bytes()} {
    const block* last = nullptr;
    for (const auto& m : batch) {
      if (m.tail_block() != nullptr && m.tail_block() != last) {
        last = m.tail_block();
        blocks_ += last->capacity();
      }
      used_ += m.tail().size();
    }
  }

  [[nodiscard]] std::size_t octets() const noexcept { return objects_ + blocks_; }
  // They take less than a quarter of the blocks that they pin: then they are better copied.
  [[nodiscard]] bool wasteful() const noexcept { return used_ < blocks_ / 4; }

private:
  std::size_t objects_;
  std::size_t blocks_ = 0;
  std::size_t used_ = 0;
};

}  // namespace zmtp
