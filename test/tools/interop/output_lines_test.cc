#include "tools/zinc/interop/output_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {
namespace {

const expected_line ok{"I: server replied OK (N)", R"(replied OK \((?:b')?(\d+))"};
const expected_line overload{"I: simulating CPU overload", "cpu overload"};

output_lines said(std::string_view bytes) {
  output_lines lines;
  lines.add(bytes);
  return lines;
}

TEST(output_lines, a_line_is_one_when_its_end_has_come) {
  for (const std::string_view whole :
       {"I: server replied OK (1)\n", "I: server replied OK (1)\r\n"}) {
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
      output_lines lines;
      lines.add(whole.substr(0, cut));
      EXPECT_EQ(lines.has(ok), cut == whole.size()) << cut;
      lines.add(whole.substr(cut));
      EXPECT_TRUE(lines.has(ok)) << cut;
    }
  }
}

TEST(output_lines, output_without_a_newline_is_a_line) {
  auto lines = said("I: server replied OK (1)");
  EXPECT_FALSE(lines.has(ok));
  lines.end();
  EXPECT_TRUE(lines.has(ok));
  lines.end();
  EXPECT_EQ(lines.numbers(ok).size(), 1U);
}

TEST(output_lines, taking_uses_up_all_before_it) {
  auto lines =
      said("I: simulating CPU overload\nI: server replied OK (1)\nI: server replied OK (2)\n");
  EXPECT_TRUE(lines.take(ok));
  EXPECT_FALSE(lines.has(overload));
  EXPECT_TRUE(lines.take(ok));
  EXPECT_FALSE(lines.take(ok));
}

TEST(output_lines, a_missing_line_consumes_nothing) {
  auto lines = said("I: server replied OK (1)\n");
  EXPECT_FALSE(lines.take(overload));
  EXPECT_TRUE(lines.take(ok));
}

TEST(output_lines, the_predecessor_of_a_program_does_not_count) {
  auto lines = said("I: server replied OK (1)\n");
  lines.use_up();
  EXPECT_FALSE(lines.has(ok));
  lines.add("I: server replied OK (2)\n");
  EXPECT_TRUE(lines.has(ok));
}

TEST(output_lines, neither_case_nor_colours_matter) {
  EXPECT_TRUE(said("INFO: Simulating cpu OVERLOAD\n").has(overload));
  EXPECT_TRUE(said("\x1b[32mI: simulating CPU \x1b[0moverload\n").has(overload));
}

TEST(output_lines, only_the_last_line_is_the_last) {
  EXPECT_FALSE(output_lines{}.last_is(overload));
  EXPECT_TRUE(said("other\nCPU overload\n").last_is(overload));
  EXPECT_FALSE(said("CPU overload\nother\n").last_is(overload));
  EXPECT_EQ(said("CPU overload\nother\n").last(), "other");
}

TEST(output_lines, numbers_are_those_of_all_lines_in_both_languages) {
  auto lines = said("I: server replied OK (1)\nother\nINFO: Server replied OK (b'2')\n");
  EXPECT_TRUE(lines.take(ok));
  EXPECT_EQ(lines.numbers(ok), (std::vector<long>{1, 2}));
}

TEST(output_lines, counting_up_has_no_gap_and_no_repetition) {
  EXPECT_FALSE(count_up({}));
  EXPECT_TRUE(count_up({0}));
  EXPECT_TRUE(count_up({7, 8, 9}));
  EXPECT_FALSE(count_up({1, 3}));
  EXPECT_FALSE(count_up({1, 1, 2}));
  EXPECT_FALSE(count_up({2, 1}));
}

}  // namespace
}  // namespace zinc::interop
