// The limits of queues when memory is short, on ledgers without sockets.

#include "zmtp/buffer/memory_ledger.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

namespace zmtp {
namespace {

using step = queue_ledger::step;

constexpr std::ptrdiff_t unit = 1024 * 1024;
constexpr std::size_t unlimited = memory_account::unlimited;

// Sets the memory in use to `bytes`.
void use(queue_ledger& ledger, std::ptrdiff_t bytes) {
  ledger.change(bytes - static_cast<std::ptrdiff_t>(ledger.used()));
}

TEST(queue_ledger, leaves_queues_to_their_marks_while_half_of_it_is_free) {
  queue_ledger ledger{64 * unit};
  EXPECT_EQ(ledger.quota(), unlimited);
  use(ledger, 32 * unit);
  EXPECT_EQ(ledger.now(), step::ample);
  EXPECT_EQ(ledger.quota(), unlimited);
  EXPECT_EQ(ledger.times_scarce(), 0U);
}

TEST(queue_ledger, allows_each_queue_less_when_less_memory_is_free) {
  queue_ledger ledger{64 * unit};
  use(ledger, 32 * unit + 1);
  EXPECT_EQ(ledger.now(), step::scarce);
  EXPECT_EQ(ledger.quota(), 2U * unit);
  use(ledger, 48 * unit + 1);
  EXPECT_EQ(ledger.now(), step::little);
  EXPECT_EQ(ledger.quota(), 256U * 1024);
  use(ledger, 56 * unit + 1);
  EXPECT_EQ(ledger.now(), step::spent);
  EXPECT_EQ(ledger.quota(), queue_ledger::least);
  use(ledger, 1'000 * unit);
  EXPECT_EQ(ledger.quota(), queue_ledger::least);
  EXPECT_EQ(ledger.times_scarce(), 1U);
}

TEST(queue_ledger, takes_several_steps_at_once) {
  queue_ledger ledger{64 * unit};
  use(ledger, 64 * unit);
  EXPECT_EQ(ledger.now(), step::spent);
  EXPECT_EQ(ledger.times_scarce(), 1U);
  use(ledger, 0);
  EXPECT_EQ(ledger.now(), step::ample);
}

// Otherwise, each message would notify every queue.
TEST(queue_ledger, leaves_a_step_an_eighth_below_its_beginning) {
  queue_ledger ledger{64 * unit};
  use(ledger, 64 * unit);
  use(ledger, 48 * unit + 1);
  EXPECT_EQ(ledger.now(), step::spent);
  use(ledger, 48 * unit);
  EXPECT_EQ(ledger.now(), step::little);
  use(ledger, 40 * unit + 1);
  EXPECT_EQ(ledger.now(), step::little);
  use(ledger, 40 * unit);
  EXPECT_EQ(ledger.now(), step::scarce);
  use(ledger, 24 * unit + 1);
  EXPECT_EQ(ledger.now(), step::scarce);
  use(ledger, 24 * unit);
  EXPECT_EQ(ledger.now(), step::ample);
  use(ledger, 32 * unit);
  EXPECT_EQ(ledger.now(), step::ample);
  use(ledger, 33 * unit);
  EXPECT_EQ(ledger.times_scarce(), 2U);
}

TEST(queue_ledger, a_new_budget_applies_at_once) {
  queue_ledger ledger{64 * unit};
  use(ledger, 20 * unit);
  ledger.set_budget(16 * unit);
  EXPECT_EQ(ledger.budget(), 16U * unit);
  EXPECT_EQ(ledger.now(), step::spent);
  ledger.set_budget(64 * unit);
  EXPECT_EQ(ledger.now(), step::ample);
}

// A block may enter one account and leave another, which reports first.
TEST(queue_ledger, may_be_below_zero_for_a_while) {
  queue_ledger ledger{64 * unit};
  ledger.change(-10 * unit);
  EXPECT_EQ(ledger.used(), 0U);
  EXPECT_EQ(ledger.quota(), unlimited);
  ledger.change(42 * unit);
  EXPECT_EQ(ledger.used(), 32U * unit);
  EXPECT_EQ(ledger.now(), step::ample);
}

TEST(queue_ledger, a_zero_budget_allows_the_minimum_once_anything_is_queued) {
  queue_ledger ledger{0};
  EXPECT_EQ(ledger.quota(), unlimited);
  ledger.change(1);
  EXPECT_EQ(ledger.quota(), queue_ledger::least);
  ledger.change(-1);
  EXPECT_EQ(ledger.quota(), unlimited);
}

TEST(queue_ledger, without_bounds_is_always_ample) {
  queue_ledger ledger{std::numeric_limits<std::size_t>::max()};
  ledger.change(std::numeric_limits<std::ptrdiff_t>::max() / 2);
  EXPECT_EQ(ledger.now(), step::ample);
}

TEST(queue_ledger, ignores_larger_changes_if_the_budget_is_larger) {
  EXPECT_EQ(queue_ledger{1}.unheard(), 16U * 1024);
  EXPECT_EQ(queue_ledger{256 * unit}.unheard(), 64U * 1024);
  EXPECT_EQ(queue_ledger{64 * 1024 * std::size_t{unit}}.unheard(), 256U * 1024);
}

// The guarantees of the steps, checked after each of many changes. The model is a table, unlike the
// ledger.
class random_use_of_ledger {
public:
  explicit random_use_of_ledger(unsigned seed)
      : random_{seed}, budget_{pick(1'000'000)}, ledger_{budget_} {}

  void run() {
    for (int i = 0; i < 2'000; ++i) {
      const auto before = ledger_.now();
      if (pick(50) == 0) {
        budget_ = pick(1'000'000);
        ledger_.set_budget(budget_);
      } else {
        const auto target = pick(budget_ + budget_ / 8 + 2);
        const auto by = static_cast<std::ptrdiff_t>(target) - used_;
        // In small pieces as well as in large ones.
        const auto part = by / static_cast<std::ptrdiff_t>(1 + pick(8));
        used_ += part;
        ledger_.change(part);
      }
      look(before);
    }
  }

private:
  void look(step before) {
    const auto used = static_cast<std::size_t>(used_);
    ASSERT_EQ(ledger_.used(), used);
    // The highest step that has begun, and the lowest that has not ended, bound it.
    ASSERT_GE(ledger_.now(), at(used, 0));
    ASSERT_LE(ledger_.now(), at(used, budget_ / 8));
    if (ledger_.now() > before) {
      ASSERT_EQ(ledger_.now(), at(used, 0)) << "no further than it has to";
    } else if (ledger_.now() < before) {
      ASSERT_EQ(ledger_.now(), at(used, budget_ / 8)) << "as far as it may";
    }
    scarce_ += before == step::ample && ledger_.now() != step::ample ? 1U : 0U;
    ASSERT_EQ(ledger_.times_scarce(), scarce_);
    ASSERT_GE(ledger_.quota(), queue_ledger::least);
    ASSERT_EQ(ledger_.quota() == unlimited, ledger_.now() == step::ample);
  }
  [[nodiscard]] step at(std::size_t used, std::size_t margin) const {
    return used > budget_ - budget_ / 8 - margin   ? step::spent
           : used > budget_ - budget_ / 4 - margin ? step::little
           : used > budget_ / 2 - margin           ? step::scarce
                                                   : step::ample;
  }
  std::size_t pick(std::size_t below) { return random_() % below; }

  std::mt19937 random_;
  std::size_t budget_;
  queue_ledger ledger_;
  std::ptrdiff_t used_ = 0;
  std::uint64_t scarce_ = 0;
};

TEST(queue_ledger, under_random_use_follows_its_steps) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    random_use_of_ledger{seed}.run();
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace zmtp
