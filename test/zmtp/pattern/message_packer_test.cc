// Messages that are packed are what they were, in blocks of their own.

#include "zmtp/pattern/sharded_subscriber.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

TEST(message_packer, packed_messages_are_unchanged) {
  message_packer packer;
  for (const std::size_t size : {0U, 80U, 97U, 300U, 4'000U, 4'090U, 5'000U, 100'000U}) {
    const message before{"topic", std::string(size, 'x'), "", "end"};
    auto m = before;
    packer.pack(m);
    EXPECT_EQ(m, before);
    EXPECT_EQ(m.size(), 4U);
    m.pop_front();
    m.push_back("more");
    EXPECT_EQ(m.front(), std::string(size, 'x'));
    EXPECT_EQ(m.back(), "more");
  }
}

TEST(message_packer, packed_messages_release_their_shared_block) {
  message_packer packer;
  const message shared{"topic", std::string(1'000, 'x')};
  ASSERT_NE(shared.tail_block(), nullptr);
  auto first = shared;
  auto second = shared;
  packer.pack(first);
  packer.pack(second);
  EXPECT_NE(first.tail_block(), shared.tail_block());
  EXPECT_EQ(first.tail_block(), second.tail_block());
  EXPECT_NE(first.tail().data(), second.tail().data());
  EXPECT_TRUE(shared.tail_block()->unique());
}

TEST(message_packer, packed_messages_outlive_the_packer) {
  std::vector<message> kept;
  {
    message_packer packer;
    // A message in several blocks.
    for (int n = 0; n < 1'000; ++n) {
      message m{std::to_string(n), std::string(500, 'x')};
      packer.pack(m);
      kept.push_back(std::move(m));
    }
  }
  for (int n = 0; n < 1'000; ++n) {
    EXPECT_EQ(kept[static_cast<std::size_t>(n)],
              (message{std::to_string(n), std::string(500, 'x')}));
  }
}

TEST(message_packer, short_messages_have_no_block) {
  message_packer packer;
  message m{"topic", "short"};
  packer.pack(m);
  EXPECT_EQ(m.tail_block(), nullptr);
  EXPECT_EQ(message_packer::charge(m), sizeof(message));
}

TEST(message_packer, large_messages_stay_in_place_unless_that_wastes_memory) {
  message_packer packer;
  message whole{std::string(50'000, 'x')};
  const auto* const block = whole.tail_block();
  packer.pack(whole);
  EXPECT_EQ(whole.tail_block(), block);
  EXPECT_EQ(message_packer::charge(whole), whole.memory_size());
  message rest{std::string(50'000, 'x'), std::string(5'000, 'y')};
  rest.pop_front();
  packer.pack(rest);
  EXPECT_EQ(rest, message{std::string(5'000, 'y')});
  EXPECT_LT(message_packer::charge(rest), 10'000U);
}

TEST(message_packer, a_message_is_charged_its_memory) {
  message_packer packer;
  message m{std::string(1'000, 'x')};
  packer.pack(m);
  EXPECT_EQ(message_packer::charge(m), sizeof(message) + m.tail().size());
}

}  // namespace
}  // namespace zmtp
