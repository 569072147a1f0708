// The memory cost of subscriptions: at most 160 bytes each, for any number, and nothing for
// subscriptions that were cancelled (reliability.md 1.4).

#include "test/support/allocations.h"
#include "zmtp/routing/subscription_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string_view>

namespace zmtp {
namespace {

using test::counted;
using topic = std::array<char, 16>;

// Random topics of 16 bytes, the same again for the same seed.
class topic_source {
public:
  explicit topic_source(unsigned seed) : random_{seed} {}
  topic next() {
    topic t;
    std::generate(t.begin(), t.end(), [this] { return static_cast<char>(random_()); });
    return t;
  }

private:
  std::minstd_rand random_;
};

std::string_view view(const topic& t) { return {t.data(), t.size()}; }

TEST(subscription_index_memory, a_subscription_of_16_bytes_takes_160_bytes_at_most) {
  constexpr std::size_t count = 1'000'000;
  constexpr std::size_t per_peer = 100'000;
  constexpr double most = 160;
  topic_source source{1};
  const auto before = counted().live;
  test::reset_peak();
  subscription_index index;
  double worst = 0;
  for (std::size_t n = 1; n <= count; ++n) {
    const auto t = source.next();
    ASSERT_TRUE(index.subscribe(static_cast<subscription_index::slot>(n / per_peer), view(t)));
    // With fewer the first blocks weigh most, and there is nothing to fear.
    if (n >= 1'000) {
      worst =
          std::max(worst, static_cast<double>(counted().live - before) / static_cast<double>(n));
    }
  }
  const auto last = static_cast<double>(counted().live - before) / static_cast<double>(count);
  const auto peak = static_cast<double>(counted().peak - before) / static_cast<double>(count);
  std::printf("bytes per subscription: %.1f of a million, %.1f at worst, %.1f while growing\n",
              last, worst, peak);
  EXPECT_LE(last, most);
  EXPECT_LE(worst, most);
  EXPECT_EQ(index.subscriptions(), count);
}

TEST(subscription_index_memory, subscriptions_of_many_peers_to_the_same_topics_take_less) {
  constexpr std::size_t topics = 10'000;
  constexpr std::size_t peers = 20;
  const auto before = counted().live;
  subscription_index index;
  for (subscription_index::slot peer = 0; peer < peers; ++peer) {
    topic_source source{2};
    for (std::size_t n = 0; n < topics; ++n) {
      const auto t = source.next();
      ASSERT_TRUE(index.subscribe(peer, view(t)));
    }
  }
  EXPECT_LE(counted().live - before, topics * peers * 100);
}

TEST(subscription_index_memory, repeated_subscribing_and_cancelling_does_not_accumulate_memory) {
  constexpr std::size_t at_once = 1'000;
  subscription_index index;
  const auto round = [&](unsigned seed) {
    topic_source in{seed};
    for (std::size_t n = 0; n < at_once; ++n) {
      const auto t = in.next();
      ASSERT_TRUE(index.subscribe(0, view(t)));
    }
    topic_source out{seed};
    for (std::size_t n = 0; n < at_once; ++n) {
      const auto t = out.next();
      ASSERT_TRUE(index.cancel(0, view(t)));
    }
  };
  round(0);
  round(1);
  const auto warm = counted().live;
  for (unsigned seed = 2; seed < 300; ++seed) {
    round(seed);
  }
  EXPECT_LE(counted().live, warm + at_once * 160);
}

TEST(subscription_index_memory, the_same_subscription_again_and_again_costs_nothing) {
  subscription_index index;
  topic_source source{3};
  const auto t = source.next();
  ASSERT_TRUE(index.subscribe(0, view(t)));
  const auto before = counted().requests;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_FALSE(index.subscribe(0, view(t)));
    ASSERT_FALSE(index.cancel(0, "never"));
  }
  EXPECT_EQ(counted().requests, before);
}

TEST(subscription_index_memory, matching_allocates_nothing) {
  subscription_index index;
  topic_source source{4};
  std::array<topic, 1'000> known;
  for (auto& t : known) {
    t = source.next();
    ASSERT_TRUE(index.subscribe(0, view(t)));
  }
  std::vector<subscription_index::topic_id> matched;
  matched.reserve(known.size());
  const auto before = counted().requests;
  for (const auto& t : known) {
    index.match(view(t), matched);
  }
  EXPECT_EQ(counted().requests, before);
  EXPECT_EQ(matched.size(), known.size());
}

}  // namespace
}  // namespace zmtp
