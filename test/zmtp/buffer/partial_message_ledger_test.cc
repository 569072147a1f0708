// Evictions when partial messages exceed their budget, on ledgers without connections.

#include "zmtp/buffer/memory_ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace zmtp {
namespace {

using entry = partial_message_ledger::entry;

constexpr entry* nobody = nullptr;

class a_partial_message_ledger : public testing::Test {
protected:
  ~a_partial_message_ledger() override {
    for (auto* each : {&a, &b, &c}) {
      ledger.release(*each);
    }
    EXPECT_EQ(ledger.used(), 0U);
  }

  partial_message_ledger ledger{100};
  entry a;
  entry b;
  entry c;
};

TEST_F(a_partial_message_ledger, lets_all_partial_messages_grow_up_to_its_budget) {
  EXPECT_EQ(ledger.hold(a, 10), nobody);
  EXPECT_EQ(ledger.hold(b, 30), nobody);
  EXPECT_EQ(ledger.hold(a, 70), nobody);
  EXPECT_EQ(a.bytes(), 70U);
  EXPECT_EQ(ledger.used(), 100U);
}

TEST_F(a_partial_message_ledger, evicts_the_largest_when_another_grows) {
  ASSERT_EQ(ledger.hold(a, 40), nobody);
  ASSERT_EQ(ledger.hold(b, 50), nobody);
  ASSERT_EQ(ledger.hold(c, 10), nobody);
  EXPECT_EQ(ledger.hold(c, 20), &b);
  EXPECT_TRUE(b.evicted());
  EXPECT_EQ(b.bytes(), 0U);
  EXPECT_EQ(c.bytes(), 10U) << "the first call changed nothing";
  EXPECT_EQ(ledger.hold(c, 20), nobody);
  EXPECT_EQ(ledger.used(), 60U);
}

TEST_F(a_partial_message_ledger, evicts_the_growing_message_if_it_would_be_the_largest) {
  ASSERT_EQ(ledger.hold(a, 60), nobody);
  ASSERT_EQ(ledger.hold(b, 20), nobody);
  EXPECT_EQ(ledger.hold(b, 61), &b);
  EXPECT_TRUE(b.evicted());
  EXPECT_EQ(ledger.used(), 60U);
  EXPECT_FALSE(a.evicted());
}

TEST_F(a_partial_message_ledger, evicts_the_largest_if_it_grows) {
  ASSERT_EQ(ledger.hold(a, 60), nobody);
  ASSERT_EQ(ledger.hold(b, 40), nobody);
  EXPECT_EQ(ledger.hold(a, 61), &a);
  EXPECT_EQ(ledger.used(), 40U);
}

TEST_F(a_partial_message_ledger, holds_nothing_larger_than_its_budget) {
  EXPECT_EQ(ledger.hold(a, 101), &a);
  EXPECT_EQ(ledger.hold(b, 100), nobody);
}

// A peer that stops in the middle would keep out all whose messages are as large as its own.
TEST_F(a_partial_message_ledger, evicts_the_one_of_two_equals_that_grew_earlier) {
  ASSERT_EQ(ledger.hold(a, 40), nobody);
  ASSERT_EQ(ledger.hold(b, 20), nobody);
  ASSERT_EQ(ledger.hold(c, 20), nobody);
  ASSERT_EQ(ledger.hold(b, 40), nobody);
  EXPECT_EQ(ledger.hold(c, 40), &a);
  EXPECT_EQ(ledger.hold(c, 40), nobody);
  ledger.release(a);
  EXPECT_EQ(ledger.hold(a, 40), &b);
}

TEST_F(a_partial_message_ledger, forgets_completed_and_disconnected_messages) {
  ASSERT_EQ(ledger.hold(a, 90), nobody);
  ledger.release(a);
  ledger.release(a);
  EXPECT_EQ(ledger.used(), 0U);
  EXPECT_EQ(ledger.hold(b, 90), nobody);
}

TEST_F(a_partial_message_ledger, takes_back_memory_that_is_no_longer_needed) {
  ASSERT_EQ(ledger.hold(a, 90), nobody);
  EXPECT_EQ(ledger.hold(a, 30), nobody);
  EXPECT_EQ(ledger.used(), 30U);
}

TEST_F(a_partial_message_ledger, gives_an_evicted_message_nothing_until_it_is_released) {
  ASSERT_EQ(ledger.hold(a, 90), nobody);
  ASSERT_EQ(ledger.hold(b, 20), &a);
  EXPECT_EQ(ledger.hold(a, 1), &a);
  EXPECT_EQ(ledger.used(), 0U);
  ledger.release(a);
  EXPECT_FALSE(a.evicted());
  EXPECT_EQ(ledger.hold(a, 50), nobody);
}

TEST_F(a_partial_message_ledger, evicts_nothing_after_a_smaller_budget_until_one_grows) {
  ASSERT_EQ(ledger.hold(a, 40), nobody);
  ASSERT_EQ(ledger.hold(b, 35), nobody);
  ASSERT_EQ(ledger.hold(c, 5), nobody);
  ledger.set_budget(20);
  EXPECT_EQ(ledger.hold(b, 34), nobody) << "the connection needs less memory";
  EXPECT_EQ(ledger.hold(c, 6), &a);
  EXPECT_EQ(ledger.hold(c, 6), &b) << "one eviction was not enough";
  EXPECT_EQ(ledger.hold(c, 6), nobody);
  EXPECT_EQ(ledger.used(), 6U);
}

TEST_F(a_partial_message_ledger, counts_without_wrapping) {
  ledger.set_budget(static_cast<std::size_t>(-1));
  EXPECT_EQ(ledger.hold(a, static_cast<std::size_t>(-1) - 5), nobody);
  EXPECT_EQ(ledger.hold(b, 10), &a);
}

TEST(partial_message_ledger, agrees_with_a_simple_model_for_any_requests) {
  struct plain {
    std::size_t bytes = 0;
    std::size_t since = 0;
    bool evicted = false;
  };
  constexpr std::size_t budget = 1'000;
  std::mt19937 random{7};
  partial_message_ledger ledger{budget};
  std::array<entry, 12> entries;
  std::array<plain, 12> model{};
  for (std::size_t step = 1; step < 20'000; ++step) {
    const auto who = random() % entries.size();
    if (random() % 8 == 0) {
      ledger.release(entries[who]);
      model[who] = {};
      continue;
    }
    const std::size_t bytes = 1 + random() % 16 * 20;
    std::size_t others = 0;
    for (std::size_t i = 0; i < model.size(); ++i) {
      others += i == who ? 0 : model[i].bytes;
    }
    entry* expected = nobody;
    if (model[who].evicted) {
      expected = &entries[who];
    } else if (bytes <= model[who].bytes || others + bytes <= budget) {
      model[who].bytes = bytes;
      model[who].since = step;
    } else {
      auto wanted = model;
      wanted[who].bytes = bytes;
      wanted[who].since = step;
      const auto goes = static_cast<std::size_t>(
          std::max_element(wanted.begin(), wanted.end(),
                           [](const plain& x, const plain& y) {
                             return x.bytes != y.bytes ? x.bytes < y.bytes : x.since > y.since;
                           }) -
          wanted.begin());
      model[goes] = {.bytes = 0, .since = 0, .evicted = true};
      expected = &entries[goes];
    }
    ASSERT_EQ(ledger.hold(entries[who], bytes), expected) << "step " << step;
    std::size_t used = 0;
    for (const auto& each : model) {
      used += each.bytes;
    }
    ASSERT_EQ(ledger.used(), used) << "step " << step;
    ASSERT_LE(used, budget);
  }
  for (auto& each : entries) {
    ledger.release(each);
  }
}

}  // namespace
}  // namespace zmtp
