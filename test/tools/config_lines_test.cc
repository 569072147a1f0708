#include "tools/zinc/config_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace zinc {
namespace {

using name_values = std::vector<std::pair<std::string, std::string>>;

name_values settings_of(std::string_view text) {
  name_values all;
  const auto read = parse_config(text);
  EXPECT_TRUE(read.faults.empty()) << text;
  for (const auto& line : read.lines) {
    all.emplace_back(line.name, line.value);
  }
  return all;
}

// "NUMBER NAME: REASON" of each fault.
std::vector<std::string> faults_of(std::string_view text) {
  std::vector<std::string> all;
  for (const auto& one : parse_config(text).faults) {
    all.push_back(std::to_string(one.number) + ' ' + one.name + ": " + one.reason);
  }
  return all;
}

TEST(config_lines, a_line_has_a_name_and_a_value) {
  EXPECT_EQ(settings_of("heartbeat = 1s\nbind=tcp://*:5555\n"),
            (name_values{{"heartbeat", "1s"}, {"bind", "tcp://*:5555"}}));
  EXPECT_EQ(settings_of("\t exec \t=  tr a-z A-Z = \t\n"), (name_values{{"exec", "tr a-z A-Z ="}}));
}

TEST(config_lines, empty_lines_and_comments_have_no_meaning_but_count) {
  EXPECT_TRUE(settings_of("").empty());
  EXPECT_TRUE(settings_of("\n\n  \t\n# a = b\n   # c = d").empty());
  EXPECT_EQ(parse_config("# one\n\na = 1\n").lines.at(0).number, 3U);
}

TEST(config_lines, a_value_may_contain_a_hash) {
  EXPECT_EQ(settings_of("peer-key = a#b # c"), (name_values{{"peer-key", "a#b # c"}}));
}

TEST(config_lines, every_end_of_a_line_is_read) {
  const name_values both{{"a", "1"}, {"b", "2"}};
  EXPECT_EQ(settings_of("a=1\nb=2"), both);
  EXPECT_EQ(settings_of("a=1\r\nb=2\r\n"), both);
  EXPECT_EQ(settings_of("\xef\xbb\xbf"
                        "a=1\r\n\r\nb=2"),
            both);
}

TEST(config_lines, faults_name_the_line_the_key_and_the_remedy) {
  using faults = std::vector<std::string>;
  EXPECT_EQ(faults_of("a = 1\nnonsense\n"),
            (faults{"2 nonsense: 'nonsense' is not a setting; write NAME = VALUE, such as "
                    "heartbeat = 2.5s"}));
  EXPECT_EQ(faults_of("= 1"),
            (faults{"1 : '=' is not a setting; write NAME = VALUE, such as heartbeat = "
                    "2.5s"}));
  EXPECT_EQ(faults_of("{\"a\": 1}").size(), 1U);
  EXPECT_EQ(faults_of("two words = 1").size(), 1U);
  EXPECT_EQ(faults_of("heartbeat =\n"),
            (faults{"1 heartbeat: has no value; write one, or remove the line"}));
  EXPECT_EQ(faults_of("heartbeat = \r\n"),
            (faults{"1 heartbeat: has no value; write one, or remove the line"}));
}

TEST(config_lines, control_characters_are_faults) {
  using faults = std::vector<std::string>;
  for (const auto& [text, name] : {std::pair{std::string{"a = 1\0\n", 7}, "\\x00"},
                                   {std::string{"a = 1\r2\n"}, "\\x0d"},
                                   {std::string{"a\x1b[2J = 1\n"}, "\\x1b"},
                                   {std::string{"a = \x7f"}, "\\x7f"}}) {
    EXPECT_EQ(faults_of(text), (faults{std::string{"1 : the line has the control character "} +
                                       name + "; remove it"}));
  }
  EXPECT_EQ(settings_of("a = caf\xc3\xa9"), (name_values{{"a", "caf\xc3\xa9"}}));
}

TEST(config_lines, a_long_line_is_a_fault_and_the_next_one_is_read) {
  const std::string longest = "a = " + std::string(most_config_line - 4, 'x');
  EXPECT_EQ(settings_of(longest + "\n").size(), 1U);
  const auto read = parse_config(longest + "x\nb = 2\n");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_EQ(read.faults.at(0).reason, "the line has 4097 bytes; give at most 4096");
  ASSERT_EQ(read.lines.size(), 1U);
  EXPECT_EQ(read.lines.at(0).number, 2U);
}

TEST(config_lines, quotes_around_a_value_are_a_fault) {
  EXPECT_EQ(faults_of("a = \"b c\"").size(), 1U);
  EXPECT_EQ(faults_of("a = 'b'").size(), 1U);
  EXPECT_EQ(settings_of("a = \"b\" \"c\""), (name_values{{"a", "\"b\" \"c\""}}));
  EXPECT_EQ(settings_of("a = tr '\"' x"), (name_values{{"a", "tr '\"' x"}}));
  EXPECT_EQ(settings_of("a = \""), (name_values{{"a", "\""}}));
}

TEST(config_lines, all_faults_are_found) {
  EXPECT_EQ(faults_of("x\na = 1\n\ny\nb =\n").size(), 3U);
}

}  // namespace
}  // namespace zinc
