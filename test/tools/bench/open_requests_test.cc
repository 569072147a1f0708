#include "tools/zinc/bench/open_requests.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace zinc::bench {
namespace {

TEST(open_requests, take_one_reply_each_in_any_order) {
  open_requests open;
  for (int i = 0; i < 3; ++i) {
    open.add();
  }
  EXPECT_TRUE(open.answer(1));
  EXPECT_FALSE(open.answer(1));
  EXPECT_TRUE(open.answer(0));
  EXPECT_FALSE(open.answer(0));
  EXPECT_FALSE(open.answer(1));
  EXPECT_TRUE(open.answer(2));
  EXPECT_FALSE(open.answer(2));
  EXPECT_FALSE(open.answer(3));
  open.add();
  EXPECT_TRUE(open.answer(3));
  EXPECT_FALSE(open.answer(UINT64_MAX));
}

}  // namespace
}  // namespace zinc::bench
