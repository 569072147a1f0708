#pragma once
// Messages that are to go to another thread, off the read buffers that they came in.

#include "zmtp/buffer/block.h"
#include "zmtp/message.h"

#include <cstddef>

namespace zmtp {

// Copies messages into blocks of their own, one behind the other. Who shares a read buffer with other threads
// shares its count of owners, for which their processors contend with each message; and would pin all of it
// for the sake of one message. What is large is left where it is, if it takes a quarter of that at least.
//
// Thread safety: distinct objects safe, one object not. What was packed may go to any thread.
class message_packer {
public:
  // Above this copying costs more than it saves.
  static constexpr std::size_t largest = 4'096;

  void pack(message& m);

  // What a packed message takes in memory.
  [[nodiscard]] static std::size_t charge(const message& m) noexcept {
    return m.tail().size() > largest ? m.memory_size() : sizeof(message) + m.tail().size();
  }

private:
  static constexpr std::size_t block_size = 64 * 1024;

  block_ptr block_;
  std::size_t used_ = 0;
};

}  // namespace zmtp
