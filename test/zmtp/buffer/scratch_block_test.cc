#include "test/support/allocations.h"
#include "zmtp/buffer/read_buffer.h"

#include <gtest/gtest.h>

#include <vector>

namespace zmtp {
namespace {

using test::counted;

TEST(scratch_block, is_the_same_block_while_it_has_no_other_owner) {
  const auto* first = scratch_block().get();
  EXPECT_EQ(scratch_block().get(), first);
  EXPECT_EQ(scratch_block()->capacity(), block_size::reading);
}

TEST(scratch_block, is_another_block_while_it_has_another_owner) {
  const auto kept = scratch_block();
  const auto other = scratch_block();
  EXPECT_NE(other.get(), kept.get());
  EXPECT_NE(scratch_block().get(), kept.get());
}

TEST(scratch_block, is_a_released_block_again) {
  auto first = scratch_block();
  const auto second = scratch_block();
  const auto* address = first.get();
  first = block_ptr{};
  EXPECT_EQ(scratch_block().get(), address);
}

TEST(scratch_block, forgets_blocks_that_are_never_released) {
  std::vector<block_ptr> kept;
  for (int i = 0; i < 100; ++i) {
    kept.push_back(scratch_block());
    for (int j = 0; j < i; ++j) {
      ASSERT_NE(kept[static_cast<std::size_t>(j)].get(), kept.back().get());
    }
  }
  const auto made = counted().requests;
  const auto held = scratch_block();
  EXPECT_LE(counted().requests, made + 1);
  kept.clear();
  EXPECT_EQ(scratch_block()->capacity(), block_size::reading);
}

}  // namespace
}  // namespace zmtp
