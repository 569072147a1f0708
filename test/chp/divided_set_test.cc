// A hash table in parts.

#include "chp/divided_set.h"

#include "zmtp/routing/keyed_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>

namespace chp {
namespace {

struct element {
  std::uint64_t key;
  mutable std::uint64_t value;
};
struct key_of {
  std::uint64_t operator()(const element& e) const noexcept { return e.key; }
};
using table = divided_set<element, key_of, zmtp::keyed_hash>;

struct hashed_element {
  std::uint64_t key;
  std::uint64_t hash;
};
struct key_of_hashed {
  std::uint64_t operator()(const hashed_element& e) const noexcept { return e.key; }
};
struct counting_hash {
  std::uint64_t* calls;
  std::uint64_t operator()(std::uint64_t key) const noexcept {
    ++*calls;
    return zmtp::keyed_hash{1}(key);
  }
};

// With keys that come, go and come again, until there are many parts; against a map.
TEST(divided_set, contains_elements_that_were_inserted_and_not_erased) {
  for (const std::size_t first_parts : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    table t{zmtp::keyed_hash{first_parts}, first_parts};
    std::map<std::uint64_t, std::uint64_t> model;
    std::minstd_rand random{1};
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      const std::uint64_t key = random() % 60'000;
      const auto p = t.probe_of(key);
      const auto* const found = t.find(p);
      const auto known = model.find(key);
      ASSERT_EQ(found != nullptr, known != model.end()) << i;
      if (found == nullptr) {
        EXPECT_EQ(t.insert({key, i}, p).value, i);
        model.emplace(key, i);
      } else if (i % 3 == 0) {
        t.erase(t.place_of(p));
        model.erase(known);
      } else {
        ASSERT_EQ(found->value, known->second);
        found->value = known->second = i;
      }
    }
    EXPECT_EQ(t.size(), model.size());
    for (std::uint64_t key = 0; key < 60'000; ++key) {
      const auto* const found = t.find(key);
      const auto known = model.find(key);
      ASSERT_EQ(found != nullptr, known != model.end()) << key;
      ASSERT_TRUE(found == nullptr || found->value == known->second) << key;
      ASSERT_EQ(t.erase(key), known != model.end());
    }
    EXPECT_EQ(t.size(), 0U);
  }
}

TEST(divided_set, hashes_a_key_once_if_its_element_stores_the_hash) {
  std::uint64_t calls = 0;
  divided_set<hashed_element, key_of_hashed, counting_hash> t{counting_hash{&calls}};
  constexpr std::uint64_t keys = 50'000;
  for (std::uint64_t key = 0; key < keys; ++key) {
    const auto p = t.probe_of(key);
    t.insert({key, p.hash}, p);
  }
  EXPECT_EQ(calls, keys) << "the parts were divided by the stored hashes";
  for (std::uint64_t key = 0; key < keys; ++key) {
    ASSERT_TRUE(t.contains(key)) << key;
  }
}

TEST(divided_set, is_freed_in_parts_and_can_be_used_again) {
  table t{zmtp::keyed_hash{1}};
  constexpr std::uint64_t keys = 100'000;
  for (std::uint64_t key = 0; key < keys; ++key) {
    t.insert({key, key});
  }
  std::size_t calls = 0;
  for (bool ended = false; !ended; ++calls) {
    const auto before = t.size();
    std::size_t most = 1'000;
    ended = t.dismantle(most);
    EXPECT_LE(before - t.size(), 1'000U + 4'096U);
    EXPECT_TRUE(ended || most == 0);
  }
  EXPECT_GT(calls, keys / 5'096);
  EXPECT_EQ(t.size(), 0U);
  EXPECT_FALSE(t.contains(7));
  t.insert({7, 1});
  EXPECT_TRUE(t.contains(7));
  t.clear();
  EXPECT_FALSE(t.contains(7));
}

}  // namespace
}  // namespace chp
