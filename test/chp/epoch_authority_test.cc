// The rules of a witness, and an implementation with a file.

#include "chp/epoch_authority.h"

#include "test/chp/file_epoch_authority.h"
#include "test/support/network_test.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

namespace chp::test {
namespace {

using boost::system::error_code;

constexpr member_id a = 10;
constexpr member_id b = 20;
constexpr member_id c = 30;

TEST(epoch_authority_rules, only_a_member_takes_over_with_a_higher_epoch) {
  const membership both{5, a, {a, b}};
  EXPECT_TRUE(may_change(both, {6, b, {b}}, b));
  EXPECT_TRUE(may_change(both, {6, b, {a, b}}, b));
  EXPECT_FALSE(may_change(both, {5, b, {b}}, b)) << "the epoch of another server";
  EXPECT_FALSE(may_change(both, {4, b, {b}}, b));
  EXPECT_FALSE(may_change(both, {6, c, {c}}, c));
  EXPECT_FALSE(may_change(both, {6, b, {a}}, b)) << "not a member itself";
  EXPECT_FALSE(may_change(both, {6, b, {b, c}}, b)) << "it may lack what was committed";
  EXPECT_FALSE(may_change({5, a, {a}}, {6, b, {b}}, b)) << "it was removed";
  EXPECT_FALSE(may_change(both, {6, a, {a, b}}, b)) << "for another server";
}

TEST(epoch_authority_rules, the_first_server_takes_any_epoch) {
  EXPECT_TRUE(may_change({}, {1, a, {a}}, a));
  EXPECT_FALSE(may_change({}, {0, a, {a}}, a));
}

TEST(epoch_authority_rules, the_active_server_adds_and_removes_others) {
  EXPECT_TRUE(may_change({5, a, {a}}, {5, a, {a, b}}, a));
  EXPECT_TRUE(may_change({5, a, {a, b}}, {5, a, {a}}, a));
  EXPECT_FALSE(may_change({5, a, {a, b}}, {5, a, {b}}, a));
  EXPECT_FALSE(may_change({5, a, {a, b}}, {5, b, {b}}, b));
}

class file_epoch_authority_test : public zmtp::test::network_test {
protected:
  template <class Call>
  std::pair<error_code, epoch_authority::answer> result_of(Call&& call) {
    std::optional<std::pair<error_code, epoch_authority::answer>> result;
    call([&](error_code ec, epoch_authority::answer found) {
      result.emplace(ec, std::move(found));
    });
    EXPECT_FALSE(result) << "called from within the call";
    run_until([&] { return result.has_value(); });
    return *result;
  }
  membership read(file_epoch_authority& from) {
    return result_of([&](auto done) { from.read(done); }).second.now;
  }
  bool acquire(file_epoch_authority& from, std::uint64_t epoch, std::vector<member_id> members) {
    return result_of([&](auto done) { from.acquire(epoch, members, done); }).second.granted;
  }
  bool change(file_epoch_authority& from, std::vector<member_id> members) {
    return result_of([&](auto done) { from.change(members, done); }).second.granted;
  }

  zmtp::test::scratch_folder folder;
  file_epoch_authority at_a{executor(), folder.path("witness"), a};
  file_epoch_authority at_b{executor(), folder.path("witness"), b};
};

TEST_F(file_epoch_authority_test, one_of_two_servers_gets_an_epoch) {
  read(at_a);
  read(at_b);
  EXPECT_TRUE(acquire(at_a, 1, {a}));
  // The record that this server has read is outdated.
  EXPECT_FALSE(acquire(at_b, 2, {b}));
  EXPECT_EQ(read(at_b), (membership{1, a, {a}}));
  EXPECT_FALSE(acquire(at_b, 2, {b})) << "not a member";
}

TEST_F(file_epoch_authority_test, an_active_server_hears_once_that_it_has_lost_its_epoch) {
  int lost = 0;
  at_a.on_lost([&](const membership& now) {
    ++lost;
    EXPECT_EQ(now, (membership{2, b, {b}}));
  });
  read(at_a);
  EXPECT_TRUE(acquire(at_a, 1, {a}));
  EXPECT_TRUE(change(at_a, {a, b}));
  read(at_b);
  EXPECT_TRUE(acquire(at_b, 2, {b}));
  EXPECT_FALSE(change(at_a, {a})) << "it must not commit alone";
  at_a.poll();
  EXPECT_FALSE(acquire(at_a, 3, {a})) << "it was removed";
  EXPECT_EQ(lost, 1);
}

TEST_F(file_epoch_authority_test, a_server_reads_the_result_of_an_attempt_without_an_answer) {
  read(at_a);
  EXPECT_TRUE(acquire(at_a, 1, {a, b}) && !acquire(at_b, 2, {b}));
  at_a.lose_next_answer();
  EXPECT_TRUE(result_of([&](auto done) { at_a.change({a}, done); }).first);
  EXPECT_EQ(read(at_a), (membership{1, a, {a}})) << "the removal counts";
  EXPECT_FALSE(acquire(at_b, 2, {b}));
}

}  // namespace
}  // namespace chp::test
