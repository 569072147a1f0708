// Where there is no memory for a subscription, the index is as it was before (reliability.md 4, test 5).

#include "zmtp/routing/subscription_index.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <string>
#include <vector>

namespace {

// How many more requests succeed; none fails while it is negative.
thread_local long left = -1;

}  // namespace

// Not inline into what allocates, so that the compiler does not take them for the library's.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (left >= 0 && left-- == 0) {
    throw std::bad_alloc{};
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc{};
  }
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace zmtp {
namespace {

using slot = subscription_index::slot;

std::string topic(std::size_t n) { return std::to_string(n) + std::string(n % 40, 't'); }

// Checks which peers have which of these topics, and that no peer comes twice.
void expect_same(const subscription_index& index,
                 const std::map<slot, std::set<std::string>>& model) {
  std::size_t all = 0;
  for (const auto& [peer, topics] : model) {
    ASSERT_EQ(index.subscriptions_of(peer), topics.size());
    all += topics.size();
  }
  ASSERT_EQ(index.subscriptions(), all);
  for (const auto& [snapshot_client, topics] : model) {
    for (const auto& part : topics) {
      std::multiset<slot> expected;
      for (const auto& [peer, theirs] : model) {
        for (const auto& each : theirs) {
          if (part.starts_with(each)) {
            expected.insert(peer);
          }
        }
      }
      std::vector<subscription_index::topic_id> matched;
      index.match(part, matched);
      std::multiset<slot> found;
      for (const auto id : matched) {
        const auto before = found.size();
        index.for_each_subscriber(id, [&](slot peer) { found.insert(peer); });
        ASSERT_GT(found.size(), before) << "a topic without subscribers";
      }
      ASSERT_EQ(found, expected);
    }
  }
}

// The n-th request of each subscription fails, for all n, at sizes where the index grows and where
// it does not.
TEST(subscription_index_no_memory, a_subscription_that_fails_changes_nothing) {
  for (const std::size_t size : {0U, 1U, 2U, 13U, 14U, 15U, 16U, 27U, 28U, 31U, 32U, 100U}) {
    for (const slot peer : {0U, 1U, 50U}) {
      for (const bool known_topic : {false, true}) {
        if (known_topic && (size == 0 || peer == 0)) {
          continue;
        }
        for (long n = 0;; ++n) {
          subscription_index index;
          std::map<slot, std::set<std::string>> model;
          for (std::size_t i = 0; i < size; ++i) {
            ASSERT_TRUE(index.subscribe(0, topic(i)));
            model[0].insert(topic(i));
          }
          const auto next = topic(known_topic ? size / 2 : size);
          bool failed = false;
          left = n;
          try {
            static_cast<void>(index.subscribe(peer, next));
          } catch (const std::bad_alloc&) {
            failed = true;
          }
          left = -1;
          SCOPED_TRACE("topics " + std::to_string(size) + ", peer " + std::to_string(peer) +
                       ", request " + std::to_string(n) + (known_topic ? ", known topic" : ""));
          if (failed) {
            ASSERT_NO_FATAL_FAILURE(expect_same(index, model));
            std::vector<subscription_index::topic_id> matched;
            index.match(next, matched);
            for (const auto id : matched) {
              std::size_t subscribers = 0;
              index.for_each_subscriber(id, [&](slot) { ++subscribers; });
              ASSERT_GT(subscribers, 0U) << "a topic without subscribers is found";
            }
            // Subscribing works again once there is memory.
            ASSERT_TRUE(index.subscribe(peer, next));
          }
          model[peer].insert(next);
          ASSERT_NO_FATAL_FAILURE(expect_same(index, model));
          ASSERT_TRUE(index.cancel(peer, next));
          model[peer].erase(next);
          ASSERT_NO_FATAL_FAILURE(expect_same(index, model));
          index.remove(0);
          ASSERT_EQ(index.subscriptions(), 0U);
          if (!failed) {
            break;
          }
        }
      }
    }
  }
}

// A disconnect cannot report a failure.
TEST(subscription_index_no_memory, removing_a_peer_needs_none) {
  for (const std::size_t size : {1U, 10U, 1'000U}) {
    subscription_index index;
    for (std::size_t i = 0; i < size; ++i) {
      // Most of the bytes go with it.
      ASSERT_TRUE(index.subscribe(0, std::string(100, 'x') + topic(i)));
      ASSERT_TRUE(index.subscribe(1, topic(i)));
    }
    left = 0;
    EXPECT_NO_THROW(index.remove(0)) << size;
    left = -1;
  }
}

}  // namespace
}  // namespace zmtp
