#include "chp/commit_tracker.h"

#include <gtest/gtest.h>

namespace chp {
namespace {

TEST(chp_commit_tracker, alone_commits_what_the_own_disk_has) {
  commit_tracker t;
  EXPECT_EQ(t.advance(5, 9, true), 9U);
  EXPECT_EQ(t.advance(5, 9, false), 5U) << "with the policy block, nothing";
  EXPECT_EQ(t.advance(5, 4, true), 5U) << "a commit is never taken back";
}

TEST(chp_commit_tracker, is_in_sync_with_a_backup_that_has_mark_and_commits) {
  commit_tracker t;
  t.join(10, 4);
  auto commit = t.advance(4, 12, true);
  EXPECT_FALSE(t.in_sync());
  EXPECT_EQ(commit, 12U) << "committed alone during the copy";
  t.confirm(10);
  commit = t.advance(commit, 15, true);
  EXPECT_FALSE(t.in_sync()) << "12 is committed, and the backup lacks it";
  EXPECT_EQ(commit, 15U);
  t.confirm(15);
  commit = t.advance(commit, 20, true);
  EXPECT_TRUE(t.in_sync());
  EXPECT_EQ(commit, 15U) << "from now on nothing is committed without it";
  t.confirm(30);
  EXPECT_EQ(t.advance(commit, 20, true), 20U) << "nor without the own disk";
}

TEST(chp_commit_tracker, forgets_a_backup_that_leaves) {
  commit_tracker t;
  t.join(1, 1);
  EXPECT_EQ(t.advance(1, 5, false), 1U);
  EXPECT_TRUE(t.in_sync());
  t.leave();
  EXPECT_FALSE(t.in_sync());
  EXPECT_FALSE(t.has_backup());
  t.confirm(9);
  EXPECT_EQ(t.confirmed(), 0U) << "a late confirmation of a backup that left";
  EXPECT_EQ(t.advance(1, 5, false), 1U);
}

}  // namespace
}  // namespace chp
