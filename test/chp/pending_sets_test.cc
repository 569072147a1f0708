// The updates of a client that are not committed yet.

#include "chp/pending_sets.h"

#include "chp/command.h"

#include <gtest/gtest.h>

#include <vector>

namespace chp {
namespace {

const auto session = update_id::make_session(7);

TEST(chp_pending_sets, frees_sets_after_one_that_is_never_committed) {
  pending_sets sets{session, form::kvmsg, 10, 1'000};
  std::vector<pending_sets::ended> done;
  std::vector<sent_update> taken;
  const auto send = [&](pending_sets::ticket of) {
    sets.add({.of = of, .key = "/a", .value = "value", .echoed = true});
    ASSERT_TRUE(sets.can_send());
    sets.send_next({});
  };
  send(1);
  send(2);
  for (std::uint64_t n = 3; n <= 10'000; ++n) {
    send(n);
    // By its echo, or by an answer.
    if (n % 2 == 0) {
      sets.commit(update_id::of_session(session, n), done);
    } else {
      sets.take({n, n}, taken);
    }
    ASSERT_LE(sets.places(), 100U);
  }
  EXPECT_EQ(done.size(), 4'999U);
  EXPECT_EQ(taken.size(), 4'999U);
  EXPECT_EQ(sets.sent(), 2U);
  EXPECT_EQ(sets.first_counter(), 1U);
  EXPECT_EQ(sets.give_up(1), pending_sets::given_up::sent);
  sets.commit(update_id::of_session(session, 2), done);
  EXPECT_EQ(done.back().of, 2U);
  sets.take({1, 10'000}, taken);
  EXPECT_FALSE(taken.back().awaited);
  EXPECT_EQ(sets.sent(), 0U);
  EXPECT_EQ(sets.places(), 0U);
  EXPECT_EQ(sets.first_counter(), 10'001U);
}

}  // namespace
}  // namespace chp
