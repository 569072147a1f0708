// Messages as lines: what is written, and that what was written can be read again.

#include "tools/zinc/message_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace zinc {
namespace {

using zmtp::message;

std::string fault_of(std::string_view line, const line_style& style) {
  try {
    static_cast<void>(message_of(line, style));
  } catch (const unreadable_line& fault) {
    return fault.what();
  }
  return {};
}

const message binary{std::string_view{"\0\xff\n", 3}, "", "text"};

TEST(message_lines, text_is_as_it_is) {
  EXPECT_EQ(line_of({"hello world"}, {}), "hello world\n");
  EXPECT_EQ(line_of({"a", "b"}, {}), "a b\n");
  EXPECT_EQ(line_of({"a", "", "b"}, {.separator = ", "}), "a, , b\n");
  EXPECT_EQ(line_of({"gr\xc3\xbc\xc3\x9f\tdich"}, {}), "gr\xc3\xbc\xc3\x9f\tdich\n");
}

TEST(message_lines, binary_data_and_several_lines_are_hexadecimal) {
  EXPECT_EQ(line_of(binary, {}), "{\"hex\":\"00ff0a\"}  text\n");
  EXPECT_EQ(line_of({"two\nlines"}, {}), "{\"hex\":\"74776f0a6c696e6573\"}\n");
}

TEST(message_lines, a_terminal_gets_no_character_that_it_obeys) {
  // ESC, DEL, CSI of C1, a reversed order, and a character of no width.
  for (const auto* const each : {"\x1b[2J", "\x7f",
                                 "\xc2\x9b"
                                 "31m",
                                 "\xe2\x80\xae", "\xe2\x80\x8b"}) {
    EXPECT_EQ(line_of({each}, {.terminal = true}).substr(0, 8), "{\"hex\":\"") << each;
    const auto json = line_of({each}, {.form = line_form::json, .terminal = true});
    EXPECT_TRUE(std::all_of(json.begin(), json.end() - 1, [](char byte) {
      return byte >= ' ' && byte <= '~';
    })) << json;
    EXPECT_EQ(message_of(json.substr(0, json.size() - 1), {.form = line_form::json}),
              zmtp::message{each});
  }
  EXPECT_EQ(line_of({"\xc2\xa0\xc3\x9b"}, {.terminal = true}), "\xc2\xa0\xc3\x9b\n");
}

TEST(message_lines, another_program_gets_text_as_it_is) {
  EXPECT_EQ(line_of({"\xc2\x85\xe2\x80\x8d"}, {}), "\xc2\x85\xe2\x80\x8d\n");
  EXPECT_EQ(line_of({"\xc2\x85"}, {.form = line_form::json}), "[\"\xc2\x85\"]\n");
  EXPECT_EQ(line_of({"\x1b[2J"}, {}), "{\"hex\":\"1b5b324a\"}\n");
}

TEST(message_lines, other_forms) {
  EXPECT_EQ(line_of(binary, {.form = line_form::json}), "[{\"hex\":\"00ff0a\"},\"\",\"text\"]\n");
  EXPECT_EQ(line_of(binary, {.form = line_form::hex}), "00ff0a - 74657874\n");
  EXPECT_EQ(line_of(binary, {.form = line_form::raw}), std::string("\0\xff\ntext", 7));
}

TEST(message_lines, reads_its_own_output) {
  const message large{std::string(100'000, '\x80'), "x"};
  for (const auto form : {line_form::json, line_form::hex}) {
    for (const auto& m : {binary, large, message{""}}) {
      auto line = line_of(m, {.form = form});
      line.pop_back();
      EXPECT_EQ(message_of(line, {.form = form}), m);
    }
  }
}

TEST(message_lines, a_line_of_text_is_one_part_or_many) {
  EXPECT_EQ(message_of("a b", {}), message{"a b"});
  EXPECT_EQ(message_of("", {}), message{""});
  EXPECT_EQ(message_of("a b", {.separator = " "}), (message{"a", "b"}));
  EXPECT_EQ(message_of("::a::", {.separator = "::"}), (message{"", "a", ""}));
  EXPECT_EQ(message_of(R"({"hex":"00"})", {}), message{R"({"hex":"00"})"});
}

TEST(message_lines, a_routing_id_comes_first) {
  EXPECT_EQ(message_of("bob hello there", {.routed = true}), (message{"bob", "hello there"}));
  EXPECT_EQ(message_of("bob//hello", {.separator = "/", .routed = true}),
            (message{"bob", "", "hello"}));
  const message m{std::string_view{"\0\1\2\3\4", 5}, "hello"};
  auto line = line_of(m, {.routed = true});
  line.pop_back();
  EXPECT_EQ(message_of(line, {.routed = true}), m);
  EXPECT_NE(fault_of("bob", {.routed = true}).find("routing id"), std::string::npos);
}

TEST(message_lines, faults_say_what_is_expected) {
  const line_style json{.form = line_form::json};
  const line_style hex{.form = line_form::hex};
  EXPECT_EQ(message_of(R"("alone")", json), message{"alone"});
  EXPECT_NE(fault_of("[1]", json).find("not a part"), std::string::npos);
  EXPECT_NE(fault_of(R"([{"hex":1}])", json).find("not a part"), std::string::npos);
  EXPECT_NE(fault_of(R"([{"hex":"0"}])", json).find("hexadecimal"), std::string::npos);
  EXPECT_NE(fault_of("[]", json).find("no parts"), std::string::npos);
  EXPECT_NE(fault_of("hello", json).find("not valid JSON"), std::string::npos);
  EXPECT_NE(fault_of("zz", hex).find("hexadecimal"), std::string::npos);
  EXPECT_NE(fault_of(" ", hex).find("no parts"), std::string::npos);
}

}  // namespace
}  // namespace zinc
