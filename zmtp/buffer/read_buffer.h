#pragma once
// The bytes read from one peer, until they make a whole message or command.

#include "zmtp/buffer/block.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace zmtp {

// Reads go to the pool's block for reading, where they are decoded in place: a peer of which nothing
// waits owns no memory. A message larger than that block gets one of its own, which grows as its bytes
// arrive.
//
// A message lies in one piece. The buffer sets the parts aside that came before a command, and moves the
// bytes behind the command up to them: bytes of the last read alone, each of them once at most. Commands
// and changes of the block together move a small multiple of the bytes that have come.
class read_buffer {
public:
  // Where to read to, never empty. `needed` is the size of undecoded() and of the bytes to come that lie in
  // one piece with it, as the peer declares it. Up to a mebibyte is allocated before the bytes come.
  // Valid until the next call of any member but commit().
  [[nodiscard]] std::span<std::byte> prepare(std::size_t needed);
  void commit(std::size_t count) noexcept {
    end_ += count;
    fresh_ += count;
  }

  // Nothing waits, neither undecoded nor set aside.
  [[nodiscard]] bool empty() const noexcept { return waiting() == 0; }
  [[nodiscard]] std::span<std::byte> undecoded() const noexcept {
    return {memory_ ? memory_->data() + begin_ : nullptr, end_ - begin_};
  }
  // Drops the first `count` undecoded bytes, which stay readable until the next call that is not const.
  void skip(std::size_t count) noexcept { begin_ += count; }
  // Sets the first `count` undecoded bytes aside, parts of a message that a command interrupts, behind the
  // parts of the same message that were set aside before.
  void set_aside(std::size_t count) noexcept;
  // Takes the message that the first `count` undecoded bytes end: with the parts that were set aside. Its
  // bytes stay where they are, for slices of memory().
  [[nodiscard]] std::span<std::byte> take(std::size_t count) noexcept {
    if (aside_ != 0) [[unlikely]] {
      set_aside(count);
      return {memory_->data() + message_, std::exchange(aside_, 0)};
    }
    const auto run = undecoded().first(count);
    begin_ += count;
    return run;
  }
  [[nodiscard]] const block_ptr& memory() const noexcept { return memory_; }
  // Octets of the block that what waits keeps.
  [[nodiscard]] std::size_t memory_size() const noexcept {
    return memory_ ? memory_->capacity() : 0;
  }

  // Octets of the block that is a large message's own, and the size that prepare(needed) will give it; none
  // where there is no such message. It is one larger than the pool's block, or that one itself, if too
  // much waits in it to be copied out when a turn ends.
  [[nodiscard]] std::size_t own_memory() const noexcept {
    return memory_ && (kept_ || memory_->capacity() > block_size::reading) ? memory_->capacity()
                                                                           : 0;
  }
  [[nodiscard]] std::size_t own_memory(std::size_t needed) const noexcept;

  // A turn is over: keeps what waits in little more memory than it needs.
  void settle();

  // Bytes that were moved within memory, ever.
  [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }

private:
  // The offset and the size of all that waits, aside and undecoded, once the gap between is closed.
  [[nodiscard]] std::size_t start() const noexcept { return aside_ != 0 ? message_ : begin_; }
  [[nodiscard]] std::size_t waiting() const noexcept { return aside_ + end_ - begin_; }
  [[nodiscard]] bool worth_moving(std::size_t needed) const noexcept;
  void move_to(block_ptr memory) noexcept;
  void close_up() noexcept;
  void move(std::byte* to, std::span<const std::byte> from) noexcept;

  block_ptr memory_;
  std::size_t message_ = 0;  // offset of the bytes that are set aside
  std::size_t aside_ = 0;    // their number
  std::size_t begin_ = 0;    // the undecoded bytes
  std::size_t end_ = 0;
  std::size_t fresh_ = 0;  // bytes that have come since prepare() moved any
  std::uint64_t moved_ = 0;
  bool kept_ = false;  // the pool's block, since a turn has ended
};

}  // namespace zmtp
