#include "tools/zinc/terminal_text.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <algorithm>

namespace zinc {
namespace {

TEST(terminal_text, only_printable_ascii_stays) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    const bool stays = byte >= 0x20 && byte < 0x7f;
    EXPECT_EQ(for_terminal(one) == one, stays) << byte;
    EXPECT_EQ(for_terminal(one).size(), stays ? 1U : 4U) << byte;
  }
  EXPECT_EQ(for_terminal("a b\\\x1b"), "a b\\\\x1b");
}

TEST(terminal_text, readable_text_keeps_lines_and_letters_of_all_languages) {
  const std::string kept = "line\n\ttab \xc3\xa9\xe2\x82\xac\xe4\xbd\xa0\xf0\x9f\x98\x80~";
  EXPECT_EQ(readable(kept), kept);
  EXPECT_EQ(readable("\x1b[2J\r\x7f\b"), "\\x1b[2J\\x0d\\x7f\\x08");
  EXPECT_EQ(readable("\xc2\x9b\xe2\x80\xae\xef\xbb\xbf"),
            "\\xc2\\x9b\\xe2\\x80\\xae\\xef\\xbb\\xbf");
  // Not UTF-8: cut, overlong, a surrogate, above the last character.
  EXPECT_EQ(readable("\xc3"), "\\xc3");
  EXPECT_EQ(readable("\xc0\x9b"), "\\xc0\\x9b");
  EXPECT_EQ(readable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");
  EXPECT_EQ(readable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(readable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(readable("\xff\xe2\x82z"), "\\xff\\xe2\\x82z");
}

TEST(terminal_text, json_is_ascii_and_means_the_same) {
  const boost::json::value of = boost::json::object{
      {"\x1b[2J", "\x7f\xc2\x9b\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 z\"\\\n"}, {"n", 1}};
  const auto text = ascii_json(of);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }))
      << text;
  EXPECT_EQ(text, R"({"\u001b[2J":"\u007f\u009b\u00e9\u20ac\ud83d\ude00 z\"\\\n","n":1})");
  EXPECT_EQ(boost::json::parse(text), of);
}

TEST(terminal_text, line_breaks_can_be_escaped) {
  EXPECT_EQ(readable("a\n\tb"), "a\n\tb");
  EXPECT_EQ(readable("a\n\tb", line_breaks::escaped), "a\\x0a\tb");
}

}  // namespace
}  // namespace zinc
