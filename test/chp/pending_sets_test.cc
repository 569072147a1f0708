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
  const auto send = [&](pending_sets::ticket of) {
    sets.add(of, "/a", {}, "value", true);
    return sets.send_next() != nullptr;
  };
  ASSERT_TRUE(send(1));
  ASSERT_TRUE(send(2));
  for (std::uint64_t n = 3; n <= 10'000; ++n) {
    ASSERT_TRUE(send(n));
    // By its echo, and with a gap.
    sets.commit(update_id::of_session(session, n), done);
    acknowledgement notified{.counter = n, .gaps = {}};
    notified.gaps.push_back({1, 2});
    sets.commit(notified, done);
    ASSERT_LE(sets.places(), 100U);
  }
  EXPECT_EQ(done.size(), 9'998U);
  EXPECT_EQ(sets.sent(), 2U);
  EXPECT_EQ(sets.give_up(1), pending_sets::given_up::sent);
  sets.commit(update_id::of_session(session, 2), done);
  EXPECT_EQ(done.back().of, 2U);
  sets.commit(acknowledgement{.counter = 10'000, .gaps = {}}, done);
  EXPECT_EQ(sets.sent(), 0U);
  EXPECT_EQ(sets.places(), 0U);
}

}  // namespace
}  // namespace chp
