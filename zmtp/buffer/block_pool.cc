#include "zmtp/buffer/block_pool.h"

#include <array>

namespace zmtp::block_pool {

namespace {

// A few blocks of one size. Fixed room: giving back never allocates.
template <std::size_t Room>
class shelf {
public:
  [[nodiscard]] block_ptr take() noexcept {
    return count_ == 0 ? block_ptr{} : std::move(blocks_[--count_]);
  }
  void put(block_ptr memory) noexcept {
    if (count_ < Room) {
      blocks_[count_++] = std::move(memory);
    }
  }

private:
  std::array<block_ptr, Room> blocks_;
  std::size_t count_ = 0;
};

// One per thread: a turn never moves to another thread, and what is given back was used in it.
struct pool {
  block_ptr scratch;
  shelf<32> smalls;
  shelf<8> larges;
  shelf<4> largests;
};

pool& local() noexcept {
  thread_local pool blocks;
  return blocks;
}

}  // namespace

block_ptr scratch() {
  auto& spare = local().scratch;
  if (!spare || !spare->unique()) {
    spare = take(large);
  }
  return spare;
}

block_ptr take(std::size_t capacity) {
  block_ptr memory;
  switch (capacity) {
    case small: memory = local().smalls.take(); break;
    case large: memory = local().larges.take(); break;
    case largest: memory = local().largests.take(); break;
  }
  return memory ? memory : block_ptr{block::create(capacity)};
}

void give_back(block_ptr memory) noexcept {
  if (!memory->unique()) {
    return;
  }
  switch (memory->capacity()) {
    case small: local().smalls.put(std::move(memory)); break;
    case large: local().larges.put(std::move(memory)); break;
    case largest: local().largests.put(std::move(memory)); break;
  }
}

}  // namespace zmtp::block_pool
