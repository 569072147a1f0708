// What messages pin that were received together.

#include "zmtp/pattern/batch_footprint.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zmtp {
namespace {

TEST(batch_footprint, short_messages_pin_nothing_but_themselves) {
  const std::vector<message> batch{{"a"}, {"b", "c"}};
  const batch_footprint f{batch};
  EXPECT_EQ(f.octets(), 2 * sizeof(message));
  EXPECT_FALSE(f.wasteful());
  EXPECT_EQ(batch_footprint{{}}.octets(), 0U);
}

TEST(batch_footprint, a_block_counts_once_however_many_lie_in_it) {
  const message large{std::string(10'000, 'x')};
  ASSERT_NE(large.tail_block(), nullptr);
  const auto block = large.tail_block()->capacity();
  // Copies share the block.
  const std::vector<message> batch{large, {"short"}, large};
  EXPECT_EQ(batch_footprint{batch}.octets(), 3 * sizeof(message) + block);
  const message other{std::string(10'000, 'y')};
  const std::vector<message> two{large, other};
  EXPECT_EQ(batch_footprint{two}.octets(),
            2 * sizeof(message) + block + other.tail_block()->capacity());
}

TEST(batch_footprint, a_small_rest_of_a_large_block_is_waste) {
  const message large{std::string(10'000, 'x'), std::string(200, 'y')};
  auto rest = large;
  rest.pop_front();
  ASSERT_EQ(rest.tail_block(), large.tail_block());
  EXPECT_FALSE(batch_footprint{std::vector{large}}.wasteful());
  EXPECT_TRUE(batch_footprint{std::vector{rest}}.wasteful());
  rest.compact();
  EXPECT_FALSE(batch_footprint{std::vector{rest}}.wasteful());
}

}  // namespace
}  // namespace zmtp
