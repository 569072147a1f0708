#include "zmtp/buffer/receive_queue.h"

#include "zmtp/buffer/block_pool.h"

namespace zmtp {

void receive_queue::grow() {
  const auto octets = capacity_ == 0 ? block_pool::small
                      : capacity_ * sizeof(message) < block_pool::large
                          ? block_pool::large
                          : capacity_ * sizeof(message) * 2;
  auto ring = block_pool::take(octets);
  auto* to = reinterpret_cast<message*>(ring->data());
  for (std::size_t i = 0; i < size_; ++i) {
    new (to + i) message{std::move(*slot(i))};
    std::destroy_at(slot(i));
  }
  if (ring_) {
    block_pool::give_back(std::move(ring_));
  }
  ring_ = std::move(ring);
  capacity_ = octets / sizeof(message);
  first_ = 0;
}

void receive_queue::clear() noexcept {
  for (std::size_t i = 0; i < size_; ++i) {
    std::destroy_at(slot(i));
  }
  size_ = 0;
  settled_ = 0;
  octets_ = 0;
  first_ = 0;
  capacity_ = 0;
  if (ring_) {
    block_pool::give_back(std::move(ring_));
  }
}

void receive_queue::settle() {
  for (; settled_ < size_; ++settled_) {
    slot(settled_)->compact();
  }
  if (size_ == 0) {
    clear();
  }
}

}  // namespace zmtp
