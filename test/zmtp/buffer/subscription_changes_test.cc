// Subscription changes that a peer has not been sent: one per topic, however often a topic changes.

#include "zmtp/buffer/subscription_changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using texts = std::vector<std::string>;

texts texts_of(const subscription_changes& changes) {
  texts all;
  for (const auto& change : changes) {
    all.push_back((change.subscribe ? "+" : "-") + change.topic);
  }
  return all;
}

TEST(subscription_changes, keep_their_order) {
  subscription_changes changes;
  EXPECT_TRUE(changes.empty());
  for (const auto* topic : {"b", "", "a", "ab"}) {
    changes.add(true, topic);
  }
  EXPECT_EQ(texts_of(changes), (texts{"+b", "+", "+a", "+ab"}));
  EXPECT_EQ(changes.front().topic, "b");
  changes.pop();
  EXPECT_EQ(changes.front().topic, "");
  EXPECT_EQ(changes.size(), 3U);
  changes.clear();
  EXPECT_TRUE(changes.empty());
}

TEST(subscription_changes, a_change_and_its_opposite_cancel_out) {
  subscription_changes changes{0};
  changes.add(true, "a");
  changes.add(false, "b");
  changes.add(true, "c");
  changes.add(false, "a");
  changes.add(true, "b");
  EXPECT_EQ(texts_of(changes), texts{"+c"});
  // Behind the changes that were added meanwhile.
  changes.add(false, "b");
  changes.add(true, "a");
  EXPECT_EQ(texts_of(changes), (texts{"+c", "-b", "+a"}));
}

TEST(subscription_changes, the_first_changes_are_stored_in_full) {
  subscription_changes changes{4};
  for (int i = 0; i < 2; ++i) {
    changes.add(true, "a");
    changes.add(false, "a");
  }
  EXPECT_EQ(texts_of(changes), (texts{"+a", "-a", "+a", "-a"}));
  changes.add(true, "b");
  changes.add(true, "a");
  EXPECT_EQ(texts_of(changes), (texts{"+a", "-a", "+a", "+b"}));
  changes.add(false, "a");
  EXPECT_EQ(texts_of(changes), (texts{"+a", "-a", "+b"})) << "the last one of its topic";
  changes.add(true, "c");
  EXPECT_EQ(texts_of(changes), (texts{"+a", "-a", "+b", "+c"}));
}

TEST(subscription_changes, the_same_change_twice_is_one) {
  subscription_changes changes{0};
  changes.add(false, "a");
  changes.add(false, "a");
  EXPECT_EQ(texts_of(changes), texts{"-a"});
}

TEST(subscription_changes, a_change_that_was_sent_is_undone_by_another) {
  subscription_changes changes;
  changes.add(true, "a");
  changes.pop();
  changes.add(false, "a");
  EXPECT_EQ(texts_of(changes), texts{"-a"});
}

TEST(subscription_changes, can_be_moved_and_swapped) {
  subscription_changes changes{0};
  changes.add(true, "a");
  const auto taken = std::exchange(changes, subscription_changes{0});
  EXPECT_TRUE(changes.empty());
  EXPECT_EQ(texts_of(taken), texts{"+a"});
  changes.add(true, "b");
  subscription_changes other{0};
  other.swap(changes);
  other.add(false, "b");
  EXPECT_TRUE(other.empty());
  EXPECT_TRUE(changes.empty());
}

// A peer that takes a change now and then, of a user that changes its mind again and again.
TEST(subscription_changes, a_slow_peer_gets_the_right_topics_from_a_bounded_queue) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random{seed};
    const std::size_t kept_in_full = seed % 3 * 50;
    subscription_changes changes{kept_in_full};
    constexpr std::size_t topics = 60;
    std::set<std::string> wanted;
    std::set<std::string> peer;
    const auto send_one = [&] {
      const auto& [subscribe, topic] = changes.front();
      ASSERT_TRUE(subscribe ? peer.insert(topic).second : peer.erase(topic) != 0);
      changes.pop();
    };
    for (int step = 0; step < 2'000; ++step) {
      const auto topic = std::string(random() % 20, 't') + std::to_string(random() % 3);
      const auto subscribe = wanted.insert(topic).second;
      if (!subscribe) {
        wanted.erase(topic);
      }
      changes.add(subscribe, topic);
      if (!changes.empty() && random() % 8 == 0) {
        send_one();
      }
      std::vector<std::string> different;
      std::set_symmetric_difference(wanted.begin(), wanted.end(), peer.begin(), peer.end(),
                                    std::back_inserter(different));
      ASSERT_GE(changes.size(), different.size());
      ASSERT_LE(changes.size(), kept_in_full == 0 ? different.size() : kept_in_full + topics);
    }
    while (!changes.empty()) {
      send_one();
    }
    ASSERT_EQ(peer, wanted);
  }
}

}  // namespace
}  // namespace zmtp
