#pragma once
// The bytes received from one peer, and the block that all connections of a thread read into. So an
// idle connection does not own a buffer.

#include "zmtp/buffer/block.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace zmtp {

// Returns a block of block_size::reading bytes. Returns the same block while no message keeps a
// slice of it. Otherwise returns one of a few blocks whose slices are released, or a new one. Each
// thread has its own blocks. Throws std::bad_alloc.
[[nodiscard]] block_ptr scratch_block();

// The bytes received from one peer until they form a whole message or command.
//
// Reads go to the thread's scratch block and are decoded there, so an idle connection owns no
// buffer. A message larger than that block gets a block of its own, which grows as the bytes
// arrive.
//
// A message is contiguous. If a command interrupts it, the buffer sets the parts before the command
// aside and moves the bytes after the command next to them. It moves only bytes of the last read,
// and each of them at most once. All moves together copy a small multiple of the received bytes.
//
// With a framing, received bytes are raw until it has mapped them, in place, to frames. Raw bytes
// follow the undecoded ones.
class read_buffer {
public:
  // Returns space for a read, never empty. `needed` is the size of undecoded() and raw() plus the
  // bytes to come that must be contiguous with them, as the peer declares them. A block that is a
  // little larger than 1 MiB is allocated before the bytes arrive, a larger one has at most four
  // times the pending bytes. The span is valid until the next call of any member except commit()
  // and commit_raw().
  [[nodiscard]] std::span<std::byte> prepare(std::size_t needed);
  void commit(std::size_t count) noexcept {
    end_ += count;
    fresh_ += count;
  }
  void commit_raw(std::size_t count) noexcept {
    raw_ += count;
    fresh_ += count;
  }

  [[nodiscard]] std::span<std::byte> raw() const noexcept {
    return {memory_ ? memory_->data() + end_ : nullptr, raw_};
  }
  // Call when the first `used` bytes of raw() were mapped to `made` bytes at the same place, which
  // are not more. The latter become undecoded bytes.
  void mapped(std::size_t used, std::size_t made) noexcept;
  // Makes all undecoded bytes raw. Nothing may be set aside.
  void make_raw() noexcept {
    raw_ += end_ - begin_;
    end_ = begin_;
  }

  // Returns whether no bytes are pending: undecoded, set aside or raw.
  [[nodiscard]] bool empty() const noexcept { return waiting() == 0; }
  [[nodiscard]] std::span<std::byte> undecoded() const noexcept {
    return {memory_ ? memory_->data() + begin_ : nullptr, end_ - begin_};
  }
  // Drops the first `count` undecoded bytes. They stay readable until the next call of a member
  // that is not const.
  void skip(std::size_t count) noexcept { begin_ += count; }
  // Sets the first `count` undecoded bytes aside, after bytes that are already set aside. The bytes
  // are parts of a message that a command interrupts.
  void set_aside(std::size_t count) noexcept;
  // Takes the message that ends with the first `count` undecoded bytes, together with the parts
  // that were set aside. The bytes keep their place, so that messages can be slices of memory().
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
  // Returns the capacity of the block that contains the pending bytes.
  [[nodiscard]] std::size_t memory_size() const noexcept {
    return memory_ ? memory_->capacity() : 0;
  }

  // The first form returns the capacity of the block that a large message owns, the second the
  // capacity after prepare(needed). Both return 0 if the connection does not own a block. A
  // connection owns a block that is larger than the scratch block. It also owns the scratch block
  // itself if too many bytes are pending at the end of a turn to copy them out.
  [[nodiscard]] std::size_t own_memory() const noexcept {
    return memory_ && (kept_ || memory_->capacity() > block_size::reading) ? memory_->capacity()
                                                                           : 0;
  }
  [[nodiscard]] std::size_t own_memory(std::size_t needed) const noexcept;

  // Call at the end of a turn. Moves the pending bytes into a block not much larger than they are.
  void compact();

  // Returns the number of bytes that were moved within memory so far.
  [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }

private:
  // Offset and size of all pending bytes, after the gap behind those that are set aside is closed.
  [[nodiscard]] std::size_t start() const noexcept { return aside_ != 0 ? message_ : begin_; }
  [[nodiscard]] std::size_t waiting() const noexcept { return aside_ + end_ - begin_ + raw_; }
  [[nodiscard]] bool worth_moving(std::size_t needed) const noexcept;
  void move_to(block_ptr memory) noexcept;
  void close_up() noexcept;
  void move(std::byte* to, std::span<const std::byte> from) noexcept;

  block_ptr memory_;
  std::size_t message_ = 0;  // offset of the bytes that are set aside
  std::size_t aside_ = 0;    // their number
  std::size_t begin_ = 0;    // start of the undecoded bytes
  std::size_t end_ = 0;
  std::size_t raw_ = 0;    // raw bytes, from end_ on
  std::size_t fresh_ = 0;  // bytes received since prepare() last moved any
  std::uint64_t moved_ = 0;
  bool kept_ = false;  // the scratch block belongs to this buffer since the end of a turn
};

}  // namespace zmtp
