#include "tools/zinc/dump/record_lines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace zinc::dump {
namespace {

record message() {
  record made;
  made.kind = record_kind::message;
  made.from = side::accepting;
  made.offset = 64;
  made.name = "CHP KVSET";
  made.fields = {{"key", std::string{"a\x1b"}}, {"sequence", std::uint64_t{7}}};
  made.parts = {{3, "abc"}, {100, "\xff"}, {9, ""}};
  made.more_parts = 2;
  return made;
}

TEST(record_lines, escapes_text) {
  const auto line = text_line_of(message(), {std::chrono::microseconds{1'000'042}, 3});
  EXPECT_EQ(
      line.substr(line.find('.')),
      ".000042 3 < 64 message CHP KVSET key=\"a\\x1b\" sequence=7 | \"abc\" \"\\xff\"... (100 "
      "bytes) (9 bytes) and 2 parts\n");
}

TEST(record_lines, prints_json) {
  EXPECT_EQ(
      json_line_of(message(), {std::chrono::microseconds{1'000'042}, 3}),
      R"({"time_us":1000042,"connection":3,"from":"accepting","offset":64,"record":"message",)"
      R"("name":"CHP KVSET","fields":{"key":"a\u001b","sequence":7},)"
      R"("parts":[{"size":3,"start":"abc"},{"size":100,"start":{"hex":"ff"}},{"size":9}],)"
      R"("more_parts":2})"
      "\n");
}

TEST(record_lines, shows_the_characters_before_one_that_is_cut_in_json) {
  record made;
  made.kind = record_kind::message;
  made.parts = {{100, "x\xd1\x8f\xd1"}, {4, "x\xd1\x8f\xd1"}, {100, "x\xf0\x9f\x98"},
                {100, "x\xff yz"},      {100, "xyz\xff"},     {100, "x\x80\x80"}};
  const auto line = json_line_of(made, {{}, 1});
  EXPECT_TRUE(line.ends_with(
      "[{\"size\":100,\"start\":\"x\u044f\"},{\"size\":4,\"start\":{\"hex\":\"78d18fd1\"}},"
      "{\"size\":100,\"start\":\"x\"},{\"size\":100,\"start\":{\"hex\":\"78ff20797a\"}},"
      "{\"size\":100,\"start\":{\"hex\":\"78797aff\"}},{\"size\":100,\"start\":{\"hex\":\"788080\"}"
      "}]}\n"))
      << line;
}

TEST(record_lines, prints_the_end_of_a_connection) {
  record made;
  made.kind = record_kind::closed;
  made.name = "connection refused";
  const auto line = text_line_of(made, {{}, 1});
  EXPECT_TRUE(line.ends_with(" 1 closed connection refused\n")) << line;
}

}  // namespace
}  // namespace zinc::dump
