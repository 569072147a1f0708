// The shard of a topic never changes, and topics are spread evenly.

#include "zmtp/pattern/sharded_subscriber.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

namespace zmtp {
namespace {

// Other programs may count on these.
TEST(shard_of, the_shard_of_a_topic_never_changes) {
  EXPECT_EQ(shard_of("", 0x1'0000'0000), 0xc338'3c52U);
  EXPECT_EQ(shard_of("a", 0x1'0000'0000), 0x1919'a24dU);
  EXPECT_EQ(shard_of("foobar", 0x1'0000'0000), 0x48d4'bc55U);
}

TEST(shard_of, topics_are_spread) {
  for (const std::size_t shards : {2U, 3U, 8U}) {
    std::array<std::size_t, 8> count{};
    for (int topic = 0; topic < 10'000; ++topic) {
      ++count.at(shard_of("topic " + std::to_string(topic), shards));
    }
    for (std::size_t i = 0; i < shards; ++i) {
      EXPECT_NEAR(static_cast<double>(count.at(i)), 10'000.0 / static_cast<double>(shards), 400);
    }
  }
}

TEST(shard_of, one_shard_has_all) { EXPECT_EQ(shard_of("anything", 1), 0U); }

}  // namespace
}  // namespace zmtp
