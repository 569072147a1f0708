// Files as the Guide's Titanic writes them, whole and not.

#include "mdp/titanic/guide_directory.h"

#include "mdp/titanic/message_bytes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mdp::titanic {
namespace {

using namespace std::string_view_literals;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST(guide_message, parses_a_file_of_the_c_program) {
  const auto two = bytes_of("\4\0\0\0\0\0\0\0echo\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0x"sv);
  EXPECT_EQ(guide_message(two), (zmtp::message{"echo", "", "x"}));
}

TEST(guide_message, parses_a_file_of_the_python_program) {
  // pickle.dumps([b"echo", b"", b"x", b""], protocol=4)
  const auto four = bytes_of(
      "\x80\x04\x95\x14\0\0\0\0\0\0\0]\x94(C\x04"
      "echo\x94"
      "C\0\x94"
      "C\x01x\x94h\x02"
      "e."sv);
  EXPECT_EQ(guide_message(four), (zmtp::message{"echo", "", "x", ""}));
}

TEST(guide_message, rejects_malformed_files) {
  for (const auto wrong :
       {""sv, "\1\0\0\0\0\0\0"sv, "\2\0\0\0\0\0\0\0x"sv, "\xff\xff\xff\xff\xff\xff\xff\xffx"sv,
        "\x80\x04]\x94."sv, "\x80\x04]\x94(C\x05"sv, "\x80\x04]\x94h\x07."sv,
        // A pickle that would call something is only looked at.
        "\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94."sv}) {
    EXPECT_FALSE(guide_message(bytes_of(wrong)));
  }
}

TEST(message_bytes, are_those_of_the_message_and_no_others) {
  std::mt19937 random{1};
  for (int i = 0; i < 200; ++i) {
    zmtp::message m;
    for (auto parts = random() % 5 + 1; parts-- != 0;) {
      m.push_back(std::string(random() % 300, static_cast<char>(random())));
    }
    std::vector<std::byte> bytes;
    append_bytes(m, bytes);
    EXPECT_EQ(message_of(bytes), m);
    // Cut short anywhere it is another message, or none.
    for (std::size_t size = 0; size < bytes.size(); size += 1 + random() % 20) {
      EXPECT_NE(message_of(std::span{bytes}.first(size)), m);
    }
  }
}

}  // namespace
}  // namespace mdp::titanic
