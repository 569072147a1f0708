#include "zmtp/buffer/read_buffer.h"

#include "zmtp/buffer/thread_value.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace zmtp {

block_ptr scratch_block() {
  auto& scratches = thread_value<std::array<block_ptr, 4>>();
  for (auto& spare : scratches) {
    if (!spare) {
      spare = block_ptr{block::create(block_size::reading)};
    }
    if (spare->unique()) {
      return spare;
    }
  }
  // Messages use all blocks, so replace the oldest. It then belongs to its messages.
  std::rotate(scratches.begin(), scratches.begin() + 1, scratches.end());
  scratches.back() = block_ptr{block::create(block_size::reading)};
  return scratches.back();
}

namespace {

// Bytes to allocate for a declared length before the data arrives: a message of 1 MiB, and what was read with it.
constexpr std::size_t trusted_size = 1024 * 1024 + block_size::large;
// How many times the size of the bytes that have arrived the next block has at most. All moves then copy a third of a
// large message, and with 2 they would copy all of it.
constexpr std::size_t growth = 4;
// A shorter read is not worth a system call if a larger buffer is available.
constexpr std::size_t short_read = 16 * 1024;

// Returns the capacity for a message that needs `needed` bytes as far as known, of which `waiting`
// have arrived. Grows by at least half, so that a message of many parts is not moved for each part.
std::size_t size_for(std::size_t needed, std::size_t waiting) noexcept {
  return std::max(std::min(needed, std::max(trusted_size, growth * waiting)),
                  waiting + waiting / 2);
}

}  // namespace

std::span<std::byte> read_buffer::prepare(std::size_t needed) {
  needed += aside_;
  if (empty()) {
    if (!memory_ || memory_->capacity() != block_size::reading ||
        end_ + short_read > block_size::reading) {
      memory_ = block_ptr{};
      memory_ = scratch_block();
      begin_ = end_ = 0;
    }
    kept_ = false;
    fresh_ = 0;
  } else if (worth_moving(needed)) {
    move_to(needed <= block_size::reading ? scratch_block()
                                          : block_ptr{block::create(size_for(needed, waiting()))});
    fresh_ = 0;
  } else {
    close_up();
  }
  return {memory_->data() + end_ + raw_, memory_->capacity() - end_ - raw_};
}

std::size_t read_buffer::own_memory(std::size_t needed) const noexcept {
  needed += aside_;
  if (empty()) {
    return 0;
  }
  if (!worth_moving(needed)) {
    return own_memory();
  }
  return needed <= block_size::reading ? 0 : size_for(needed, waiting());
}

// Returns whether to move the pending bytes to a block with space for `needed` bytes. The buffer
// fills a larger block completely first, so that the pieces of a large message do not each cause a
// move. It leaves a smaller block when that block is full, or when half as many bytes as are
// pending have arrived since the last move. This limits the copying if a peer sends byte by byte.
bool read_buffer::worth_moving(std::size_t needed) const noexcept {
  const auto size = memory_->capacity();
  const auto room = size - start() - waiting();
  if (size < block_size::reading) {
    return room == 0 || fresh_ >= waiting() / 2;
  }
  const bool fits = needed <= size - start();
  const bool short_of_room = room < short_read;
  if (size > block_size::reading) {
    return !fits && short_of_room;
  }
  return !fits || (short_of_room && start() != 0);
}

void read_buffer::move(std::byte* to, std::span<const std::byte> from) noexcept {
  std::memmove(to, from.data(), from.size());
  moved_ += from.size();
}

void read_buffer::move_to(block_ptr memory) noexcept {
  if (aside_ != 0) {
    move(memory->data(), {memory_->data() + message_, aside_});
  }
  move(memory->data() + aside_, {memory_->data() + begin_, waiting() - aside_});
  end_ = waiting() - raw_;
  begin_ = aside_;
  message_ = 0;
  std::swap(memory_, memory);
  kept_ = false;
}

void read_buffer::close_up() noexcept {
  const auto to = message_ + aside_;
  if (aside_ != 0 && to != begin_) {
    move(memory_->data() + to, {memory_->data() + begin_, waiting() - aside_});
    end_ -= begin_ - to;
    begin_ = to;
  }
}

void read_buffer::mapped(std::size_t used, std::size_t made) noexcept {
  raw_ -= used;
  if (used != made && raw_ != 0) {
    move(memory_->data() + end_ + made, {memory_->data() + end_ + used, raw_});
  }
  end_ += made;
}

void read_buffer::set_aside(std::size_t count) noexcept {
  if (aside_ == 0) {
    message_ = begin_;
  }
  const auto to = message_ + aside_;
  if (to != begin_) {
    move(memory_->data() + to, undecoded().first(count));
  }
  aside_ += count;
  begin_ += count;
}

void read_buffer::compact() {
  if (!memory_) {
    return;
  }
  const auto capacity = memory_->capacity();
  // Leaves space for the next bytes, so that not every read moves the pending ones. From a quarter
  // of the scratch block, the connection keeps that block, and own_memory() counts it.
  constexpr auto kept_from = block_size::reading / 4;
  const auto enough = std::max(block_size::small, std::min(waiting() + waiting() / 2, kept_from));
  const bool little = waiting() < capacity / 4 &&
                      (capacity <= block_size::reading || waiting() <= block_size::small);
  if (empty()) {
    memory_ = block_ptr{};
    begin_ = end_ = 0;
  } else if (little && enough < capacity) {
    move_to(block_ptr{block::create(enough)});
  } else {
    kept_ = capacity == block_size::reading;
  }
}

}  // namespace zmtp
