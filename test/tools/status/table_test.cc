#include "tools/zinc/status/table.h"

#include <gtest/gtest.h>

namespace zinc::status {
namespace {

TEST(table, columns_are_aligned_and_lines_end_without_blanks) {
  const table of{.columns = {{"SERVICE"}, {"WAITING", true}, {"STATE"}},
                 .rows = {{"echo", "7", "on"}, {"a-long-name", "12345678", ""}}};
  EXPECT_EQ(text_of(of),
            "SERVICE       WAITING  STATE\n"
            "echo                7  on\n"
            "a-long-name  12345678  -\n");
}

TEST(table, bytes_that_a_terminal_would_not_print_are_escaped) {
  const table of{.columns = {{"NAME\x1b"}, {"B"}},
                 .rows = {{"\x1b[2J\x9b\xc3\xa9\n\t\x7f", "x y\\"}}};
  EXPECT_EQ(text_of(of),
            "NAME\\x1b                         B\n"
            "\\x1b[2J\\x9b\\xc3\\xa9\\x0a\\x09\\x7f  x y\\\n");
}

TEST(table, without_columns_has_only_an_empty_line) { EXPECT_EQ(text_of({}), "\n"); }

}  // namespace
}  // namespace zinc::status
