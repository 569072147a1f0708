#include "zmtp/buffer/read_buffer.h"

#include "zmtp/buffer/scratch_block.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zmtp {

namespace {

// What a length field is trusted for before the octets have come.
constexpr std::size_t trusted_size = 1024 * 1024;
// A read shorter than this is not worth a system call while there is a larger buffer.
constexpr std::size_t short_read = 16 * 1024;

// Of a buffer larger than the usual for a message that needs, so far as is known, `needed` octets, of
// which `waiting` have come. Grows by half at least, so that a message of many parts is not moved for
// each of them.
std::size_t size_for(std::size_t needed, std::size_t waiting) noexcept {
  return std::max(std::min(needed, std::max(trusted_size, 2 * waiting)), waiting + waiting / 2);
}

}  // namespace

std::span<std::byte> read_buffer::prepare(std::size_t needed) {
  const auto waiting = end_ - begin_;
  if (waiting == 0) {
    if (!memory_ || memory_->capacity() != block_size::reading ||
        end_ + short_read > block_size::reading) {
      memory_ = block_ptr{};
      memory_ = scratch_block();
      begin_ = end_ = 0;
    }
    kept_ = false;
  } else if (worth_moving(needed)) {
    move_to(needed <= block_size::reading ? scratch_block()
                                          : block_ptr{block::create(size_for(needed, waiting))});
  }
  return {memory_->data() + end_, memory_->capacity() - end_};
}

std::size_t read_buffer::own_memory(std::size_t needed) const noexcept {
  const auto waiting = end_ - begin_;
  if (waiting == 0) {
    return 0;
  }
  if (!worth_moving(needed)) {
    return own_memory();
  }
  return needed <= block_size::reading ? 0 : size_for(needed, waiting);
}

// Whether what waits is to be moved to where `needed` octets have room. A larger buffer is read to
// its end first, so that what has come is not moved for each piece of a large message.
bool read_buffer::worth_moving(std::size_t needed) const noexcept {
  const auto size = memory_->capacity();
  const bool fits = needed <= size - begin_;
  const bool short_of_room = size - end_ < short_read;
  if (size > block_size::reading) {
    return !fits && short_of_room;
  }
  return !fits || (short_of_room && (begin_ != 0 || size < block_size::reading));
}

void read_buffer::move_to(block_ptr memory) noexcept {
  const auto waiting = undecoded();
  std::memcpy(memory->data(), waiting.data(), waiting.size());
  std::swap(memory_, memory);
  kept_ = false;
  begin_ = 0;
  end_ = waiting.size();
}

void read_buffer::remove(std::size_t at, std::size_t count) noexcept {
  auto* const octets = undecoded().data();
  std::memmove(octets + count, octets, at);
  begin_ += count;
}

void read_buffer::settle() {
  if (!memory_) {
    return;
  }
  const auto waiting = end_ - begin_;
  if (waiting == 0) {
    memory_ = block_ptr{};
    begin_ = end_ = 0;
  } else if (waiting <= block_size::small) {
    if (memory_->capacity() != block_size::small) {
      move_to(block_ptr{block::create(block_size::small)});
    }
  } else if (waiting < memory_->capacity() / 4 && memory_->capacity() <= block_size::reading) {
    move_to(block_ptr{block::create(waiting)});
  } else {
    kept_ = memory_->capacity() == block_size::reading;
  }
}

}  // namespace zmtp
