#include "zmtp/buffer/block_pool.h"

#include "test/support/allocations.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace zmtp {
namespace {

using test::counted;

TEST(block_pool, scratch_is_the_same_block_while_nobody_keeps_it) {
  const auto* first = block_pool::scratch().get();
  EXPECT_EQ(block_pool::scratch().get(), first);
  EXPECT_EQ(block_pool::scratch()->capacity(), block_pool::reading);
}

TEST(block_pool, scratch_is_another_block_while_somebody_keeps_it) {
  const auto kept = block_pool::scratch();
  const auto other = block_pool::scratch();
  EXPECT_NE(other.get(), kept.get());
  EXPECT_NE(block_pool::scratch().get(), kept.get());
}

TEST(block_pool, scratch_is_a_block_again_that_was_let_go_of) {
  auto first = block_pool::scratch();
  const auto second = block_pool::scratch();
  const auto* address = first.get();
  first = block_ptr{};
  EXPECT_EQ(block_pool::scratch().get(), address);
}

TEST(block_pool, scratches_that_are_kept_for_good_are_given_up) {
  std::vector<block_ptr> kept;
  for (int i = 0; i < 100; ++i) {
    kept.push_back(block_pool::scratch());
    for (int j = 0; j < i; ++j) {
      ASSERT_NE(kept[static_cast<std::size_t>(j)].get(), kept.back().get());
    }
  }
  const auto made = counted().requests;
  const auto held = block_pool::scratch();
  EXPECT_LE(counted().requests, made + 1);
  kept.clear();
  EXPECT_EQ(block_pool::scratch()->capacity(), block_pool::reading);
}

TEST(block_pool, takes_blocks_of_the_size_asked_for_with_one_owner) {
  for (const std::size_t size : {std::size_t{1}, block_pool::small, block_pool::small + 1,
                                 block_pool::large, block_pool::largest, 3 * block_pool::largest}) {
    const auto taken = block_pool::take(size);
    EXPECT_EQ(taken->capacity(), size);
    EXPECT_TRUE(taken->unique());
  }
}

TEST(block_pool, what_is_given_back_is_taken_again_without_allocating) {
  for (const auto size : {block_pool::small, block_pool::large, block_pool::largest}) {
    auto memory = block_pool::take(size);
    const auto* address = memory.get();
    block_pool::give_back(std::move(memory));
    const auto before = counted().requests;
    for (int i = 0; i < 100; ++i) {
      auto again = block_pool::take(size);
      EXPECT_EQ(again.get(), address);
      block_pool::give_back(std::move(again));
    }
    EXPECT_EQ(counted().requests, before);
  }
}

TEST(block_pool, a_block_that_somebody_else_owns_is_not_handed_out) {
  auto memory = block_pool::take(block_pool::small);
  const auto other_owner = memory;
  block_pool::give_back(std::move(memory));
  std::vector<block_ptr> taken;
  for (int i = 0; i < 100; ++i) {
    taken.push_back(block_pool::take(block_pool::small));
    EXPECT_NE(taken.back().get(), other_owner.get());
  }
  EXPECT_TRUE(other_owner->unique());
}

TEST(block_pool, keeps_a_bounded_number_of_blocks) {
  const auto before = counted().live;
  {
    std::vector<block_ptr> taken;
    for (int i = 0; i < 100; ++i) {
      for (const auto size : {block_pool::small, block_pool::large, block_pool::largest}) {
        taken.push_back(block_pool::take(size));
      }
    }
    for (auto& memory : taken) {
      block_pool::give_back(std::move(memory));
    }
  }
  EXPECT_LE(counted().live - before, 4U * 1024 * 1024);
}

TEST(block_pool, keeps_no_block_of_another_size) {
  auto memory = block_pool::take(block_pool::small + 1);
  const auto before = counted().live;
  block_pool::give_back(std::move(memory));
  EXPECT_LE(counted().live + block_pool::small, before);
}

TEST(block_pool, a_block_may_be_given_back_by_another_thread) {
  auto memory = block_pool::take(block_pool::large);
  memory->data()[0] = std::byte{7};
  std::thread other{[&] {
    block_pool::give_back(std::move(memory));
    EXPECT_EQ(block_pool::take(block_pool::large)->capacity(), block_pool::large);
  }};
  other.join();
  EXPECT_FALSE(memory);
  EXPECT_TRUE(block_pool::take(block_pool::large)->unique());
}

}  // namespace
}  // namespace zmtp
