#include "mdp/deadline_heap.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <vector>

namespace mdp {
namespace {

using time_point = std::chrono::steady_clock::time_point;

struct owner {
  std::size_t heap_place = not_in_heap;
  std::optional<time_point> due;
};

time_point at(unsigned t) { return time_point{std::chrono::milliseconds{t}}; }

TEST(deadline_heap, an_earlier_deadline_wins_a_later_one_does_not) {
  deadline_heap<owner> heap;
  owner one;
  EXPECT_FALSE(heap.next());
  heap.set_no_later(one, at(5));
  heap.set_no_later(one, at(7));
  EXPECT_EQ(heap.next(), at(5));
  heap.set_no_later(one, at(3));
  EXPECT_EQ(heap.next(), at(3));
  heap.set(one, at(9));
  EXPECT_EQ(heap.next(), at(9));
  heap.remove(one);
  heap.remove(one);
  EXPECT_TRUE(heap.empty());
}

TEST(deadline_heap, random_changes_equal_a_search) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random{seed};
    deadline_heap<owner> heap;
    std::vector<owner> owners(40);
    for (int step = 0; step < 1000; ++step) {
      auto& one = owners[random() % owners.size()];
      if (random() % 3 == 0) {
        heap.remove(one);
        one.due.reset();
      } else {
        one.due = at(static_cast<unsigned>(random() % 100));
        heap.set(one, *one.due);
      }
      std::optional<time_point> first;
      for (const auto& each : owners) {
        if (each.due && (!first || *each.due < *first)) {
          first = each.due;
        }
      }
      ASSERT_EQ(heap.next(), first);
      if (first) {
        ASSERT_EQ(heap.first().due, first);
      }
    }
  }
}

}  // namespace
}  // namespace mdp
