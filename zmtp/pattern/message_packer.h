#pragma once
// Copies messages for another thread out of the read buffers in which they arrived.

#include "zmtp/buffer/block.h"
#include "zmtp/message.h"

#include <cstddef>

namespace zmtp {

// Copies messages into blocks of its own, one after the other. If threads share a read buffer,
// their processors contend for its count of owners with each message, and one message pins the
// whole buffer. A large message stays in its buffer if it uses at least a quarter of it.
//
// Thread safety: distinct objects safe, one object not. A packed message may move to any thread.
class message_packer {
public:
  // Bytes. Copying a larger message costs more than it saves.
  static constexpr std::size_t largest = 4'096;

  void pack(message& m);

  // Returns the memory of a packed message.
  [[nodiscard]] static std::size_t charge(const message& m) noexcept {
    return m.tail().size() > largest ? m.memory_size() : sizeof(message) + m.tail().size();
  }

private:
  static constexpr std::size_t block_size = 64 * 1024;

  block_ptr block_;
  std::size_t used_ = 0;
};

}  // namespace zmtp
