// Tests of the ledger by which tests judge servers of the clustered hashmap: the ledger finds each kind of
// fault, and no fault in a good map.
#include "test/interop/update_ledger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace chp::test {
namespace {

using namespace std::chrono_literals;
using kind = update_ledger::kind;
using time_point = update_ledger::time_point;

time_point at(std::chrono::milliseconds ms) { return time_point{ms}; }

struct books : ::testing::Test {
  std::string set(std::uint32_t writer, const std::string& key, std::chrono::milliseconds began,
                  std::chrono::milliseconds committed) {
    auto value = attempt(writer, key, began);
    ledger.commit(writer, ledger.begun(writer), at(committed));
    return value;
  }
  std::string attempt(std::uint32_t writer, const std::string& key,
                      std::chrono::milliseconds began) {
    return ledger.begin(writer, key, kind::set, at(began));
  }
  void erase(std::uint32_t writer, const std::string& key, std::chrono::milliseconds began,
             std::chrono::milliseconds committed) {
    attempt_erase(writer, key, began);
    ledger.commit(writer, ledger.begun(writer), at(committed));
  }
  void attempt_erase(std::uint32_t writer, const std::string& key,
                     std::chrono::milliseconds began) {
    static_cast<void>(ledger.begin(writer, key, kind::erase, at(began)));
  }
  void expect(const update_ledger::map& held, std::uint64_t lost, std::uint64_t resurrected,
              std::uint64_t invented) const {
    const auto found = ledger.check(held);
    EXPECT_EQ(found.lost, lost);
    EXPECT_EQ(found.resurrected, resurrected);
    EXPECT_EQ(found.invented, invented);
    EXPECT_EQ(found.faults.size(), lost + resurrected + invented);
    EXPECT_EQ(found.good(), found.faults.empty());
  }

  update_ledger ledger;
};

TEST_F(books, values_are_as_long_as_asked_and_like_no_other) {
  const auto first = ledger.begin(3, "k", kind::set, at(0ms), 32);
  const auto second = ledger.begin(3, "k", kind::set, at(0ms), 32);
  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(first, second);
  EXPECT_TRUE(ledger.knows("k", first));
  EXPECT_FALSE(ledger.knows("other", first));
  EXPECT_FALSE(ledger.knows("k", first + "x"));
}

TEST_F(books, the_last_committed_value_is_good) {
  set(0, "a", 0ms, 1ms);
  const auto last = set(0, "a", 2ms, 3ms);
  const auto other = set(1, "b", 0ms, 1ms);
  erase(1, "c", 2ms, 3ms);
  expect({{"a", last}, {"b", other}}, 0, 0, 0);
}

TEST_F(books, an_unconfirmed_update_may_be_present_or_absent) {
  const auto committed = set(0, "a", 0ms, 1ms);
  const auto attempted = attempt(0, "a", 2ms);
  const auto alone = attempt(0, "b", 2ms);
  expect({{"a", committed}}, 0, 0, 0);
  expect({{"a", attempted}, {"b", alone}}, 0, 0, 0);
}

TEST_F(books, a_committed_update_is_lost_if_an_earlier_one_is_present) {
  const auto first = set(0, "a", 0ms, 1ms);
  set(0, "a", 2ms, 3ms);
  expect({{"a", first}}, 1, 0, 0);
}

TEST_F(books, a_missing_committed_key_is_lost) {
  set(0, "a", 0ms, 1ms);
  expect({}, 1, 0, 0);
}

TEST_F(books, accepts_a_missing_update_whose_loss_was_told) {
  const auto first = set(0, "a", 0ms, 1ms);
  const auto other = set(1, "b", 0ms, 1ms);
  ledger.lose(0, "a", first);
  expect({}, 1, 0, 0);
  ledger.lose(0, "b", other);  // that of another writer
  expect({}, 1, 0, 0);
  ledger.lose(1, "b", other);
  expect({}, 0, 0, 0);
  expect({{"a", first}}, 0, 0, 1);
}

TEST_F(books, accepts_a_value_if_the_loss_of_its_erasure_was_told) {
  const auto value = set(0, "a", 0ms, 1ms);
  erase(0, "a", 2ms, 3ms);
  expect({{"a", value}}, 0, 1, 0);
  ledger.lose(0, "a", "");
  expect({{"a", value}}, 0, 0, 0);
}

TEST_F(books, an_earlier_erasure_does_not_excuse_a_missing_key) {
  erase(0, "a", 0ms, 1ms);
  set(0, "a", 2ms, 3ms);
  expect({}, 1, 0, 0);
}

TEST_F(books, a_later_erasure_excuses_a_missing_key) {
  set(0, "a", 0ms, 1ms);
  attempt_erase(0, "a", 2ms);
  expect({}, 0, 0, 0);
}

TEST_F(books, a_value_after_its_erasure_is_resurrected) {
  const auto first = set(0, "a", 0ms, 1ms);
  erase(0, "a", 2ms, 3ms);
  expect({{"a", first}}, 0, 1, 0);
}

TEST_F(books, either_of_two_concurrent_writers_may_be_last) {
  const auto one = set(0, "a", 0ms, 5ms);
  const auto other = set(1, "a", 1ms, 4ms);
  expect({{"a", one}}, 0, 0, 0);
  expect({{"a", other}}, 0, 0, 0);
}

TEST_F(books, the_second_of_two_sequential_writers_is_last) {
  const auto one = set(0, "a", 0ms, 1ms);
  const auto other = set(1, "a", 2ms, 3ms);
  expect({{"a", other}}, 0, 0, 0);
  expect({{"a", one}}, 1, 0, 0);
}

TEST_F(books, a_value_that_no_client_set_is_invented) {
  const auto of_a = set(0, "a", 0ms, 1ms);
  erase(1, "b", 0ms, 1ms);
  expect({{"a", of_a}, {"unknown", of_a}}, 0, 0, 1);
  expect({{"a", "0.2."}}, 0, 0, 1);
  expect({{"a", "9.1."}}, 0, 0, 1);
  expect({{"a", of_a}, {"b", "1.1."}}, 0, 0, 1);
}

TEST_F(books, a_forgotten_value_is_still_old) {
  const auto first = set(0, "a", 0ms, 1ms);
  const auto last = set(0, "a", 2ms, 3ms);
  const auto erased = set(1, "b", 0ms, 1ms);
  erase(1, "b", 2ms, 3ms);
  ledger.forget_before({{"a", last}});
  expect({{"a", last}}, 0, 0, 0);
  expect({{"a", first}}, 1, 0, 0);
  expect({}, 1, 0, 0);
  expect({{"a", last}, {"b", erased}}, 0, 1, 0);
  const auto later = set(0, "a", 4ms, 5ms);
  expect({{"a", later}}, 0, 0, 0);
  expect({{"a", last}}, 1, 0, 0);
}

TEST(lifetimes, end_in_time) {
  lifetime_ledger ledger;
  ledger.begin("k", 1s, at(0ms));
  ledger.commit("k", at(5ms));
  EXPECT_EQ(ledger.make_report().left, 1U);
  ledger.gone("k", at(1'000ms));
  ledger.gone("k", at(1'030ms));
  const auto found = ledger.make_report();
  EXPECT_EQ(found.keys, 1U);
  EXPECT_EQ(found.early, 0U);
  EXPECT_EQ(found.left, 0U);
  EXPECT_EQ(found.latest, 25ms);
}

TEST(lifetimes, early_expiries_are_counted_although_others_come_later) {
  lifetime_ledger ledger;
  ledger.begin("k", 1s, at(0ms));
  ledger.commit("k", at(5ms));
  ledger.gone("k", at(999ms));
  ledger.gone("k", at(1'006ms));
  EXPECT_EQ(ledger.make_report().early, 1U);
}

TEST(lifetimes, lifetimes_of_uncommitted_keys_are_not_awaited) {
  lifetime_ledger ledger;
  ledger.begin("k", 1s, at(0ms));
  EXPECT_EQ(ledger.make_report().left, 0U);
}

}  // namespace
}  // namespace chp::test
