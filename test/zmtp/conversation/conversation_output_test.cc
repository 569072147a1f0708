// The output: whole messages in order, commands between them, and the outcome for both when the
// connection is lost at any byte.

#include "test/support/conversation.h"
#include "test/support/made_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <random>

namespace zmtp {
namespace {

using test::content_of;
using test::framed;
using test::framed_command;
using test::made_of;
using test::parts;
using test::ping;
using test::pong;
using test::side;

// Some messages of every kind of entry in the queue; each has its number in it.
std::vector<parts> mixed(std::size_t count, unsigned seed = 1) {
  const std::size_t sizes[] = {0, 1, 40, 255, 256, 2000, 4090, 4097, 9000};
  std::mt19937 random{seed};
  std::vector<parts> messages;
  for (std::size_t i = 0; i < count; ++i) {
    parts message{std::to_string(i)};
    for (auto more = random() % 4; more > 0; --more) {
      message.push_back(std::string(sizes[random() % 9], static_cast<char>('a' + random() % 26)));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

TEST(conversation_output, byte_by_byte_output_equals_a_single_write) {
  std::string expected;
  side whole;
  side bit_by_bit;
  for (auto* s : {&whole, &bit_by_bit}) {
    shake_hands(*s, "ROUTER");
  }
  for (const auto& message : mixed(60)) {
    expected += framed(message);
    whole.out.push(made_of(message));
    bit_by_bit.out.push(made_of(message));
  }
  EXPECT_EQ(whole.say(), expected);
  std::string said;
  while (bit_by_bit.talk.has_output(bit_by_bit.out)) {
    const auto byte = bit_by_bit.say(1);
    ASSERT_EQ(byte.size(), 1U);
    said += byte;
  }
  EXPECT_EQ(said, expected);
  EXPECT_TRUE(bit_by_bit.out.empty());
  EXPECT_EQ(bit_by_bit.out.bytes(), 0U);
}

TEST(conversation_output, a_command_precedes_a_message_that_is_not_begun) {
  side s;
  shake_hands(s, "ROUTER");
  s.out.push({"queued"});
  s.hear(ping("x"));
  EXPECT_EQ(s.say(), pong("x") + framed({"queued"}));
}

TEST(conversation_output, a_command_waits_for_the_end_of_a_begun_message) {
  for (const std::size_t size : {100U, 9000U}) {
    const parts message{"head", std::string(size, 'b')};
    for (std::size_t written = 1; written < framed(message).size(); written += size / 50) {
      side s;
      shake_hands(s, "ROUTER");
      s.out.push(made_of(message));
      s.out.push(made_of(parts{"next"}));
      auto said = s.say(written);
      s.hear(ping("x"));
      s.talk.probe(s.now, {});
      said += s.say();
      const auto read = content_of(said);
      EXPECT_FALSE(read.command_inside) << written;
      EXPECT_EQ(read.unread, 0U);
      EXPECT_EQ(read.messages, (std::vector<parts>{message, {"next"}}));
      EXPECT_EQ(read.commands.size(), 2U);
    }
  }
}

TEST(conversation_output, a_command_waits_only_for_the_begun_message) {
  const parts large{"", std::string(9000, 'l')};
  side s;
  shake_hands(s, "ROUTER");
  for (int i = 0; i < 3; ++i) {
    s.out.push(made_of(large));
  }
  auto said = s.say(1);
  s.hear(ping("x"));
  said += s.say();
  EXPECT_EQ(said, framed(large) + pong("x") + framed(large) + framed(large));
}

// The kernel takes the end of a command together with the beginning of a message.
TEST(conversation_output, a_command_waits_for_a_message_begun_after_an_earlier_command) {
  const parts message{"a", "b"};
  for (std::size_t written = 1; written <= ping().size() + framed(message).size(); ++written) {
    side s{{.type = socket_type::sub}};
    shake_hands(s, "PUB");
    s.talk.subscribe("A");
    s.out.push(made_of(message));
    auto said = s.say(written);
    s.talk.subscribe("B");
    said += s.say();
    const auto read = content_of(said);
    EXPECT_FALSE(read.command_inside) << written;
    EXPECT_EQ(read.messages, std::vector<parts>{message}) << written;
    EXPECT_EQ(read.commands.size(), 2U) << written;
    EXPECT_EQ(read.unread, 0U) << written;
  }
}

TEST(conversation_output, commands_never_split_a_message) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random{seed};
    const auto pick = [&](std::size_t n) { return random() % n; };
    side s{{.type = socket_type::sub}};
    shake_hands(s, "PUB");
    std::string said;
    std::vector<std::string> asked;
    const auto messages = mixed(40, seed);
    for (std::size_t i = 0; i < messages.size();) {
      switch (pick(6)) {
        case 0: s.out.push(made_of(messages[i++])); break;
        case 1:
          asked.push_back("\x09SUBSCRIBE" + std::to_string(i));
          s.talk.subscribe(std::to_string(i));
          break;
        case 2:
          asked.push_back(
              "\x06"
              "CANCEL" +
              std::to_string(i));
          s.talk.cancel(std::to_string(i));
          break;
        case 3:
          s.now += std::chrono::milliseconds{100};
          s.hear(ping(std::to_string(i)));
          break;
        default: said += s.say(1 + pick(i % 2 == 0 ? 20 : 20'000)); break;
      }
    }
    said += s.say();
    const auto read = content_of(said);
    ASSERT_FALSE(read.command_inside) << "seed " << seed;
    ASSERT_EQ(read.messages, messages) << "seed " << seed;
    ASSERT_EQ(read.unread, 0U);
    std::vector<std::string> ours;
    std::copy_if(read.commands.begin(), read.commands.end(), std::back_inserter(ours),
                 [](const std::string& c) { return c.substr(1, 4) != "PONG"; });
    ASSERT_EQ(ours, asked) << "seed " << seed;
  }
}

// Checks the output of both connections for `messages`. The first connection is lost after `cut`
// bytes of traffic.
void expect_none_lost_nor_spliced(const std::vector<parts>& messages, std::size_t cut) {
  side s;
  shake_hands(s, "ROUTER");
  for (const auto& message : messages) {
    s.out.push(made_of(message));
  }
  const auto first = s.say(cut);
  s.connect_again();
  s.hear(test::greeting_of(3, 1));
  ASSERT_EQ(s.say(), test::greeting_of(3, 1) + test::ready_of("DEALER"));
  s.hear(test::ready_of("ROUTER"));
  const auto before = content_of(first);
  const auto after = content_of(s.say());
  ASSERT_EQ(after.unread, 0U);
  auto all = before.messages;
  all.insert(all.end(), after.messages.begin(), after.messages.end());
  ASSERT_EQ(all, messages);
}

TEST(conversation_output, whole_messages_continue_after_a_disconnect_at_any_byte) {  // Z-14
  const std::vector<parts> messages{
      {""},
      {"a", "", "c"},
      {std::string(255, 'x')},
      {std::string(256, 'y'), "1"},
      {"large", std::string(4500, 'l')},
      {std::string(4200, 'm'), "behind"},
      {"small"},
      {"id", "", std::string(300, 'n'), std::string(4100, 'o')},
      {"last"},
  };
  std::size_t size = 0;
  for (const auto& message : messages) {
    size += framed(message).size();
  }
  for (std::size_t cut = 0; cut <= size; ++cut) {
    expect_none_lost_nor_spliced(messages, cut);
    if (HasFatalFailure()) {
      FAIL() << "cut at " << cut;
    }
  }
}

TEST(conversation_output, whole_messages_continue_after_repeated_disconnects) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random{seed};
    const auto messages = mixed(120, seed);
    side s;
    std::size_t queued = 0;
    std::vector<parts> all;
    while (queued < messages.size() || !s.out.empty()) {
      std::string said;
      s.hear(test::greeting_of(3, 1) + test::ready_of("ROUTER"));
      for (bool lost = false; !lost && (queued < messages.size() || !s.out.empty());) {
        if (random() % 2 == 0 && queued < messages.size()) {
          s.out.push(made_of(messages[queued++]));
        }
        said += s.say(random() % 3000);
        lost = random() % 10 == 0;
      }
      const auto read = content_of(said.substr(std::min(said.size(), std::size_t{64})));
      all.insert(all.end(), read.messages.begin(), read.messages.end());
      s.connect_again();
    }
    ASSERT_EQ(all, messages) << "seed " << seed;
    ASSERT_EQ(s.out.messages(), 0U);
    ASSERT_EQ(s.out.bytes(), 0U);
  }
}

TEST(conversation_output, commands_are_not_stored_for_the_next_connection) {
  side s{{.type = socket_type::sub}};
  shake_hands(s, "PUB");
  s.talk.subscribe("A");
  s.hear(ping("x"));
  s.say(5);
  s.connect_again();
  shake_hands(s, "PUB");
  EXPECT_EQ(s.say(), "");
}

TEST(conversation_output, many_messages_are_written_in_several_steps) {
  side s;
  shake_hands(s, "ROUTER");
  std::vector<parts> messages;
  for (int i = 0; i < 200; ++i) {
    messages.push_back({std::to_string(i), std::string(5000, 'l')});
    s.out.push(made_of(messages.back()));
  }
  std::array<conversation::piece, conversation::max_pieces> pieces;
  EXPECT_LE(s.talk.output(pieces, s.out), pieces.size());
  EXPECT_EQ(content_of(s.say()).messages, messages);
}

}  // namespace
}  // namespace zmtp
