#pragma once
// What has been read from one peer and not been decoded yet.

#include "zmtp/buffer/block.h"

#include <cstddef>
#include <span>

namespace zmtp {

// Reads go to the pool's block for reading, where they are decoded in place: a peer of which nothing
// waits owns no memory. A message larger than that block gets one of its own, which grows as its octets
// arrive.
class read_buffer {
public:
  // Where to read to. `needed`: of what waits and what is to come, so many octets have to lie in one
  // piece; the peer says so, and is trusted with a mebibyte before the octets come. Valid until the next
  // call of any member but commit().
  [[nodiscard]] std::span<std::byte> prepare(std::size_t needed);
  void commit(std::size_t count) noexcept { end_ += count; }

  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::span<std::byte> undecoded() const noexcept {
    return {memory_ ? memory_->data() + begin_ : nullptr, end_ - begin_};
  }
  // The first `count` octets are decoded. They stay where they are, for slices of memory().
  void consume(std::size_t count) noexcept { begin_ += count; }
  // Takes `count` octets out at `at`: what stands before them closes up with what follows.
  void remove(std::size_t at, std::size_t count) noexcept;
  [[nodiscard]] const block_ptr& memory() const noexcept { return memory_; }
  // Octets of the block that what waits keeps.
  [[nodiscard]] std::size_t memory_size() const noexcept {
    return memory_ ? memory_->capacity() : 0;
  }

  // Octets of the block that is a large message's own, and the size that prepare() will give it; none
  // where there is no such message. It is one larger than the pool's block, or that one itself, if too
  // much waits in it to be copied out when a turn ends.
  [[nodiscard]] std::size_t own_memory() const noexcept {
    return memory_ && (kept_ || memory_->capacity() > block_size::reading) ? memory_->capacity()
                                                                           : 0;
  }
  [[nodiscard]] std::size_t own_memory(std::size_t needed) const noexcept;

  // A turn is over: keeps what waits in as little memory as it needs.
  void settle();

private:
  [[nodiscard]] bool worth_moving(std::size_t needed) const noexcept;
  void move_to(block_ptr memory) noexcept;

  block_ptr memory_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool kept_ = false;  // the pool's block, since a turn has ended
};

}  // namespace zmtp
