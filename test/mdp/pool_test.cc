#include "mdp/pool.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace mdp {
namespace {

struct counted {
  explicit counted(std::shared_ptr<int> c) : count{std::move(c)} { ++*count; }
  counted(const counted&) = delete;
  ~counted() { --*count; }
  std::shared_ptr<int> count;
  int value = 7;
};

TEST(pool, addresses_hold_and_every_object_is_destroyed_once) {
  const auto count = std::make_shared<int>(0);
  {
    pool<counted> objects;
    std::vector<counted*> live;
    std::mt19937 random{1};
    for (int step = 0; step < 10'000; ++step) {
      if (live.empty() || random() % 5 < 3) {
        live.push_back(&objects.create(count));
        ASSERT_EQ(live.back()->value, 7);
        live.back()->value = step;
      } else {
        const auto at = random() % live.size();
        objects.destroy(*live[at]);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      }
      ASSERT_EQ(objects.size(), live.size());
      ASSERT_EQ(*count, static_cast<int>(live.size()));
    }
    int last = -1;
    for (const auto* one : live) {
      ASSERT_GT(one->value, last);
      last = one->value;
    }
    EXPECT_GT(live.size(), 100U);
  }
  EXPECT_EQ(*count, 0);
}

TEST(pool, visits_every_object_and_allows_its_destruction) {
  pool<int> numbers;
  std::set<int> expected;
  for (int i = 0; i < 200; ++i) {
    auto& one = numbers.create(i);
    if (i % 3 == 0) {
      numbers.destroy(one);
    } else {
      expected.insert(i);
    }
  }
  std::set<int> seen;
  numbers.for_each([&](int& one) {
    EXPECT_TRUE(seen.insert(one).second);
    numbers.destroy(one);
  });
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(numbers.size(), 0U);
}

TEST(pool, reuses_the_memory_of_destroyed_objects) {
  pool<int> numbers;
  auto& one = numbers.create(1);
  numbers.destroy(one);
  EXPECT_EQ(&numbers.create(2), &one);
}

}  // namespace
}  // namespace mdp
