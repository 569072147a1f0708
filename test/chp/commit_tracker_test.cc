#include "chp/commit_tracker.h"

#include <gtest/gtest.h>

namespace chp {
namespace {

TEST(chp_commit_tracker, alone_commits_what_the_own_disk_has) {
  commit_tracker t;
  const auto now = t.advance({5, 3}, 9, true);
  EXPECT_EQ(now.commit, 9U);
  EXPECT_EQ(now.both, 3U);
  EXPECT_EQ(t.advance({5, 3}, 9, false).commit, 5U) << "with the policy block, nothing";
  EXPECT_EQ(t.advance({5, 3}, 4, true).commit, 5U) << "a commit is never taken back";
}

TEST(chp_commit_tracker, is_in_sync_with_a_backup_that_has_mark_and_commits) {
  commit_tracker t;
  t.join(10, 4);
  auto now = t.advance({4, 0}, 12, true);
  EXPECT_FALSE(t.in_sync());
  EXPECT_EQ(now.commit, 12U) << "committed alone during the copy";
  EXPECT_EQ(now.both, 4U);
  t.confirm(10);
  now = t.advance(now, 15, true);
  EXPECT_FALSE(t.in_sync()) << "12 is committed, and the backup lacks it";
  EXPECT_EQ(now.commit, 15U);
  t.confirm(15);
  now = t.advance(now, 20, true);
  EXPECT_TRUE(t.in_sync());
  EXPECT_EQ(now.commit, 15U) << "from now on nothing is committed without it";
  EXPECT_EQ(now.both, 15U);
  t.confirm(30);
  now = t.advance(now, 20, true);
  EXPECT_EQ(now.commit, 20U) << "nor without the own disk";
  EXPECT_EQ(now.both, 20U);
}

TEST(chp_commit_tracker, forgets_a_backup_that_leaves) {
  commit_tracker t;
  t.join(1, 1);
  auto now = t.advance({1, 0}, 5, false);
  EXPECT_TRUE(t.in_sync());
  t.leave();
  EXPECT_FALSE(t.in_sync());
  EXPECT_FALSE(t.has_backup());
  t.confirm(9);
  EXPECT_EQ(t.confirmed(), 0U) << "a late confirmation of a backup that left";
  now = t.advance(now, 5, false);
  EXPECT_EQ(now.commit, 1U);
  EXPECT_EQ(now.both, 1U);
}

}  // namespace
}  // namespace chp
