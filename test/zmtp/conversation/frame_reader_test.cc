#include "zmtp/conversation/frame_reader.h"

#include "test/support/wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace zmtp {
namespace {

using found = decoder::found;
using test::framed;
using test::framed_command;

constexpr std::size_t everything = static_cast<std::size_t>(-1);

class a_frame_reader : public testing::Test {
protected:
  void receive(const std::string& bytes) {
    const auto to = reader.prepare(everything);
    ASSERT_GE(to.size(), bytes.size());
    std::memcpy(to.data(), bytes.data(), bytes.size());
    reader.commit(bytes.size());
  }
  found look() { return reader.look({.bytes = everything, .messages = most_messages}); }
  static std::string text_of(const message_run& run) {
    return {reinterpret_cast<const char*>(run.data), run.size};
  }

  limits limit;
  frame_reader reader{limit};
  std::size_t most_messages = 1;
};

TEST_F(a_frame_reader, takes_messages_and_commands_in_order) {
  reader.start_traffic(nullptr);
  receive(framed({"a", "b"}) + framed_command("PING", "x") + framed({"c"}));
  EXPECT_EQ(look(), found::message);
  const auto first = reader.take_messages();
  EXPECT_EQ(text_of(first), framed({"a", "b"}));
  EXPECT_EQ(first.messages, 1U);
  EXPECT_EQ(look(), found::command);
  EXPECT_EQ(reader.take_command(), "\4PINGx");
  EXPECT_EQ(look(), found::message);
  EXPECT_EQ(text_of(reader.take_messages()), framed({"c"}));
  EXPECT_EQ(look(), found::more);
  EXPECT_TRUE(reader.empty());
}

TEST_F(a_frame_reader, keeps_a_message_in_one_piece_around_a_command) {
  reader.start_traffic(nullptr);
  const auto message = framed({"a", "b"});
  receive(message.substr(0, 3) + framed_command("PING", "x") + message.substr(3));
  EXPECT_EQ(look(), found::command);
  EXPECT_TRUE(reader.in_message());
  EXPECT_EQ(reader.take_command(), "\4PINGx");
  EXPECT_EQ(look(), found::message);
  EXPECT_EQ(text_of(reader.take_messages()), message);
  EXPECT_FALSE(reader.in_message());
}

TEST_F(a_frame_reader, knows_whether_a_message_has_begun) {
  reader.start_traffic(nullptr);
  EXPECT_FALSE(reader.message_begun());
  receive(framed_command("PING", "x").substr(0, 2));
  EXPECT_FALSE(reader.message_begun());
  reader.drop();
  receive(framed({"whole"}).substr(0, 1));
  EXPECT_TRUE(reader.message_begun());
  EXPECT_FALSE(reader.in_message());
  reader.drop();
  EXPECT_FALSE(reader.message_begun());
  EXPECT_TRUE(reader.empty());
}

TEST_F(a_frame_reader, reads_no_more_than_a_command_in_the_handshake) {
  EXPECT_EQ(reader.prepare(everything).size(), limit.handshake_command_size);
  reader.start_traffic(nullptr);
  EXPECT_GT(reader.prepare(everything).size(), limit.handshake_command_size);
}

TEST_F(a_frame_reader, reads_ahead_up_to_a_limit_or_the_frame) {
  reader.start_traffic(nullptr);
  EXPECT_EQ(reader.prepare(10).size(), 10U);
  receive(test::frame_header(0, 100));
  EXPECT_EQ(look(), found::more);
  EXPECT_EQ(reader.prepare(10).size(), 100U);
}

TEST_F(a_frame_reader, reads_little_after_many_commands_and_soon_more_again) {
  reader.start_traffic(nullptr);
  const auto usual = reader.prepare(everything).size();
  for (int i = 0; i < 32; ++i) {
    reader.count_command();
  }
  EXPECT_EQ(reader.prepare(everything).size(), usual);
  for (int i = 0; i < 33; ++i) {
    reader.count_command();
  }
  auto expected = std::size_t{1024};
  for (; expected < usual; expected *= 2) {
    EXPECT_EQ(reader.prepare(everything).size(), expected);
    reader.commit(0);
  }
  EXPECT_EQ(reader.prepare(everything).size(), usual);
}

}  // namespace
}  // namespace zmtp
