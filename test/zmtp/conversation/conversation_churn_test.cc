// A peer that sends mostly commands is read in short pieces, so that other peers have their turns.

#include "test/support/conversation.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace zmtp {
namespace {

using test::framed;
using test::framed_command;
using test::side;

constexpr std::size_t short_read = 1024;
constexpr std::size_t usual_read = 64 * 1024;

std::string repeated(const std::string& what, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += what;
  }
  return all;
}

const test::side_options publisher{.type = socket_type::pub};

// Returns the size of the next read after this input.
std::size_t next_read(side& of, const std::string& bytes) {
  of.hear(bytes);
  return of.talk.prepare().size();
}

TEST(conversation_churn, messages_are_read_in_pieces_of_the_usual_size) {
  side s{publisher};
  shake_hands(s, "SUB");
  EXPECT_GE(next_read(s, repeated(framed({"a", "b"}), 1'000)), usual_read);
  EXPECT_GE(next_read(s, framed({std::string(20'000, 'x')})), usual_read);
  EXPECT_GE(next_read(s, repeated(framed_command("CANCEL", "few"), 30)), usual_read);
}

TEST(conversation_churn, commands_are_read_in_short_pieces) {
  for (const auto& one :
       {framed_command("CANCEL", "never had"), framed_command("SUBSCRIBE", "again"),
        framed_command("UNKNOWN"), framed({"\1by message"}), framed({std::string("\0by", 3)})}) {
    side s{publisher};
    shake_hands(s, "SUB");
    EXPECT_LE(next_read(s, repeated(one, 100)), short_read) << one;
    // Reads stay short until the churn ends.
    for (int i = 0; i < 20; ++i) {
      const auto size = next_read(s, repeated(one, static_cast<int>(short_read / one.size())));
      EXPECT_LE(size, 2 * short_read) << one;
    }
  }
}

TEST(conversation_churn, a_churn_that_has_ended_is_forgotten) {
  side s{publisher};
  shake_hands(s, "SUB");
  const auto churn = repeated(framed_command("CANCEL", "a"), 100);
  ASSERT_LE(next_read(s, churn), short_read);
  std::size_t size = 0;
  for (int reads = 0; reads < 10; ++reads) {
    size = next_read(s, framed({"a message"}));
  }
  EXPECT_GE(size, usual_read);
}

TEST(conversation_churn, all_bytes_of_a_churn_are_decoded) {
  side s{publisher};
  shake_hands(s, "SUB");
  std::string bytes;
  std::size_t expected = 0;
  for (int i = 0; i < 3'000; ++i, ++expected) {
    bytes += framed_command("SUBSCRIBE", std::to_string(i));
  }
  EXPECT_EQ(s.hear(bytes), bytes.size());
  EXPECT_EQ(s.news().size(), expected);
}

}  // namespace
}  // namespace zmtp
