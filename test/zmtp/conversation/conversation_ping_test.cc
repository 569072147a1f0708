// PING and PONG: answers to the peer's PINGs, and probes whether the peer is alive.

#include "test/support/conversation_script.h"

#include <gtest/gtest.h>

#include <chrono>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using test::all_taken;
using test::bytes;
using test::conversation_script;
using test::framed;
using test::heard_end;
using test::nothing_taken;
using test::ping;
using test::pong;
using test::side;

TEST(conversation_ping, is_answered_with_its_context_for_every_version_of_the_peer) {  // Z-9
  for (const unsigned minor : {0U, 1U, 2U}) {
    for (const std::size_t size : {0U, 1U, 7U, 16U}) {
      const std::string context(size, 'c');
      conversation_script{}
          .shake_hands("ROUTER", minor)
          .peer_sends(ping(context))
          .expect_nothing()
          .expect_output(pong(context))
          .run();
    }
  }
}

TEST(conversation_ping, is_answered_for_any_ttl) {
  for (const auto& ttl : {bytes("00 00"), bytes("00 1e"), bytes("02 90"), bytes("ff ff")}) {
    conversation_script{}
        .shake_hands("ROUTER")
        .peer_sends(test::framed_command("PING", ttl + "x"))
        .expect_output(pong("x"))
        .run();
  }
}

TEST(conversation_ping, a_malformed_ping_closes_the_connection) {  // Z-9
  for (const auto& data : {bytes(""), bytes("00")}) {
    conversation_script{}
        .shake_hands("ROUTER")
        .peer_sends(test::framed_command("PING", data))
        .expect_closed(errc::bad_ping)
        .expect_silence()
        .run();
  }
}

// libzmq cuts it so.
TEST(conversation_ping, a_longer_context_is_returned_cut_to_16_bytes) {  // Z-9
  for (const std::size_t size : {17U, 200U, 60'000U}) {
    conversation_script{}
        .shake_hands("ROUTER")
        .peer_sends(ping("0123456789abcdef" + std::string(size - 16, 'x')) + framed({"m"}))
        .expect_message({"m"})
        .expect_output(pong("0123456789abcdef"))
        .run();
  }
}

TEST(conversation_ping, a_context_is_returned_cut_to_the_limit) {
  conversation_script{{.limit = {.ping_context_size = 3}}}
      .shake_hands("ROUTER")
      .peer_sends(ping("abc"))
      .expect_output(pong("abc"))
      .peer_sends(ping("abcd"))
      .expect_output(pong("abc"))
      .run();
}

TEST(conversation_ping, only_the_newest_is_answered_if_nothing_could_be_written) {
  conversation_script{}
      .shake_hands("ROUTER")
      .writes_late()
      .peer_sends(ping("old") + ping("older") + framed({"m"}) + ping("new"))
      .expect_message({"m"})
      .expect_output(pong("new"))
      .peer_sends(ping())
      .expect_output(pong())
      .run();
}

TEST(conversation_ping, pongs_do_not_accumulate_behind_one_being_written) {
  side s;
  shake_hands(s, "ROUTER");
  s.hear(ping("begun"));
  EXPECT_EQ(s.say(3), pong("begun").substr(0, 3));
  for (int i = 0; i < 40; ++i) {
    s.hear(ping(std::to_string(i)));
  }
  EXPECT_EQ(s.say(), pong("begun").substr(3) + pong("39"));
}

TEST(conversation_ping, a_flood_closes_the_connection) {
  side s;
  shake_hands(s, "ROUTER");
  for (unsigned i = 0; i < s.limit.pings_per_second; ++i) {
    s.hear(ping());
  }
  EXPECT_TRUE(s.talk.traffic());
  s.hear(ping());
  EXPECT_EQ(s.news(), std::vector{heard_end(errc::ping_flood)});
  EXPECT_EQ(s.say(), "");
}

TEST(conversation_ping, a_flood_in_one_segment_closes_the_connection) {
  std::string flood;
  for (int i = 0; i < 51; ++i) {
    flood += ping("x");
  }
  conversation_script{}
      .shake_hands("ROUTER")
      .writes_late()
      .peer_sends(flood)
      .expect_closed(errc::ping_flood)
      .expect_silence()
      .run();
}

TEST(conversation_ping, the_allowed_number_each_second_is_not_a_flood) {
  side s;
  shake_hands(s, "ROUTER");
  for (int second = 0; second < 10; ++second) {
    for (unsigned i = 0; i < s.limit.pings_per_second; ++i) {
      s.hear(ping("x"));
      EXPECT_EQ(s.say(), pong("x"));
    }
    s.now += 1s;
  }
  EXPECT_TRUE(s.talk.traffic());
}

TEST(conversation_ping, output_is_never_more_than_input) {
  side s;
  shake_hands(s, "ROUTER");
  std::size_t received = 0;
  std::size_t said = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    s.now += 25ms;
    const auto sent = ping(std::string(i % 17, 'c'));
    s.hear(sent);
    received += sent.size();
    said += s.say().size();
  }
  EXPECT_TRUE(s.talk.traffic());
  EXPECT_LE(said, received);
}

// The acknowledgements of TCP.
constexpr conversation::acknowledgement some_taken{.bytes = 101, .complete = false};

// Heartbeats are off, so that the probe's deadline is the only one.
class conversation_probe : public testing::Test {
protected:
  side s{{.beat = {.interval = std::nullopt}}};
};

TEST_F(conversation_probe, sends_a_ping_only_to_a_peer_that_supports_it) {
  for (const unsigned minor : {0U, 1U, 9U}) {
    side peers{{.beat = {.interval = std::nullopt}}};
    shake_hands(peers, "ROUTER", minor);
    EXPECT_FALSE(peers.talk.next_deadline().has_value());
    peers.talk.probe(peers.now, all_taken);
    EXPECT_EQ(peers.say(), minor == 0 ? "" : bytes("04 07 04 'PING' 00 00"));
    EXPECT_EQ(peers.talk.next_deadline(), peers.now + 2s);
  }
}

TEST_F(conversation_probe, runs_once_at_a_time) {
  shake_hands(s, "ROUTER");
  const auto asked = s.now;
  s.talk.probe(s.now, all_taken);
  s.talk.probe(s.now + 1s, all_taken);
  EXPECT_EQ(s.say(), ping());
  EXPECT_EQ(s.talk.next_deadline(), asked + 2s);
  s.hear(pong());
  s.talk.probe(s.now + 3s, all_taken);
  EXPECT_EQ(s.say(), ping());
  EXPECT_EQ(s.talk.next_deadline(), asked + 5s);
}

TEST_F(conversation_probe, any_byte_answers_it) {
  for (const auto& sent : {pong(), framed({"m"}), std::string(1, '\1')}) {
    side received{{.beat = {.interval = std::nullopt}}};
    shake_hands(received, "ROUTER");
    received.talk.probe(received.now, all_taken);
    received.now += 1s;
    received.hear(sent);
    EXPECT_FALSE(received.talk.next_deadline().has_value());
    received.talk.on_deadline(received.now + 10s, nothing_taken);
    EXPECT_TRUE(received.talk.traffic());
  }
}

TEST_F(conversation_probe, an_unanswered_probe_closes_silently_after_its_timeout) {
  shake_hands(s, "ROUTER");
  s.out.push({"queued"});
  s.talk.probe(s.now, all_taken);
  s.talk.on_deadline(s.now + 1999ms, nothing_taken);
  EXPECT_TRUE(s.talk.traffic());
  s.talk.on_deadline(s.now + 2s, nothing_taken);
  s.digest();
  EXPECT_EQ(s.news(), std::vector{heard_end(errc::probe_unanswered)});
  EXPECT_EQ(s.say(), "");
  EXPECT_FALSE(s.talk.next_deadline().has_value());
  EXPECT_EQ(s.out.messages(), 1U);
}

TEST_F(conversation_probe, an_acknowledgement_by_the_kernel_shows_that_the_peer_is_alive) {
  for (const auto& said : {all_taken, some_taken}) {
    side lives{{.beat = {.interval = std::nullopt}}};
    shake_hands(lives, "ROUTER");
    lives.talk.probe(lives.now, all_taken);
    lives.talk.on_deadline(lives.now + 2s, said);
    EXPECT_TRUE(lives.talk.traffic());
    EXPECT_EQ(lives.news(), std::vector<std::string>{});
    EXPECT_FALSE(lives.talk.next_deadline().has_value());
    lives.talk.probe(lives.now + 3s, all_taken);
    EXPECT_EQ(lives.talk.next_deadline(), lives.now + 5s);
  }
}

// If a peer does not support PING, TCP must acknowledge other messages that were sent.
TEST_F(conversation_probe, without_ping_support_a_probe_waits_for_earlier_output) {
  for (const bool sent_before : {true, false}) {
    side old{{.beat = {.interval = std::nullopt}}};
    shake_hands(old, "ROUTER", 0);
    old.talk.probe(old.now, sent_before ? nothing_taken : all_taken);
    old.talk.on_deadline(old.now + 2s, nothing_taken);
    EXPECT_EQ(old.talk.traffic(), !sent_before);
    if (!sent_before) {
      EXPECT_EQ(old.talk.next_deadline(), old.now + 4s);
      old.talk.on_deadline(old.now + 4s, nothing_taken);
      EXPECT_TRUE(old.talk.over());
    }
  }
}

TEST_F(conversation_probe, is_not_cut_short_by_strict_heartbeats) {
  side strict{{.beat = {.strict = true}}};
  shake_hands(strict, "ROUTER");
  strict.talk.probe(strict.now, all_taken);
  strict.talk.on_deadline(strict.now + 2s, all_taken);
  EXPECT_TRUE(strict.talk.traffic());
}

TEST_F(conversation_probe, does_nothing_outside_traffic) {
  s.say();
  const auto due = s.talk.next_deadline();
  s.talk.probe(s.now, all_taken);
  EXPECT_EQ(s.say(), "");
  EXPECT_EQ(s.talk.next_deadline(), due);
  s.talk.close(errc::socket_closed);
  s.talk.probe(s.now, all_taken);
  EXPECT_EQ(s.say(), "");
  EXPECT_FALSE(s.talk.next_deadline().has_value());
}

}  // namespace
}  // namespace zmtp
