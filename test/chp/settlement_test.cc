// The settlement of an offer: all updates of the offered sessions that the peer had applied.

#include "chp/settlement.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace chp {
namespace {

const auto session = update_id::make_session(0xfeed);
const auto other = update_id::make_session(0xbeef);

update_id id(std::uint64_t counter) { return update_id::of_session(session, counter); }

class a_settlement : public testing::Test {
protected:
  settlement of_theirs() { return settlement{std::move(theirs)}; }
  // How many sessions there were.
  std::size_t settle(settlement& s) {
    std::size_t count = 0;
    for (; s.pending(); ++count) {
      (void)s.settle_next(ours);
    }
    return count;
  }

  std::unique_ptr<update_register> theirs = std::make_unique<update_register>(1);
  update_register ours{2};
};

TEST_F(a_settlement, is_empty_without_an_offer) {
  theirs->insert(id(1));
  auto s = of_theirs();
  s.add(update_id::of_random(1, 2));
  EXPECT_FALSE(s.pending());
  EXPECT_FALSE(settlement{}.pending());
}

TEST_F(a_settlement, contains_only_sessions_of_offered_updates) {
  theirs->insert(id(1));
  theirs->insert(id(2));
  theirs->insert(update_id::of_session(other, 1));
  auto s = of_theirs();
  s.add(id(2));
  ASSERT_TRUE(s.pending());
  EXPECT_EQ(settle(s), 1U);
  EXPECT_TRUE(ours.contains(id(1)));
  EXPECT_FALSE(ours.contains(update_id::of_session(other, 1)));
}

TEST_F(a_settlement, leaves_out_updates_that_the_peer_lacked_or_may_have_refused) {
  for (const auto counter : {1U, 2U, 5U, 6U, 9U}) {
    theirs->insert(id(counter));
  }
  theirs->refuse(id(7), errc::too_many_keys);
  ours.insert(id(6));
  auto s = of_theirs();
  s.add(id(9));
  EXPECT_EQ(settle(s), 1U);
  const auto known = ours.find(session);
  EXPECT_EQ(known.counter, 9U);
  ASSERT_EQ(known.gaps.size(), 2U);
  EXPECT_EQ(known.gaps[0], (counter_range{3, 4}));
  EXPECT_EQ(known.gaps[1], (counter_range{8, 8}));
  ASSERT_EQ(known.refused.size(), 1U);
  EXPECT_EQ(known.refused[0], (refusal{{7, 7}, errc::too_many_keys}));

  // More than are remembered.
  theirs = std::make_unique<update_register>(3);
  for (std::uint64_t counter = 1; counter <= 4 * max_refusals; counter += 2) {
    theirs->refuse(update_id::of_session(other, counter), errc::too_many_keys);
    theirs->insert(update_id::of_session(other, counter + 1));
  }
  const auto unsure = theirs->find(other).unsure;
  ASSERT_NE(unsure, 0U);
  auto another = of_theirs();
  another.add(update_id::of_session(other, 2));
  EXPECT_EQ(settle(another), 1U);
  EXPECT_FALSE(ours.contains(update_id::of_session(other, unsure)));
  EXPECT_TRUE(ours.contains(update_id::of_session(other, unsure + 1)));
}

TEST_F(a_settlement, closes_all_gaps_of_any_register) {
  for (std::uint64_t counter = 1; counter <= 1'000; ++counter) {
    theirs->insert(id(counter));
  }
  // More gaps than there may be: some of them, and the last one, are kept as ids of others are.
  for (std::uint64_t counter = 3; counter <= 1'000; counter += 3) {
    ours.insert(id(counter));
  }
  ours.insert(id(1'000));
  ASSERT_LT(ours.find(session).counter, 1'000U);
  auto s = of_theirs();
  s.add(id(3));
  EXPECT_EQ(settle(s), 1U);
  EXPECT_EQ(ours.find(session).counter, 1'000U);
  EXPECT_TRUE(ours.find(session).gaps.empty());
}

TEST_F(a_settlement, takes_no_longer_with_greater_counters) {
  theirs->insert(id(update_id::max_counter));
  theirs->insert(id(update_id::max_counter / 2));
  ours.insert(id(7));
  auto s = of_theirs();
  s.add(id(1));
  EXPECT_EQ(settle(s), 1U);
  EXPECT_TRUE(ours.contains(id(update_id::max_counter)));
  EXPECT_EQ(ours.find(session).gaps.size(), 3U);
}

TEST_F(a_settlement, an_applied_update_does_not_become_refused) {
  for (std::uint64_t counter = 1; counter <= 5; ++counter) {
    theirs->refuse(id(counter), errc::too_many_keys);
  }
  ours.insert(id(3));
  auto s = of_theirs();
  s.add(id(1));
  EXPECT_EQ(settle(s), 1U);
  const auto known = ours.find(session);
  ASSERT_EQ(known.refused.size(), 2U);
  EXPECT_EQ(known.refused[0].updates, (counter_range{1, 2}));
  EXPECT_EQ(known.refused[1].updates, (counter_range{4, 5}));
}

}  // namespace
}  // namespace chp
