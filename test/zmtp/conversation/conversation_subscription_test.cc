// Subscriptions: those of the peer, which a publisher receives, and our own, in the form of the
// peer's version.

#include "test/support/conversation_script.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace zmtp {
namespace {

using test::bytes;
using test::conversation_script;
using test::frame;
using test::framed;
using test::framed_command;
using test::heard_cancel;
using test::heard_message;
using test::heard_subscribe;
using test::parts;
using test::side;

constexpr socket_type publishers[] = {socket_type::pub, socket_type::xpub};

conversation_script publishing(socket_type type, unsigned peer_minor = 1) {
  return conversation_script{{.type = type}}.shake_hands("SUB", peer_minor);
}

TEST(conversation_subscription, both_forms_are_accepted_from_peers_of_every_version) {
  for (const auto type : publishers) {
    for (const unsigned minor : {0U, 1U}) {
      publishing(type, minor)
          .peer_sends(framed_command("SUBSCRIBE", "A") + framed({"\1B"}) +
                      framed_command("CANCEL", "A") + framed({bytes("00 'B'")}))
          .expect({"+A", "+B", "-A", "-B"})
          .expect_silence()
          .run();
    }
  }
}

TEST(conversation_subscription, topics_may_be_empty_and_have_any_byte) {
  const auto strange = bytes("00 01 'x' ff 00");
  publishing(socket_type::xpub)
      .peer_sends(framed_command("SUBSCRIBE") + framed({"\1"}) +
                  framed_command("SUBSCRIBE", strange) + framed({"\1" + strange}) +
                  framed({bytes("00")}) + framed_command("CANCEL"))
      .expect({"+", "+", heard_subscribe(strange), heard_subscribe(strange), "-", "-"})
      .run();
}

TEST(conversation_subscription, topics_around_the_limits_of_the_frame_forms_are_received) {
  for (const std::size_t size : {244U, 245U, 246U, 253U, 254U, 255U, 256U, 1024U}) {
    const std::string topic(size, 't');
    publishing(socket_type::pub)
        .peer_sends(framed_command("SUBSCRIBE", topic) + framed({"\1" + topic}) +
                    framed({bytes("00") + topic}))
        .expect({heard_subscribe(topic), heard_subscribe(topic), heard_cancel(topic)})
        .run();
  }
}

TEST(conversation_subscription, each_repetition_is_received) {
  publishing(socket_type::pub)
      .peer_sends(framed_command("SUBSCRIBE", "A") + framed_command("SUBSCRIBE", "A") +
                  framed_command("CANCEL", "A") + framed_command("CANCEL", "never"))
      .expect({"+A", "+A", "-A", "-never"})
      .run();
}

TEST(conversation_subscription, malformed_subscriptions_are_messages) {
  publishing(socket_type::xpub)
      .peer_sends(framed({"\2A"}) + framed({""}) + framed({"\1A", "more"}) + framed({"", "\1A"}))
      .expect({"[\2A]", "[]", "[\1A][more]", "[][\1A]"})
      .run();
}

TEST(conversation_subscription, is_received_in_order_with_messages) {
  publishing(socket_type::xpub)
      .peer_sends(framed({"one"}) + framed_command("SUBSCRIBE", "A") + framed({"two"}) +
                  framed({"\1B"}) + framed({"three"}))
      .expect({"[one]", "+A", "[two]", "+B", "[three]"})
      .run();
}

TEST(conversation_subscription, is_accepted_between_the_parts_of_a_message) {
  publishing(socket_type::xpub)
      .peer_sends(frame(test::more, "a") + framed_command("SUBSCRIBE", "A") +
                  frame(test::more, std::string(300, 'b')) + framed_command("CANCEL", "A") +
                  frame(0, "c"))
      .expect({"+A", "-A", heard_message(parts{"a", std::string(300, 'b'), "c"})})
      .run();
}

TEST(conversation_subscription, a_topic_that_is_too_long_is_rejected_and_counted) {
  const std::string long_topic(1025, 't');
  for (const auto type : publishers) {
    publishing(type)
        .peer_sends(framed({"\1" + long_topic}) + framed_command("SUBSCRIBE", long_topic) +
                    framed_command("SUBSCRIBE", "short") + framed({bytes("00") + long_topic}) +
                    framed_command("CANCEL", long_topic) + test::ping())
        .expect({"+short"})
        .expect_output(test::pong())
        .then([](side& s) { EXPECT_EQ(s.talk.refused_subscriptions(), 4U); })
        .run();
  }
}

TEST(conversation_subscription, a_topic_that_is_too_long_does_not_affect_other_types) {
  const std::string long_topic(1025, 't');
  conversation_script{{.type = socket_type::dealer}}
      .shake_hands("ROUTER")
      .peer_sends(framed_command("SUBSCRIBE", long_topic) + framed({"\1" + long_topic}))
      .expect_message({"\1" + long_topic})
      .then([](side& s) { EXPECT_EQ(s.talk.refused_subscriptions(), 0U); })
      .run();
}

TEST(conversation_subscription, is_a_command_from_version_3_1_and_a_message_before) {
  side later{{.type = socket_type::sub}};
  shake_hands(later, "PUB", 1);
  later.talk.subscribe("A");
  later.talk.cancel("A");
  EXPECT_EQ(later.say(), bytes("04 0b 09 'SUBSCRIBE' 41 04 08 06 'CANCEL' 41"));

  side first{{.type = socket_type::sub}};
  shake_hands(first, "PUB", 0);
  first.talk.subscribe("A");
  first.talk.cancel("A");
  EXPECT_EQ(first.say(), bytes("00 02 01 41 00 02 00 41"));
}

TEST(conversation_subscription, is_well_framed_for_every_size_of_topic) {
  for (const unsigned minor : {0U, 1U}) {
    for (std::size_t size = 240; size <= 260; ++size) {
      const std::string topic(size, 't');
      side s{{.type = socket_type::sub}};
      shake_hands(s, "PUB", minor);
      s.talk.subscribe(topic);
      EXPECT_EQ(s.say(), minor == 0 ? framed({"\1" + topic}) : framed_command("SUBSCRIBE", topic));
    }
  }
}

TEST(conversation_subscription, is_received_as_sent_with_any_piece_size) {
  for (const std::size_t at_most : {std::size_t{1}, std::size_t{13}, test::everything}) {
    side publisher{{.type = socket_type::xpub}};
    side subscriber{{.type = socket_type::sub}};
    pump(publisher, subscriber, at_most);
    publisher.news();
    std::vector<std::string> expected;
    for (std::size_t size = 0; size < 300; size += 50) {
      const std::string topic(size, 'a');
      subscriber.talk.subscribe(topic);
      subscriber.talk.cancel(topic);
      expected.push_back(heard_subscribe(topic));
      expected.push_back(heard_cancel(topic));
    }
    pump(publisher, subscriber, at_most);
    EXPECT_EQ(publisher.news(), expected);
  }
}

TEST(conversation_subscription, a_peer_that_does_not_read_is_sent_the_net_changes) {
  side s{{.type = socket_type::sub}};
  shake_hands(s, "PUB");
  for (int i = 0; i < 100'000; ++i) {
    s.talk.subscribe("A");
    s.talk.cancel("A");
  }
  s.talk.subscribe("B");
  EXPECT_TRUE(s.talk.has_output(s.out));
  const auto read = test::content_of(s.say());
  EXPECT_LE(read.commands.size(), 1'001U);
  EXPECT_EQ(read.commands.size() % 2, 1U) << "A has begun as often as it has ended";
  EXPECT_EQ(read.commands.back(), "\x09SUBSCRIBEB");
  EXPECT_FALSE(s.talk.has_output(s.out));
}

TEST(conversation_subscription, a_change_that_is_partly_written_is_completed) {
  side s{{.type = socket_type::sub}};
  shake_hands(s, "PUB");
  s.talk.subscribe("A");
  auto said = s.say(3);
  s.talk.cancel("A");
  said += s.say();
  EXPECT_EQ(said, framed_command("SUBSCRIBE", "A") + framed_command("CANCEL", "A"));
}

TEST(conversation_subscription, messages_follow_all_changes_before_them) {
  side s{{.type = socket_type::xsub}};
  shake_hands(s, "XPUB");
  // More than goes into one write.
  std::string expected;
  for (int n = 0; n < 20'000; ++n) {
    s.talk.subscribe(std::to_string(n));
    expected += framed_command("SUBSCRIBE", std::to_string(n));
  }
  s.out.push(message{"behind"});
  expected += framed({"behind"});
  EXPECT_TRUE(s.say() == expected);
}

TEST(conversation_subscription, ping_and_pong_overtake_changes_of_later_writes) {
  side s{{.type = socket_type::sub}};
  shake_hands(s, "PUB");
  for (int n = 0; n < 20'000; ++n) {
    s.talk.subscribe(std::to_string(n));
  }
  auto said = s.say(1);
  s.hear(test::ping("now"));
  s.talk.probe(s.now, {});
  said += s.say();
  const auto read = test::content_of(said);
  EXPECT_EQ(read.commands.size(), 20'002U);
  EXPECT_LT(said.find(test::pong("now")), 70'000U);
  EXPECT_LT(said.find(test::ping()), 70'000U);
}

// The end of a conversation sends no subscriptions.
TEST(conversation_subscription, changes_end_with_the_conversation) {
  side s{{.type = socket_type::sub}};
  shake_hands(s, "PUB");
  s.talk.subscribe("A");
  s.talk.close(errc::socket_closed);
  EXPECT_FALSE(s.talk.has_output(s.out));
  EXPECT_EQ(s.say(), "");
}

// A peer that reads a few bytes now and then, cut anywhere, of a user that changes its mind all the time.
TEST(conversation_subscription, a_slow_peer_finally_has_the_topics_that_the_user_wants) {
  for (const unsigned minor : {0U, 1U}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::mt19937 random{seed};
      side s{{.type = socket_type::xsub}};
      shake_hands(s, "XPUB", minor);
      side publisher{{.type = socket_type::xpub}};
      shake_hands(publisher, "XSUB");
      std::set<std::string> wanted;
      int messages = 0;
      for (int step = 0; step < 3'000; ++step) {
        const auto topic = std::to_string(random() % 100);
        if (wanted.insert(topic).second) {
          s.talk.subscribe(topic);
        } else {
          wanted.erase(topic);
          s.talk.cancel(topic);
        }
        if (random() % 100 == 0) {
          s.out.push(message{"m", std::string(random() % 500, 'x')});
          ++messages;
        }
        if (random() % 10 == 0) {
          publisher.hear(s.say(random() % 50));
        }
      }
      publisher.hear(s.say());
      std::set<std::string> notified;
      for (const auto& received : publisher.news()) {
        if (received.front() == '[') {
          --messages;
        } else {
          const auto topic = received.substr(1);
          ASSERT_TRUE(received.front() == '+' ? notified.insert(topic).second
                                              : notified.erase(topic) != 0);
        }
      }
      ASSERT_EQ(notified, wanted);
      ASSERT_EQ(messages, 0);
    }
  }
}

}  // namespace
}  // namespace zmtp
