// The rules of a witness, and what a server asks it for.

#include "chp/witness_state.h"

#include <boost/system/errc.hpp>
#include <boost/system/error_code.hpp>
#include <gtest/gtest.h>

namespace chp {
namespace {

using std::chrono::milliseconds;
using outcome = witness_outcome;

constexpr member_id a = 10;
constexpr member_id b = 20;
constexpr member_id c = 30;

TEST(witness_rules, only_a_member_takes_over_with_a_higher_epoch) {
  const membership both{1, 5, a, {a, b}};
  EXPECT_TRUE(may_change(both, {2, 6, b, {b}}, b));
  EXPECT_TRUE(may_change(both, {2, 6, b, {a, b}}, b));
  EXPECT_FALSE(may_change(both, {2, 5, b, {b}}, b)) << "the epoch of another server";
  EXPECT_FALSE(may_change(both, {2, 4, b, {b}}, b));
  EXPECT_FALSE(may_change(both, {2, 6, c, {c}}, c));
  EXPECT_FALSE(may_change(both, {2, 6, b, {a}}, b)) << "not a member itself";
  EXPECT_FALSE(may_change(both, {2, 6, b, {b, c}}, b)) << "it may lack what was committed";
  EXPECT_FALSE(may_change({1, 5, a, {a}}, {2, 6, b, {b}}, b)) << "it was removed";
  EXPECT_FALSE(may_change(both, {2, 6, a, {a, b}}, b)) << "for another server";
  EXPECT_FALSE(may_change(both, {1, 6, b, {b}}, b)) << "the same revision";
}

TEST(witness_rules, any_server_takes_an_epoch_above_a_record_without_members) {
  EXPECT_TRUE(may_change({}, {1, 1, a, {a}}, a));
  EXPECT_FALSE(may_change({}, {1, 0, a, {a}}, a));
  // An operator has removed all members, which were lost.
  EXPECT_TRUE(may_change({8, 5, 0, {}}, {9, 6, b, {b}}, b));
  EXPECT_FALSE(may_change({8, 5, 0, {}}, {9, 5, b, {b}}, b)) << "epochs are not used again";
}

TEST(witness_rules, the_active_server_adds_and_removes_others) {
  EXPECT_TRUE(may_change({1, 5, a, {a}}, {2, 5, a, {a, b}}, a));
  EXPECT_TRUE(may_change({1, 5, a, {a, b}}, {2, 5, a, {a}}, a));
  EXPECT_FALSE(may_change({1, 5, a, {a, b}}, {2, 5, a, {b}}, a));
  EXPECT_FALSE(may_change({1, 5, a, {a, b}}, {2, 5, b, {b}}, a));
}

// A server beside the record of the witness.
class witness_state_test : public testing::Test {
protected:
  // Carries out the next attempt, whose answer has not come yet.
  witness_state::attempt ask(witness_state& of) {
    const auto what = of.next(now);
    EXPECT_TRUE(what);
    EXPECT_FALSE(of.next(now)) << "one at a time";
    EXPECT_FALSE(of.next_deadline());
    return what.value_or(witness_state::attempt{});
  }
  void carry_out(const witness_state::attempt& what) {
    record = record == what.from ? what.to : record;
  }
  outcome answer(witness_state& of) { return of.on_answer({}, record, now); }
  outcome answer_lost(witness_state& of) {
    return of.on_answer(make_error_code(boost::system::errc::timed_out), {}, now);
  }
  // Asks until the witness has answered all that the server wants.
  outcome settle(witness_state& of) {
    auto last = outcome::nothing;
    for (int i = 0; i < 10; ++i) {
      const auto what = of.next(now);
      if (!what) {
        return last;
      }
      carry_out(*what);
      last = answer(of);
    }
    ADD_FAILURE() << "asks for ever";
    return last;
  }
  outcome acquire(witness_state& of, std::uint64_t epoch) {
    of.acquire(epoch);
    return settle(of);
  }

  static constexpr milliseconds retry{100};
  witness_state at_a{a, retry};
  witness_state at_b{b, retry};
  membership record;
  witness_state::time_point now{};
};

TEST_F(witness_state_test, a_server_takes_part_after_it_has_seen_the_record) {
  EXPECT_FALSE(at_a.is_member());
  EXPECT_TRUE(at_a.had_data()) << "it cannot know";
  at_a.on_changed(record);
  EXPECT_TRUE(at_a.is_member());
  EXPECT_FALSE(at_a.had_data());
  EXPECT_FALSE(at_a.is_emptied());
  at_b.acquire(2);
  carry_out(ask(at_b));
  EXPECT_EQ(answer_lost(at_b), outcome::refused);
  EXPECT_FALSE(at_b.is_member());
  at_b.on_changed(record);
  EXPECT_FALSE(at_b.had_data()) << "the epoch is its own";
  EXPECT_TRUE(at_b.is_member());
  at_a.on_changed(record);
  EXPECT_TRUE(at_a.had_data());
  record = {record.revision + 1, record.epoch, 0, {}};
  at_b.on_changed(record);
  EXPECT_TRUE(at_b.is_emptied());
  EXPECT_TRUE(at_b.had_data());
}

TEST_F(witness_state_test, asks_for_nothing_while_it_wants_nothing) {
  EXPECT_FALSE(at_a.next(now));
  EXPECT_FALSE(at_a.next_deadline());
  at_a.add(b);
  EXPECT_FALSE(at_a.next(now)) << "it is not active";
  EXPECT_FALSE(at_a.is_alone() || at_a.has_backup());
}

TEST_F(witness_state_test, one_of_two_servers_gets_an_epoch) {
  EXPECT_EQ(acquire(at_a, 1), outcome::acquired);
  EXPECT_EQ(record, (membership{1, 1, a, {a}}));
  EXPECT_TRUE(at_a.is_alone());
  EXPECT_EQ(acquire(at_b, 2), outcome::refused);
  EXPECT_FALSE(at_b.is_member());
  EXPECT_FALSE(at_b.is_alone());
  EXPECT_EQ(at_b.known().epoch, 1U);
}

TEST_F(witness_state_test, a_member_takes_over_and_the_other_hears_of_it) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  EXPECT_EQ(settle(at_a), outcome::nothing);
  EXPECT_TRUE(at_a.has_backup());
  EXPECT_EQ(acquire(at_b, 2), outcome::acquired);
  EXPECT_EQ(record, (membership{3, 2, b, {b}}));
  EXPECT_TRUE(at_a.owns_epoch());
  at_a.on_changed(record);
  EXPECT_FALSE(at_a.owns_epoch());
  EXPECT_FALSE(at_a.is_alone() || at_a.has_backup());
}

TEST_F(witness_state_test, a_removal_of_a_server_that_has_taken_over_is_the_end) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  settle(at_a);
  ASSERT_EQ(acquire(at_b, 2), outcome::acquired);
  at_a.remove();
  settle(at_a);
  EXPECT_FALSE(at_a.owns_epoch());
  EXPECT_FALSE(at_a.is_alone());
  EXPECT_FALSE(at_a.next(now));
}

TEST_F(witness_state_test, an_epoch_that_is_not_higher_is_refused_to_a_member) {
  ASSERT_EQ(acquire(at_a, 7), outcome::acquired);
  at_a.add(b);
  settle(at_a);
  EXPECT_EQ(acquire(at_b, 7), outcome::refused);
  EXPECT_TRUE(at_b.is_member());
  EXPECT_EQ(at_b.known().epoch, 7U) << "the next epoch must be above this one";
  EXPECT_EQ(acquire(at_b, 8), outcome::acquired);
}

TEST_F(witness_state_test, is_not_alone_from_add_on_and_until_a_removal_is_granted) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  EXPECT_FALSE(at_a.is_alone()) << "not asked yet";
  at_a.remove();
  EXPECT_TRUE(at_a.is_alone()) << "never asked";
  at_a.add(b);
  const auto addition = ask(at_a);
  at_a.remove();
  EXPECT_FALSE(at_a.is_alone()) << "it may have been granted";
  carry_out(addition);
  EXPECT_EQ(answer(at_a), outcome::nothing);
  EXPECT_FALSE(at_a.is_alone()) << "it was granted";
  EXPECT_FALSE(at_a.has_backup()) << "it is to be removed";
  const auto removal = ask(at_a);
  EXPECT_EQ(removal.to, (membership{3, 1, a, {a}}));
  EXPECT_FALSE(at_a.is_alone());
  carry_out(removal);
  EXPECT_FALSE(at_a.is_alone()) << "no answer yet";
  answer(at_a);
  EXPECT_TRUE(at_a.is_alone());
}

TEST_F(witness_state_test, a_lost_answer_leaves_it_in_doubt_until_an_attempt_is_granted) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  const auto addition = ask(at_a);
  EXPECT_EQ(answer_lost(at_a), outcome::nothing);
  at_a.remove();
  EXPECT_FALSE(at_a.next(now)) << "after a pause";
  EXPECT_EQ(at_a.next_deadline(), now + retry);
  EXPECT_FALSE(at_a.is_alone());
  now += retry;
  const auto removal = ask(at_a);
  carry_out(removal);
  carry_out(addition);  // comes late, and finds another revision
  EXPECT_EQ(answer(at_a), outcome::nothing);
  EXPECT_TRUE(at_a.is_alone());
  EXPECT_EQ(record.in_sync, std::vector<member_id>{a});
}

TEST_F(witness_state_test, finds_that_a_change_without_an_answer_was_made) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  carry_out(ask(at_a));
  answer_lost(at_a);
  at_a.remove();
  now += retry;
  EXPECT_EQ(settle(at_a), outcome::nothing);
  EXPECT_TRUE(at_a.is_alone());
  EXPECT_EQ(record, (membership{3, 1, a, {a}}));
}

TEST_F(witness_state_test, an_epoch_without_an_answer_is_not_acquired) {
  at_a.on_changed(record);
  at_a.acquire(1);
  carry_out(ask(at_a));
  EXPECT_EQ(answer_lost(at_a), outcome::refused);
  EXPECT_FALSE(at_a.is_alone());
  EXPECT_TRUE(at_a.is_member()) << "the answer may come";
  now += retry;
  EXPECT_EQ(acquire(at_a, 2), outcome::acquired);
  EXPECT_EQ(record, (membership{2, 2, a, {a}}));
}

TEST_F(witness_state_test, an_answer_to_an_earlier_wish_grants_no_later_epoch) {
  at_a.acquire(1);
  const auto first = ask(at_a);
  at_a.acquire(3);
  carry_out(first);
  EXPECT_EQ(answer(at_a), outcome::nothing);
  EXPECT_FALSE(at_a.is_alone());
  EXPECT_EQ(settle(at_a), outcome::acquired);
  EXPECT_EQ(record.epoch, 3U);
}

TEST_F(witness_state_test, a_later_epoch_of_an_active_server_keeps_its_backup) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  settle(at_a);
  at_a.acquire(3);
  carry_out(ask(at_a));
  EXPECT_EQ(answer(at_a), outcome::acquired);
  EXPECT_FALSE(at_a.is_alone() || at_a.has_backup());
  settle(at_a);
  EXPECT_TRUE(at_a.has_backup());
  EXPECT_EQ(record, (membership{4, 3, a, {a, b}}));
}

TEST_F(witness_state_test, a_later_epoch_that_was_granted_without_an_answer_is_kept) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  settle(at_a);
  at_a.acquire(3);
  carry_out(ask(at_a));
  EXPECT_EQ(answer_lost(at_a), outcome::refused);
  EXPECT_FALSE(at_a.has_backup());
  now += retry;
  EXPECT_EQ(settle(at_a), outcome::nothing);
  EXPECT_TRUE(at_a.has_backup());
  EXPECT_EQ(record, (membership{4, 3, a, {a, b}}));
}

TEST_F(witness_state_test, an_outdated_record_is_asked_for_before_it_refuses) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  ASSERT_EQ(acquire(at_b, 2), outcome::refused);
  at_a.add(b);
  settle(at_a);
  at_b.acquire(2);
  const auto question = ask(at_b);
  EXPECT_EQ(question.from, question.to);
  EXPECT_EQ(answer(at_b), outcome::nothing);
  EXPECT_EQ(settle(at_b), outcome::acquired);
}

TEST_F(witness_state_test, another_incarnation_is_another_member) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  witness_state restarted{c, retry};
  EXPECT_EQ(acquire(restarted, 2), outcome::refused) << "it has lost what it had";
  witness_state with_store{a, retry};
  EXPECT_EQ(acquire(with_store, 2), outcome::acquired);
}

TEST_F(witness_state_test, a_passive_server_ignores_an_answer) {
  ASSERT_EQ(acquire(at_a, 1), outcome::acquired);
  at_a.add(b);
  carry_out(ask(at_a));
  at_a.release();
  EXPECT_EQ(answer(at_a), outcome::nothing);
  EXPECT_FALSE(at_a.has_backup() || at_a.is_alone());
  EXPECT_FALSE(at_a.next(now));
  EXPECT_EQ(at_a.on_answer({}, record, now), outcome::nothing) << "without an attempt";
}

}  // namespace
}  // namespace chp
