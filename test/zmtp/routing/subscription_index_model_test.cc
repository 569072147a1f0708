// The index against a set of topics for each peer and a plain comparison, under random use.

#include "zmtp/routing/subscription_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using slot = subscription_index::slot;

class random_use_of_index {
public:
  explicit random_use_of_index(unsigned seed) : random_{seed}, kinds_{pick(4) + 1} {
    // Some runs have few topics and much churn, others many.
    churn_ = pick(2) == 0;
  }

  void run() {
    for (int step = 0; step < 1'500; ++step) {
      const auto version = index_.version();
      const auto peer = any_peer();
      const auto topic = any_topic();
      bool changed = false;
      switch (pick(churn_ ? 8 : 20)) {
        case 0:
          changed = !model_[peer].empty();
          index_.remove(peer);
          model_.erase(peer);
          break;
        case 1:
        case 2:
        case 3:
          changed = model_[peer].erase(topic) != 0;
          ASSERT_EQ(index_.cancel(peer, topic), changed);
          break;
        default:
          changed = model_[peer].insert(topic).second;
          ASSERT_EQ(index_.subscribe(peer, topic), changed);
      }
      ASSERT_EQ(index_.version() != version, changed);
      ASSERT_EQ(index_.subscriptions_of(peer), model_[peer].size());
      std::size_t bytes = 0;
      for (const auto& each : model_[peer]) {
        bytes += each.size();
      }
      ASSERT_EQ(index_.topic_bytes_of(peer), bytes);
      compare(any_topic() + any_topic());
      compare(topic);
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
    std::size_t all = 0;
    for (const auto& [peer, topics] : model_) {
      all += topics.size();
      for (const auto& topic : topics) {
        compare(topic);
      }
    }
    ASSERT_EQ(index_.subscriptions(), all);
  }

private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  slot any_peer() {
    constexpr slot slots[] = {0, 1, 2, 3, 5, 8, 100, 1'000};
    return slots[pick(std::size(slots))];
  }

  std::string any_topic() {
    std::string topic;
    switch (pick(kinds_)) {
      case 0:
        // Short, of few bytes, one of them zero: prefixes of one another are frequent.
        for (auto size = pick(6); size > 0; --size) {
          topic += "a\0\xff"[pick(3)];
        }
        return topic;
      case 1:
        // As long as a limit allows, different at the end alone.
        topic.assign(1'020, 'l');
        for (auto size = pick(5); size > 0; --size) {
          topic += static_cast<char>('0' + pick(2));
        }
        return topic;
      case 2:
        for (auto size = 1 + pick(40); size > 0; --size) {
          topic += static_cast<char>('a' + pick(2));
        }
        return topic;
      default:
        // Many lengths; most topics are prefixes of other topics.
        topic.assign(1 + pick(300), 'n');
        if (pick(2) == 0) {
          topic.back() = static_cast<char>('m' + pick(3));
        }
        return topic;
    }
  }

  // Each of the model's pairs of peer and topic is found, once, and nothing else.
  void compare(std::string_view part) {
    std::multiset<slot> expected;
    std::set<std::string_view> distinct;
    bool any_empty = false;
    bool all_empty = true;
    for (const auto& [peer, topics] : model_) {
      for (const auto& topic : topics) {
        any_empty = any_empty || topic.empty();
        all_empty = all_empty && topic.empty();
        if (part.starts_with(topic)) {
          expected.insert(peer);
          distinct.insert(topic);
        }
      }
    }
    std::vector<subscription_index::topic_id> matched;
    index_.match(part, matched);
    std::multiset<slot> found;
    for (const auto id : matched) {
      const auto before = found.size();
      index_.for_each_subscriber(id, [&](slot peer) { found.insert(peer); });
      ASSERT_GT(found.size(), before) << "a topic that nobody wants";
    }
    ASSERT_EQ(found, expected);
    ASSERT_LE(matched.size(), distinct.size());
    ASSERT_EQ(index_.matches(part), !distinct.empty());
    ASSERT_EQ(index_.matches_all(), any_empty);
    ASSERT_EQ(index_.parts_match_alike(), all_empty);
  }

  std::mt19937 random_;
  std::size_t kinds_;
  bool churn_;
  subscription_index index_;
  std::map<slot, std::set<std::string>> model_;
};

TEST(subscription_index_model, random_use_equals_sets_of_topics) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_use_of_index{seed}.run();
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
