#include "zmtp/pattern/message_packer.h"

#include <algorithm>
#include <span>

namespace zmtp {

void message_packer::pack(message& m) {
  const auto size = m.framed_size();
  if (m.tail_block() == nullptr) {
    return;
  }
  if (m.tail().size() > largest) {
    m.compact();
    return;
  }
  if (!block_ || block_->capacity() - used_ < size) {
    block_ = block_ptr{block::create(block_size)};
    used_ = 0;
  }
  // No other thread has a reference to these bytes yet.
  auto* const begin = block_->data() + used_;
  const auto head = m.head();
  const auto tail = m.tail();
  std::copy(tail.begin(), tail.end(), std::copy(head.begin(), head.end(), begin));
  used_ += size;
  m = message{block_, std::span{begin, size}, m.part_count()};
}

}  // namespace zmtp
