#include "zmtp/routing/pipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace zmtp {
namespace {

std::vector<slot_ring::slot> turns(slot_ring& ring, int count) {
  std::vector<slot_ring::slot> seen;
  for (int i = 0; i < count; ++i) {
    seen.push_back(ring.current());
    ring.advance();
  }
  return seen;
}

TEST(slot_ring, gives_each_slot_its_turn_in_order_of_entry) {
  slot_ring ring;
  EXPECT_TRUE(ring.empty());
  for (const slot_ring::slot s : {7U, 2U, 5U}) {
    ring.insert(s);
  }
  EXPECT_EQ(turns(ring, 7), (std::vector<slot_ring::slot>{7, 2, 5, 7, 2, 5, 7}));
}

TEST(slot_ring, a_new_slot_has_the_last_turn) {
  slot_ring ring;
  ring.insert(0);
  ring.insert(1);
  ring.insert(2);
  ring.advance();
  ring.insert(3);
  EXPECT_EQ(turns(ring, 5), (std::vector<slot_ring::slot>{1, 2, 0, 3, 1}));
}

TEST(slot_ring, entering_twice_is_entering_once) {
  slot_ring ring;
  ring.insert(4);
  ring.insert(9);
  ring.insert(4);
  EXPECT_EQ(turns(ring, 4), (std::vector<slot_ring::slot>{4, 9, 4, 9}));
  ring.erase(4);
  EXPECT_FALSE(ring.contains(4));
  EXPECT_EQ(turns(ring, 2), (std::vector<slot_ring::slot>{9, 9}));
}

TEST(slot_ring, the_turn_of_a_removed_slot_passes_to_the_next) {
  slot_ring ring;
  for (slot_ring::slot s = 0; s < 4; ++s) {
    ring.insert(s);
  }
  ring.advance();
  ring.erase(1);
  EXPECT_EQ(ring.current(), 2U);
  ring.erase(0);
  EXPECT_EQ(turns(ring, 3), (std::vector<slot_ring::slot>{2, 3, 2}));
}

TEST(slot_ring, is_empty_and_usable_after_the_last_removal) {
  slot_ring ring;
  ring.insert(3);
  ring.erase(3);
  EXPECT_TRUE(ring.empty());
  ring.erase(3);
  ring.erase(1000);
  EXPECT_TRUE(ring.empty());
  ring.insert(3);
  EXPECT_EQ(turns(ring, 2), (std::vector<slot_ring::slot>{3, 3}));
}

TEST(slot_ring, random_use_equals_a_list) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random{seed};
    slot_ring ring;
    std::deque<slot_ring::slot> expected;  // from the one whose turn it is
    for (int step = 0; step < 500; ++step) {
      const auto s = static_cast<slot_ring::slot>(random() % 12);
      const auto at = std::find(expected.begin(), expected.end(), s);
      switch (random() % 3) {
        case 0:
          ring.insert(s);
          if (at == expected.end()) {
            expected.push_back(s);
          }
          break;
        case 1:
          ring.erase(s);
          if (at != expected.end()) {
            expected.erase(at);
          }
          break;
        default:
          if (!expected.empty()) {
            ring.advance();
            expected.push_back(expected.front());
            expected.pop_front();
          }
      }
      ASSERT_EQ(ring.empty(), expected.empty()) << "seed " << seed;
      ASSERT_EQ(ring.size(), expected.size()) << "seed " << seed;
      for (slot_ring::slot i = 0; i < 12; ++i) {
        const bool in = std::find(expected.begin(), expected.end(), i) != expected.end();
        ASSERT_EQ(ring.contains(i), in) << "seed " << seed;
      }
      if (!expected.empty()) {
        ASSERT_EQ(ring.current(), expected.front()) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace zmtp
