// Sessions whose updates the server has deferred.

#include "chp/deferred_sessions.h"

#include <gtest/gtest.h>

namespace chp {
namespace {

TEST(deferred_sessions, hold_what_is_behind_the_first) {
  deferred_sessions all{1, 10};
  EXPECT_FALSE(all.holds(7, 1));
  all.add(7, 3);
  all.add(7, 4);
  EXPECT_FALSE(all.holds(7, 3));
  EXPECT_TRUE(all.holds(7, 4));
  EXPECT_FALSE(all.holds(8, 4)) << "another session";
  all.add(7, 2);
  EXPECT_TRUE(all.holds(7, 3));
  all.on_taken(7, 3);
  EXPECT_TRUE(all.holds(7, 3)) << "that was not the first";
  all.on_taken(7, 2);
  EXPECT_FALSE(all.holds(7, 9));
  EXPECT_EQ(all.size(), 0U);
}

TEST(deferred_sessions, are_bounded) {
  deferred_sessions all{1, 10};
  for (std::uint64_t session = 0; session < 1'000; ++session) {
    all.add(session, 1);
    ASSERT_TRUE(all.holds(session, 2));
  }
  EXPECT_EQ(all.size(), 10U);
  all.clear();
  EXPECT_EQ(all.size(), 0U);
}

}  // namespace
}  // namespace chp
