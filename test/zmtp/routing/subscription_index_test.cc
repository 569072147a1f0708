// Subscriptions: topics as prefixes, a set of them for each peer (RFC 29, protocols C2-1).

#include "zmtp/routing/subscription_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <pthread.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using namespace std::string_literals;

std::vector<subscription_index::topic_id> topics_of(const subscription_index& index,
                                                    std::string_view part) {
  std::vector<subscription_index::topic_id> matched;
  index.match(part, matched);
  return matched;
}

std::multiset<subscription_index::slot> matches(const subscription_index& index,
                                                std::string_view part) {
  std::multiset<subscription_index::slot> peers;
  for (const auto topic : topics_of(index, part)) {
    index.for_each_subscriber(topic, [&](subscription_index::slot peer) { peers.insert(peer); });
  }
  return peers;
}

using peers = std::multiset<subscription_index::slot>;

TEST(subscription_index, without_a_subscription_nothing_matches) {
  const subscription_index index;
  EXPECT_EQ(matches(index, ""), peers{});
  EXPECT_EQ(matches(index, "anything"), peers{});
}

TEST(subscription_index, a_topic_matches_messages_with_this_prefix) {
  subscription_index index;
  index.subscribe(3, "AB");
  for (const auto* part : {"AB", "ABC", "ABABAB"}) {
    EXPECT_EQ(matches(index, part), peers{3}) << part;
  }
  for (const auto* part : {"", "A", "BA", "ab", "AA", "xAB"}) {
    EXPECT_EQ(matches(index, part), peers{}) << part;
  }
}

TEST(subscription_index, the_empty_topic_matches_all_even_the_empty_part) {
  subscription_index index;
  index.subscribe(0, "");
  EXPECT_EQ(matches(index, ""), peers{0});
  EXPECT_EQ(matches(index, "\0"s), peers{0});
  EXPECT_EQ(matches(index, std::string(100'000, 'x')), peers{0});
  EXPECT_TRUE(index.cancel(0, ""));
  EXPECT_EQ(matches(index, ""), peers{});
}

TEST(subscription_index, zero_bytes_are_ordinary_bytes) {
  subscription_index index;
  index.subscribe(1, "\0"s);
  index.subscribe(2, "\0\0"s);
  index.subscribe(3, "a\0b"s);
  EXPECT_EQ(matches(index, ""), peers{});
  EXPECT_EQ(matches(index, "\0"s), peers{1});
  EXPECT_EQ(matches(index, "\0\0\0"s), (peers{1, 2}));
  EXPECT_EQ(matches(index, "a\0bc"s), peers{3});
  EXPECT_EQ(matches(index, "a"), peers{});
  EXPECT_EQ(matches(index, "ab"), peers{});
}

TEST(subscription_index, nested_topics_all_match_shorter_ones_first) {
  subscription_index index;
  index.subscribe(2, "abc");
  index.subscribe(0, "a");
  index.subscribe(1, "ab");
  const auto matched = topics_of(index, "abcd");
  ASSERT_EQ(matched.size(), 3U);
  for (std::size_t i = 0; i < matched.size(); ++i) {
    index.for_each_subscriber(matched[i],
                              [&](subscription_index::slot peer) { EXPECT_EQ(peer, i); });
  }
  EXPECT_EQ(matches(index, "ab"), (peers{0, 1}));
}

TEST(subscription_index, a_peer_has_a_set_of_topics) {
  subscription_index index;
  EXPECT_TRUE(index.subscribe(7, "A"));
  EXPECT_FALSE(index.subscribe(7, "A"));
  EXPECT_EQ(index.subscriptions(), 1U);
  EXPECT_EQ(matches(index, "A"), peers{7});
  EXPECT_TRUE(index.cancel(7, "A"));
  EXPECT_FALSE(index.cancel(7, "A"));
  EXPECT_EQ(index.subscriptions(), 0U);
  EXPECT_EQ(matches(index, "A"), peers{});
}

TEST(subscription_index, cancelling_an_unknown_topic_changes_nothing) {
  subscription_index index;
  index.subscribe(1, "A");
  const auto version = index.version();
  EXPECT_FALSE(index.cancel(1, "B"));
  EXPECT_FALSE(index.cancel(1, ""));
  EXPECT_FALSE(index.cancel(1, "AA"));
  EXPECT_FALSE(index.cancel(2, "A"));
  EXPECT_FALSE(index.cancel(1'000'000, "A"));
  EXPECT_EQ(index.version(), version);
  EXPECT_EQ(matches(index, "A"), peers{1});
}

TEST(subscription_index, a_cancel_of_one_peer_does_not_affect_others) {
  subscription_index index;
  for (const subscription_index::slot peer : {0U, 1U, 2U, 3U}) {
    index.subscribe(peer, "A");
  }
  index.cancel(1, "A");
  EXPECT_EQ(matches(index, "A"), (peers{0, 2, 3}));
  index.cancel(3, "A");
  index.cancel(0, "A");
  EXPECT_EQ(matches(index, "A"), peers{2});
}

TEST(subscription_index, a_removed_peer_takes_its_subscriptions_and_its_slot_is_usable_again) {
  subscription_index index;
  index.subscribe(0, "A");
  index.subscribe(1, "A");
  index.subscribe(1, "B");
  index.subscribe(1, "");
  index.remove(1);
  EXPECT_EQ(index.subscriptions_of(1), 0U);
  EXPECT_EQ(index.subscriptions(), 1U);
  EXPECT_EQ(matches(index, "A"), peers{0});
  EXPECT_EQ(matches(index, "B"), peers{});
  index.remove(1);
  index.remove(99);
  EXPECT_TRUE(index.subscribe(1, "B"));
  EXPECT_EQ(matches(index, "B"), peers{1});
  EXPECT_EQ(index.subscriptions_of(1), 1U);
}

TEST(subscription_index, every_change_has_another_version) {
  subscription_index index;
  std::set<std::uint64_t> versions{index.version()};
  index.subscribe(0, "A");
  EXPECT_TRUE(versions.insert(index.version()).second);
  index.subscribe(1, "A");
  EXPECT_TRUE(versions.insert(index.version()).second);
  index.cancel(0, "A");
  EXPECT_TRUE(versions.insert(index.version()).second);
  index.remove(1);
  EXPECT_TRUE(versions.insert(index.version()).second);
}

TEST(subscription_index, matching_appends) {
  subscription_index index;
  index.subscribe(0, "A");
  std::vector<subscription_index::topic_id> to{77};
  index.match("A", to);
  ASSERT_EQ(to.size(), 2U);
  EXPECT_EQ(to[0], 77U);
}

// Topics that come and go leave holes, which are squeezed out; the others must stay what they were.
TEST(subscription_index, long_topics_survive_the_going_of_others) {
  subscription_index index;
  const auto topic = [](int n) {
    auto text = std::to_string(n) + "/";
    text.resize(1024, static_cast<char>('a' + n % 26));
    return text;
  };
  for (int n = 0; n < 2'000; ++n) {
    ASSERT_TRUE(index.subscribe(static_cast<subscription_index::slot>(n % 7), topic(n)));
  }
  for (int n = 0; n < 2'000; ++n) {
    if (n % 10 != 0) {
      ASSERT_TRUE(index.cancel(static_cast<subscription_index::slot>(n % 7), topic(n)));
    }
  }
  for (int n = 0; n < 2'000; ++n) {
    const auto expected =
        n % 10 == 0 ? peers{static_cast<subscription_index::slot>(n % 7)} : peers{};
    ASSERT_EQ(matches(index, topic(n) + "tail"), expected) << n;
  }
}

// Runs on a stack that a call for each byte or for each topic would overrun.
void on_a_small_stack(std::function<void()> body) {
  constexpr std::size_t stack_size = 128 * 1024;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_size), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* what) -> void* {
                  (*static_cast<std::function<void()>*>(what))();
                  return nullptr;
                },
                &body),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

constexpr std::size_t levels = 2'000;

// CVE-2021-20236: depth was as long as the peer's topics.
TEST(subscription_index, topics_within_topics_take_no_stack) {
  for (const std::size_t step : {1U, 32U}) {
    on_a_small_stack([step] {
      subscription_index index;
      const std::string longest(levels * step, 'a');
      const std::string_view all{longest};
      for (std::size_t level = 1; level <= levels; ++level) {
        index.subscribe(static_cast<subscription_index::slot>(level % 2),
                        all.substr(0, level * step));
      }
      EXPECT_EQ(matches(index, all).size(), levels);
      EXPECT_EQ(matches(index, all.substr(0, 10 * step)).size(), 10U);
      EXPECT_EQ(matches(index, longest + "tail").size(), levels);
      EXPECT_TRUE(index.cancel(0, all));
      EXPECT_EQ(matches(index, all).size(), levels - 1);
      index.remove(0);
      index.remove(1);
      EXPECT_EQ(index.subscriptions(), 0U);
    });
  }
}

// One subscriber with topics of as many lengths as there may be, which begin as messages do.
TEST(subscription_index, many_lengths_of_topics_take_few_steps) {
  enum class shape { ends_otherwise, ends_before, within_one_another };
  for (const auto how : {shape::ends_otherwise, shape::ends_before, shape::within_one_another}) {
    for (const std::size_t lengths : {100U, 1'024U, 4'096U}) {
      subscription_index index;
      for (std::size_t length = lengths; length > 0; --length) {
        std::string topic(length, 'm');
        if (how != shape::within_one_another) {
          topic.back() = how == shape::ends_otherwise ? 'n' : 'l';
        }
        ASSERT_TRUE(index.subscribe(0, topic));
      }
      ASSERT_TRUE(index.subscribe(1, "m"));
      // A search visits one or two paths of a tree with two nodes for each topic.
      const auto most = subscription_index::max_matches + 6 * std::bit_width(2 * lengths);
      for (const std::size_t size : {lengths + 1, lengths, lengths / 2}) {
        const std::string part(size, 'm');
        std::vector<subscription_index::topic_id> matched;
        EXPECT_LE(index.match(part, matched), most) << lengths << ' ' << size;
        EXPECT_LE(matched.size(), subscription_index::max_matches);
        EXPECT_EQ(matches(index, part).count(0),
                  how == shape::within_one_another ? std::min(size, lengths) : 0);
        EXPECT_EQ(matches(index, part).count(1), 1U);
        EXPECT_TRUE(index.matches(part));
      }
      index.remove(0);
      EXPECT_EQ(matches(index, "mm"), peers{1});
    }
  }
}

// The first long lengths to appear are looked up, those behind them are in the tree, until there is a place again.
TEST(subscription_index, topics_of_one_length_may_be_found_in_both_ways) {
  const auto long_topic = [](std::size_t n, char end) { return std::string(100 + n, 'x') + end; };
  subscription_index index;
  constexpr auto places = subscription_index::long_lengths;
  for (std::size_t n = 0; n <= places; ++n) {
    ASSERT_TRUE(index.subscribe(0, long_topic(n, 'a')));
  }
  // The last of them had no place; now there is one, and another topic of its length gets it.
  ASSERT_TRUE(index.cancel(0, long_topic(0, 'a')));
  ASSERT_TRUE(index.subscribe(1, long_topic(places, 'b')));
  EXPECT_EQ(matches(index, long_topic(places, 'a')), peers{0});
  EXPECT_EQ(matches(index, long_topic(places, 'b')), peers{1});
  EXPECT_TRUE(index.contains(0, long_topic(places, 'a')));
  EXPECT_FALSE(index.subscribe(0, long_topic(places, 'a')));
  ASSERT_TRUE(index.subscribe(2, long_topic(places, 'a')));
  EXPECT_EQ(matches(index, long_topic(places, 'a') + "tail"), (peers{0, 2}));
  index.remove(0);
  index.remove(2);
  EXPECT_EQ(matches(index, long_topic(places, 'a')), peers{});
  EXPECT_EQ(matches(index, long_topic(places, 'b')), peers{1});
}

TEST(subscription_index, parts_match_alike_without_other_topics_than_the_empty_one) {
  const auto long_topic = [](std::size_t n) { return std::string(100 + n, 'x'); };
  subscription_index index;
  constexpr auto places = subscription_index::long_lengths;
  EXPECT_TRUE(index.parts_match_alike());
  index.subscribe(0, "");
  EXPECT_TRUE(index.parts_match_alike());
  for (std::size_t n = 0; n <= places; ++n) {
    index.subscribe(1, long_topic(n));
  }
  for (std::size_t n = 0; n < places; ++n) {
    index.cancel(1, long_topic(n));
  }
  EXPECT_FALSE(index.parts_match_alike()) << "one is left, in the tree";
  index.cancel(1, long_topic(places));
  EXPECT_TRUE(index.parts_match_alike());
}

TEST(subscription_index, counts_the_bytes_of_each_peers_topics) {
  subscription_index index;
  EXPECT_EQ(index.topic_bytes_of(7), 0U);
  index.subscribe(7, "abc");
  index.subscribe(7, "abc");
  index.subscribe(7, "");
  index.subscribe(8, "abc");
  EXPECT_EQ(index.topic_bytes_of(7), 3U);
  index.cancel(7, "never");
  index.cancel(7, "abc");
  EXPECT_EQ(index.topic_bytes_of(7), 0U);
  EXPECT_EQ(index.topic_bytes_of(8), 3U);
  index.remove(8);
  EXPECT_EQ(index.topic_bytes_of(8), 0U);
}

}  // namespace
}  // namespace zmtp
