// Heartbeats as they go over the wire, and what ends a conversation for want of them.

#include "test/support/conversation.h"

#include <gtest/gtest.h>

#include <chrono>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using test::all_taken;
using test::bytes;
using test::framed;
using test::framed_command;
using test::heard_end;
using test::heard_not_reading;
using test::nothing_taken;
using test::ping;
using test::pong;
using test::side;

class conversation_heartbeat : public testing::Test {
protected:
  static void pass_deadline(side& s, const conversation::acknowledgement& said = all_taken) {
    ASSERT_TRUE(s.talk.next_deadline().has_value());
    s.now = *s.talk.next_deadline();
    s.talk.on_deadline(s.now, said);
    s.digest();
  }

  side s;
};

TEST_F(conversation_heartbeat, pings_only_unresponsive_peers_of_3_1) {
  for (const unsigned minor : {0U, 1U, 2U}) {
    side own;
    shake_hands(own, "ROUTER", minor);
    EXPECT_EQ(own.talk.next_deadline().has_value(), minor != 0);
    if (minor != 0) {
      EXPECT_EQ(own.talk.next_deadline(), own.now + 10s);
      pass_deadline(own);
      EXPECT_EQ(own.say(), bytes("04 07 04 'PING' 00 00"));
    }
  }
}

TEST_F(conversation_heartbeat, sends_our_ttl_in_tenths_of_a_second) {
  side own{{.beat = {.ttl = std::chrono::seconds{3}}}};
  shake_hands(own, "ROUTER");
  pass_deadline(own);
  EXPECT_EQ(own.say(), bytes("04 07 04 'PING' 00 1e"));
  side longest{{.beat = {.ttl = heartbeat_options::deciseconds{655}}}};
  shake_hands(longest, "ROUTER");
  pass_deadline(longest);
  EXPECT_EQ(longest.say(), bytes("04 07 04 'PING' 02 8f"));
}

// libzmq cuts a peer in the middle of a large message.
TEST_F(conversation_heartbeat, every_byte_of_a_large_message_counts_as_traffic) {  // Z-9
  shake_hands(s, "ROUTER");
  const auto large = framed({std::string(200, 'x')});
  for (const char byte : large) {
    s.now += 9s;
    s.talk.on_deadline(s.now, nothing_taken);
    EXPECT_EQ(s.say(), "");
    s.hear({&byte, 1});
  }
  EXPECT_EQ(s.news(), std::vector{test::heard_message(test::parts{std::string(200, 'x')})});
}

TEST_F(conversation_heartbeat, a_ping_does_not_split_a_message) {
  shake_hands(s, "ROUTER");
  s.out.push({"first part", "second part"});
  const auto whole = framed({"first part", "second part"});
  EXPECT_EQ(s.say(5), whole.substr(0, 5));
  pass_deadline(s);
  EXPECT_EQ(s.say(), whole.substr(5) + ping());
}

TEST_F(conversation_heartbeat, closes_without_an_answer_or_an_acknowledgement) {
  shake_hands(s, "ROUTER");
  pass_deadline(s);
  pass_deadline(s, nothing_taken);
  EXPECT_EQ(s.news(), std::vector{heard_end(errc::probe_unanswered)});
  EXPECT_FALSE(s.talk.next_deadline().has_value());
}

TEST_F(conversation_heartbeat, a_peer_that_does_not_read_is_reported_once_and_not_closed) {
  shake_hands(s, "ROUTER");
  pass_deadline(s);
  EXPECT_EQ(s.say(), ping());
  pass_deadline(s);
  EXPECT_EQ(s.news(), std::vector{heard_not_reading()});
  for (int i = 0; i < 100; ++i) {
    pass_deadline(s);
  }
  EXPECT_EQ(s.news(), std::vector<std::string>{});
  EXPECT_EQ(s.say(), "");
  s.hear(framed({"awake"}));
  EXPECT_TRUE(s.talk.traffic());
}

TEST_F(conversation_heartbeat, strict_closes_a_peer_that_does_not_read) {
  side strict{{.beat = {.strict = true}}};
  shake_hands(strict, "ROUTER");
  pass_deadline(strict);
  pass_deadline(strict);
  EXPECT_EQ(strict.news(), std::vector{heard_end(errc::heartbeat_timeout)});
}

TEST_F(conversation_heartbeat, strict_closes_a_peer_that_exceeds_its_ttl) {  // Z-9
  side strict{{.beat = {.strict = true}}};
  shake_hands(strict, "ROUTER", 0);
  strict.hear(framed_command("PING", bytes("00 14")));
  EXPECT_EQ(strict.talk.next_deadline(), strict.now + 2s);
  pass_deadline(strict);
  EXPECT_EQ(strict.news(), std::vector{heard_end(errc::ttl_expired)});
}

TEST_F(conversation_heartbeat, a_ttl_of_65_6_seconds_is_65_6_seconds) {
  side strict{{.beat = {.strict = true}}};
  shake_hands(strict, "ROUTER", 0);
  strict.hear(framed_command("PING", bytes("02 90")));
  EXPECT_EQ(strict.talk.next_deadline(), strict.now + 65'600ms);
  strict.talk.on_deadline(strict.now + 64ms, nothing_taken);
  EXPECT_TRUE(strict.talk.traffic());
}

// Bytes that wait for room in the user's queue are unread by our doing.
TEST_F(conversation_heartbeat, a_peer_whose_messages_we_do_not_read_is_not_unresponsive) {
  side full{{.beat = {.strict = true}, .receive_mark = {.messages = 1}, .receives = false}};
  shake_hands(full, "ROUTER");
  full.hear(framed({"one"}) + framed({"two"}));
  ASSERT_TRUE(full.talk.blocked());
  for (int i = 0; i < 20; ++i) {
    pass_deadline(full, nothing_taken);
  }
  EXPECT_TRUE(full.talk.traffic());
  EXPECT_EQ(full.say(), "");
  full.receive_all();
  full.digest();
  pass_deadline(full);
  EXPECT_EQ(full.say(), ping());
}

TEST_F(conversation_heartbeat, discarded_bytes_also_show_that_the_peer_is_alive) {
  shake_hands(s, "ROUTER");
  for (int i = 0; i < 20; ++i) {
    s.now += 9s;
    s.talk.received(s.now);
    s.talk.on_deadline(s.now, nothing_taken);
  }
  EXPECT_EQ(s.say(), "");
  EXPECT_TRUE(s.talk.traffic());
}

TEST_F(conversation_heartbeat, two_zinc_peers_exchange_at_most_two_pings_an_interval) {
  side a;
  side b{{.type = socket_type::router}};
  pump(a, b);
  std::size_t said = 0;
  for (int second = 0; second < 1'000; ++second) {
    for (auto* const one : {&a, &b}) {
      one->now += 1s;
      one->talk.on_deadline(one->now, all_taken);
    }
    for (bool more = true; more;) {
      const auto of_a = a.say();
      b.hear(of_a);
      const auto of_b = b.say();
      a.hear(of_b);
      said += of_a.size() + of_b.size();
      more = !of_a.empty() || !of_b.empty();
    }
  }
  EXPECT_TRUE(a.talk.traffic());
  EXPECT_TRUE(b.talk.traffic());
  EXPECT_LE(said, 1'000 / 10 * 2 * (ping().size() + pong().size()));
  EXPECT_GE(said, 1'000 / 11 * (ping().size() + pong().size()));
}

}  // namespace
}  // namespace zmtp
