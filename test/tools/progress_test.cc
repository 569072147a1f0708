#include "tools/zinc/progress.h"

#include <gtest/gtest.h>

namespace zinc {
namespace {

TEST(progress, has_the_share_the_failures_and_the_rate) {
  EXPECT_EQ(progress_text(1'200, 10'000, 3, 0.5), "1200 of 10000 (12 %), 3 failed, 2400/s");
  EXPECT_EQ(progress_text(0, 10, 0, 0), "0 of 10 (0 %), 0 failed, 0/s");
  EXPECT_EQ(progress_text(0, 0, 0, 1), "0 of 0 (100 %), 0 failed, 0/s");
  EXPECT_EQ(progress_text(10, 10, 10, 1), "10 of 10 (100 %), 10 failed, 10/s");
}

}  // namespace
}  // namespace zinc
