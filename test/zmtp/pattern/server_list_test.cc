#include "zmtp/pattern/server_list.h"

#include <gtest/gtest.h>

namespace zmtp {
namespace {

TEST(server_list, is_left_once_by_all) {
  server_list list{{"a", "b", "c"}};
  EXPECT_EQ(list.endpoint(list.current()), "a");
  const auto first = list.current();
  list.leave(first);
  list.leave(first);
  EXPECT_EQ(list.endpoint(list.current()), "b");
  list.leave(list.current());
  list.leave(list.current());
  EXPECT_EQ(list.current(), first);
}

}  // namespace
}  // namespace zmtp
