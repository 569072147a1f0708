// A user that does not receive: decoding stops at the mark, the rest stays with the peer, and
// nothing is lost.

#include "test/support/conversation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace zmtp {
namespace {

using test::framed;
using test::heard_message;
using test::parts;
using test::side;

TEST(conversation_back_pressure, decoding_stops_at_the_mark_and_reports_it) {
  side s{{.receive_mark = {.messages = 3, .bytes = {}}, .receives = false}};
  shake_hands(s, "ROUTER");
  s.hear(framed({"1"}) + framed({"2"}));
  EXPECT_FALSE(s.talk.blocked());
  s.hear(framed({"3"}));
  EXPECT_EQ(s.in.size(), 3U);
  EXPECT_FALSE(s.talk.blocked()) << "nothing waits";
  s.hear(framed({"4"}) + framed({"5"}));
  EXPECT_EQ(s.in.size(), 3U);
  EXPECT_TRUE(s.talk.blocked());
  EXPECT_TRUE(s.talk.prepare().empty());
  EXPECT_EQ(s.hear(framed({"6"})), 0U);

  EXPECT_EQ(s.in.pop(), message{"1"});
  s.digest();
  EXPECT_EQ(s.in.size(), 3U);
  EXPECT_TRUE(s.talk.blocked());
  EXPECT_EQ(s.in.pop(), message{"2"});
  s.digest();
  EXPECT_EQ(s.in.size(), 3U);
  EXPECT_FALSE(s.talk.blocked());
  s.receive_all();
  EXPECT_EQ(s.hear(framed({"6"})), 3U);
  s.receive_all();
  EXPECT_EQ(s.news(), (std::vector<std::string>{"[3]", "[4]", "[5]", "[6]"}));
}

TEST(conversation_back_pressure, a_partial_message_waits_too) {
  side s{{.receive_mark = {.messages = 1, .bytes = {}}, .receives = false}};
  shake_hands(s, "ROUTER");
  s.hear(framed({"1"}) + framed({"2", "two"}).substr(0, 4));
  EXPECT_TRUE(s.talk.blocked());
  s.talk.settle();
  s.receive_all();
  s.digest();
  EXPECT_FALSE(s.talk.blocked());
  s.hear(framed({"2", "two"}).substr(4));
  s.receive_all();
  EXPECT_EQ(s.news(), (std::vector<std::string>{"[1]", "[2][two]"}));
}

TEST(conversation_back_pressure, commands_wait_behind_messages) {
  side s{
      {.type = socket_type::xpub, .receive_mark = {.messages = 1, .bytes = {}}, .receives = false}};
  shake_hands(s, "SUB");
  s.hear(framed({"1"}) + test::framed_command("SUBSCRIBE", "A") + test::ping("x") + framed({"2"}));
  EXPECT_EQ(s.news(), std::vector<std::string>{});
  EXPECT_EQ(s.say(), "");
  s.receive_all();
  s.digest();
  s.receive_all();
  EXPECT_EQ(s.news(), (std::vector<std::string>{"[1]", "+A", "[2]"}));
  EXPECT_EQ(s.say(), test::pong("x"));
}

TEST(conversation_back_pressure, one_message_at_most_exceeds_the_byte_mark) {
  side s{{.receive_mark = {.messages = {}, .bytes = 10'000}, .receives = false}};
  shake_hands(s, "ROUTER");
  std::string sent;
  for (int i = 0; i < 60; ++i) {
    sent += framed({std::string(991, 'o')});
  }
  s.hear(sent);
  EXPECT_TRUE(s.talk.blocked());
  EXPECT_GE(s.in.bytes(), 10'000U);
  EXPECT_LT(s.in.bytes(), 10'000U + sizeof(message) + 1000U);
}

TEST(conversation_back_pressure, a_blocked_connection_ends_when_it_is_closed) {
  side s{{.receive_mark = {.messages = 1, .bytes = {}}, .receives = false}};
  shake_hands(s, "ROUTER");
  s.hear(framed({"1"}) + framed({"2"}));
  s.talk.close(errc::connection_lost);
  s.digest();
  EXPECT_EQ(s.news(), std::vector{test::heard_end(errc::connection_lost)});
  EXPECT_FALSE(s.talk.blocked());
  EXPECT_EQ(s.in.size(), 1U);
}

TEST(conversation_back_pressure, nothing_is_lost_with_any_marks_and_pace) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const auto pick = [&](std::size_t n) { return random() % n; };
    high_water_mark mark;
    mark.messages = 1 + pick(20);
    mark.bytes = 1 + pick(40'000);
    side s{{.receive_mark = mark, .receives = false}};
    shake_hands(s, "ROUTER");

    std::string stream;
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < 200; ++i) {
      parts message;
      const std::size_t sizes[] = {0, 1, 90, 200, 256, 3000, 9000};
      for (auto count = 1 + pick(4); count > 0; --count) {
        message.push_back(std::string(sizes[pick(7)], static_cast<char>('a' + pick(26))));
      }
      stream += framed(message);
      stream += pick(10) == 0 ? test::pong("between") : "";
      expected.push_back(heard_message(message));
    }
    std::size_t at = 0;
    std::size_t idle = 0;
    while (s.received.size() < expected.size() && idle < 1000) {
      const auto before = at + s.received.size();
      at += s.hear(std::string_view{stream}.substr(at, 1 + pick(30'000)), 1 + pick(10'000));
      ASSERT_LE(s.in.size(), *mark.messages);
      if (pick(2) == 0) {
        s.talk.settle();
        s.in.compact();
      }
      for (auto count = pick(10); count > 0 && !s.in.empty(); --count) {
        s.received.push_back(heard_message(s.in.pop()));
      }
      // A socket decodes again after it had stopped, once the queue has space.
      if (s.talk.blocked() && s.in.half_empty()) {
        s.digest();
      }
      idle = before == at + s.received.size() ? idle + 1 : 0;
    }
    ASSERT_EQ(at, stream.size());
    ASSERT_EQ(s.news(), expected);
  }
}

}  // namespace
}  // namespace zmtp
