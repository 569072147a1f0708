#include "zmtp/curve/z85.h"

#include "test/support/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace zmtp {
namespace {

std::string decoded(std::string_view text, std::size_t size) {
  std::string to(size, '\0');
  return z85::decode(text, std::as_writable_bytes(std::span{to})) ? to : "invalid";
}

// RFC 32 "Test Case".
TEST(z85, encodes_the_example_of_the_specification) {
  const auto bytes = test::bytes("86 4f d2 6f b5 59 f7 5b");
  EXPECT_EQ(z85::encode(std::as_bytes(std::span{bytes})), "HelloWorld");
  EXPECT_EQ(decoded("HelloWorld", 8), bytes);
  EXPECT_EQ(z85::encode({}), "");
  EXPECT_EQ(decoded("", 0), "");
}

TEST(z85, the_largest_group_is_the_last_valid_one) {
  EXPECT_EQ(decoded("%nSc0", 4), test::bytes("ff ff ff ff"));
  EXPECT_EQ(decoded("%nSc1", 4), "invalid");
  EXPECT_EQ(decoded("#####", 4), "invalid");
}

TEST(z85, text_of_another_size_or_alphabet_is_invalid) {
  EXPECT_EQ(decoded("HelloWorld", 4), "invalid");
  EXPECT_EQ(decoded("Hello", 8), "invalid");
  EXPECT_EQ(decoded("HelloWorl", 8), "invalid");
  for (const char* text : {"Hell\"", "Hell'", "Hell,", "Hell;", "Hell\\", "Hell|", "Hell~", "Hell_",
                           "Hell`", "Hell ", "Hell\n", "Hell\x80"}) {
    EXPECT_EQ(decoded(text, 4), "invalid") << text;
  }
}

TEST(z85, any_bytes_return_from_their_text) {
  std::mt19937 random{1};
  for (int i = 0; i < 1'000; ++i) {
    std::vector<std::byte> bytes(random() % 10 * 4);
    for (auto& b : bytes) {
      b = static_cast<std::byte>(random());
    }
    const auto text = z85::encode(bytes);
    EXPECT_EQ(text.size(), bytes.size() / 4 * 5);
    std::vector<std::byte> back(bytes.size());
    ASSERT_TRUE(z85::decode(text, back));
    EXPECT_EQ(back, bytes);
  }
}

}  // namespace
}  // namespace zmtp
