#include "zmtp/buffer/block.h"

#include "test/support/allocations.h"
#include "zmtp/buffer/recycled_memory.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::counted;

block_ptr make(std::size_t capacity) { return block_ptr{block::create(capacity)}; }

constexpr std::size_t largest_recycled = recycled_memory::largest - recycled_memory::beside;

TEST(block, has_the_requested_capacity_and_one_owner) {
  for (std::size_t size = 0; size <= 300'000; size += 1 + size / 7) {
    // The pool returns the last block of this size again.
    for (int i = 0; i < 2; ++i) {
      const auto memory = make(size);
      ASSERT_EQ(memory->capacity(), size);
      ASSERT_TRUE(memory->unique());
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % alignof(std::max_align_t), 0U);
      std::memset(memory->data(), 0x5a, size);
    }
  }
}

TEST(block, takes_at_most_a_quarter_more_than_requested) {
  for (std::size_t size = 128; size <= largest_recycled; size += 1 + size / 11) {
    std::vector<block_ptr> others;
    others.reserve(1 + recycled_memory::kept / size);
    test::reset_peak();
    const auto requests = counted().requests;
    while (counted().requests == requests) {
      others.push_back(make(size));
    }
    ASSERT_GE(counted().largest, size + recycled_memory::beside);
    ASSERT_LE(counted().largest, size + size / 4 + 1 + recycled_memory::beside);
  }
}

TEST(block, a_freed_block_is_reused_for_the_next_of_its_size) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{1033},
                                 block_size::small, block_size::large, largest_recycled}) {
    auto memory = make(size);
    const auto* address = memory->data();
    memory = block_ptr{};
    const auto before = counted().requests;
    for (int i = 0; i < 100; ++i) {
      memory = make(size);
      EXPECT_EQ(memory->data(), address);
      memory = block_ptr{};
    }
    EXPECT_EQ(counted().requests, before);
  }
}

TEST(block, a_batch_after_a_batch_allocates_nothing) {
  std::vector<block_ptr> batch(1000);
  const auto fill_and_empty = [&] {
    for (auto& memory : batch) {
      memory = make(1033);
    }
    for (auto& memory : batch) {
      memory = block_ptr{};
    }
  };
  fill_and_empty();
  const auto before = counted().requests;
  fill_and_empty();
  EXPECT_EQ(counted().requests, before);
}

TEST(block, large_blocks_return_to_the_heap) {
  auto memory = make(largest_recycled + 1);
  const auto before = counted().live;
  memory = block_ptr{};
  EXPECT_LE(counted().live + largest_recycled, before);
}

TEST(block, caches_a_bounded_amount_of_memory_for_each_size) {
  const auto before = counted().live;
  for (const std::size_t size : {largest_recycled, std::size_t{1000}, block_size::large}) {
    std::vector<block_ptr> batch;
    for (std::size_t bytes = 0; bytes < 2 * recycled_memory::kept; bytes += size) {
      batch.push_back(make(size));
    }
    batch.clear();
    EXPECT_LE(counted().live, before + recycled_memory::kept);
    // The pool has evicted the blocks of the previous size.
    const auto requests = counted().requests;
    for (std::size_t bytes = 0; bytes < recycled_memory::kept / 2; bytes += size) {
      batch.push_back(make(size));
    }
    EXPECT_EQ(counted().requests, requests);
  }
}

TEST(block, caches_half_of_the_memory_in_use_and_frees_it_afterwards) {
  const auto before = counted().live;
  constexpr auto in_use = 8 * recycled_memory::kept;
  constexpr auto again = 2 * recycled_memory::kept;
  std::vector<block_ptr> all(in_use / block_size::large);
  for (auto& memory : all) {
    memory = make(block_size::large);
  }
  const auto requests = counted().requests;
  for (std::size_t i = 0; i < again / block_size::large; ++i) {
    all[i] = block_ptr{};
  }
  for (std::size_t i = 0; i < again / block_size::large; ++i) {
    all[i] = make(block_size::large);
  }
  EXPECT_EQ(counted().requests, requests);
  for (auto& memory : all) {
    memory = block_ptr{};
  }
  EXPECT_LE(counted().live, before + recycled_memory::kept + all.capacity() * sizeof(block_ptr));
}

TEST(block, may_be_freed_in_another_thread) {
  auto memory = make(1000);
  std::thread other{[&] {
    memory->data()[0] = std::byte{7};
    memory = block_ptr{};
    memory = make(1000);
  }};
  other.join();
  EXPECT_TRUE(memory->unique());
}

TEST(block, the_cache_of_a_thread_is_freed_when_it_ends) {
  std::ptrdiff_t live = 1;
  std::thread other{[&] {
    // An object that is destroyed after the other objects of the thread.
    thread_local struct watch {
      std::ptrdiff_t* live = nullptr;
      block_ptr memory;
      ~watch() {
        memory = block_ptr{};
        *live = static_cast<std::ptrdiff_t>(counted().live);
      }
    } at_end;
    at_end.live = &live;
    const auto before = counted().live;
    at_end.memory = make(1000);
    for (int i = 0; i < 3; ++i) {
      make(5000 * static_cast<std::size_t>(i + 1));
    }
    EXPECT_GT(counted().live, before);
  }};
  other.join();
  // The thread may also have freed memory from its start.
  EXPECT_LE(live, 0);
}

}  // namespace
}  // namespace zmtp
