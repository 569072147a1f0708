#include "zmtp/buffer/block_pool.h"

#include <algorithm>
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
  std::array<block_ptr, 4> scratches;
  shelf<1024> smalls;
  shelf<32> larges;
  shelf<8> largests;
};

pool& local() noexcept {
  thread_local pool blocks;
  return blocks;
}

}  // namespace

block_ptr scratch() {
  auto& scratches = local().scratches;
  for (auto& spare : scratches) {
    if (!spare) {
      spare = block_ptr{block::create(reading)};
    }
    if (spare->unique()) {
      return spare;
    }
  }
  // All are in use: the one that has been for longest is its messages' from now on.
  std::rotate(scratches.begin(), scratches.begin() + 1, scratches.end());
  scratches.back() = block_ptr{block::create(reading)};
  return scratches.back();
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
