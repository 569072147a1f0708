#include "zmtp/buffer/receive_queue.h"

#include <bit>

namespace zmtp {

namespace {

// Returns a usual block size, or above those a power of two.
std::size_t ring_size(std::size_t messages) noexcept {
  const auto bytes = messages * sizeof(message);
  return bytes <= block_size::small   ? block_size::small
         : bytes <= block_size::large ? block_size::large
                                      : std::bit_ceil(bytes);
}

}  // namespace

void receive_queue::grow() {
  // A ring that is full doubles. A new ring starts with the size that the previous one needed.
  const auto bytes = ring_size(capacity_ == 0 ? std::exchange(peak_, 0) : capacity_ + 1);
  block_ptr ring{block::create(bytes)};
  auto* to = reinterpret_cast<message*>(ring->data());
  for (std::size_t i = 0; i < size_; ++i) {
    new (to + i) message{std::move(*slot(i))};
    std::destroy_at(slot(i));
  }
  ring_ = std::move(ring);
  capacity_ = bytes / sizeof(message);
  first_ = 0;
}

void receive_queue::charge_large(const message& m) noexcept {
  account_->subtract(m.tail().size());
  if (m.tail_block()->enter_queue()) {
    account_->add(m.tail_block()->capacity());
  }
}

void receive_queue::discharge_large(const message& m) noexcept {
  account_->subtract(sizeof(message));
  if (m.tail_block()->leave_queue()) {
    account_->subtract(m.tail_block()->capacity());
  }
}

void receive_queue::clear() noexcept {
  for (std::size_t i = 0; i < size_; ++i) {
    discharge(*slot(i), i < compacted_);
    std::destroy_at(slot(i));
  }
  size_ = 0;
  compacted_ = 0;
  bytes_ = 0;
  first_ = 0;
  capacity_ = 0;
  ring_ = block_ptr{};
}

void receive_queue::compact() {
  for (; compacted_ < size_; ++compacted_) {
    auto& m = *slot(compacted_);
    m.compact();
    if (account_ != nullptr && is_large(m)) {
      charge_large(m);
    }
  }
  if (size_ == 0) {
    clear();
  }
}

}  // namespace zmtp
