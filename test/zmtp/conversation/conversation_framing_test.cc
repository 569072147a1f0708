// A conversation with a framing: the same messages, events and commands as without it, wherever the
// bytes are cut and wherever the connection is lost.

#include "test/support/conversation.h"
#include "test/support/conversation_script.h"
#include "test/support/made_of.h"
#include "test/support/masked_framing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::content_of;
using test::framed;
using test::framed_command;
using test::greeting_of;
using test::made_of;
using test::masked;
using test::masked_framing;
using test::parts;
using test::ping;
using test::pong;
using test::ready_of;
using test::side;
using test::side_options;
using test::unmasked;

side_options with_framing(side_options how = {}) {
  how.security = test::masked_security();
  return how;
}

std::string hello(std::string_view peer_type) {
  return greeting_of(3, 1, "MASKED") + ready_of(peer_type);
}

// Writes the handshake, and nothing behind it.
void begin_traffic(side& s, std::string_view peer_type) {
  s.hear(hello(peer_type));
  s.say(hello(to_string(s.options.type)).size());
  s.news();
}

// Messages of every kind of entry in a queue, small, of many parts, and longer than a batch.
std::vector<parts> every_kind() {
  return {
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
}

std::vector<parts> with_a_long_one() {
  auto all = every_kind();
  all.push_back({std::string(300'000, 'h')});
  all.push_back({"p", std::string(70'000, 'q'), std::string(70'000, 'r')});
  all.push_back({"behind"});
  return all;
}

std::string framed_all(const std::vector<parts>& messages) {
  std::string all;
  for (const auto& m : messages) {
    all += framed(m);
  }
  return all;
}

std::vector<std::string> heard_all(const std::vector<parts>& messages) {
  std::vector<std::string> all;
  for (const auto& m : messages) {
    all.push_back(test::heard_message(m));
  }
  return all;
}

// The script cuts the peer's bytes everywhere, also between READY and the first frame.
TEST(conversation_framing, input_is_the_same_wherever_it_is_cut) {
  const auto messages = every_kind();
  auto expected = heard_all(messages);
  expected.insert(expected.begin(), {test::heard_request(), test::heard_ready()});
  test::conversation_script{with_framing()}
      .peer_sends(hello("DEALER") + masked(framed_all(messages)))
      .expect(expected)
      .expect_output(hello("DEALER"))
      .run();
}

TEST(conversation_framing, long_messages_arrive_wherever_they_are_cut) {
  const auto messages = with_a_long_one();
  test::conversation_script{with_framing()}
      .peer_sends(hello("DEALER"))
      .expect({test::heard_request(), test::heard_ready()})
      .expect_output(hello("DEALER"))
      .peer_sends(masked(framed_all(messages)))
      .expect(heard_all(messages))
      .run();
}

TEST(conversation_framing, commands_pass_through_it_in_both_directions) {
  test::conversation_script{with_framing({.type = socket_type::xpub})}
      .peer_sends(hello("SUB"))
      .expect({test::heard_request(), test::heard_ready()})
      .expect_output(hello("XPUB"))
      .peer_sends(masked(ping("x") + framed_command("SUBSCRIBE", "topic")))
      .expect({test::heard_subscribe("topic")})
      .expect_output(masked(pong("x")))
      .run();
}

// A PING between the parts of a message, as libzmq sends it.
TEST(conversation_framing, a_command_inside_a_message_is_taken_out) {
  auto first = framed({"one"});
  first[0] = '\x01';  // MORE
  test::conversation_script{with_framing()}
      .peer_sends(hello("DEALER"))
      .expect({test::heard_request(), test::heard_ready()})
      .expect_output(hello("DEALER"))
      .peer_sends(masked(first + ping("x") + framed({"two"})))
      .expect_message({"one", "two"})
      .expect_output(masked(pong("x")))
      .run();
}

TEST(conversation_framing, output_begins_behind_the_plain_end_of_the_handshake) {
  side s{with_framing()};
  s.out.push({"first"});
  s.hear(hello("DEALER"));
  EXPECT_EQ(s.say(), hello("DEALER") + masked(framed({"first"})));
  EXPECT_TRUE(s.out.empty());
}

TEST(conversation_framing, byte_by_byte_output_equals_a_single_write) {
  side whole{with_framing()};
  side bit_by_bit{with_framing()};
  const auto messages = with_a_long_one();
  for (auto* s : {&whole, &bit_by_bit}) {
    begin_traffic(*s, "ROUTER");
    for (const auto& m : messages) {
      s->out.push(made_of(m));
    }
  }
  EXPECT_EQ(unmasked(whole.say()), framed_all(messages));
  std::string said;
  while (bit_by_bit.talk.has_output(bit_by_bit.out)) {
    const auto byte = bit_by_bit.say(1);
    ASSERT_EQ(byte.size(), 1U);
    said += byte;
  }
  EXPECT_EQ(unmasked(said), framed_all(messages));
  EXPECT_TRUE(bit_by_bit.out.empty());
  EXPECT_EQ(bit_by_bit.out.bytes(), 0U);
}

TEST(conversation_framing, commands_never_split_a_message) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random{seed};
    side s{with_framing({.type = socket_type::sub})};
    begin_traffic(s, "PUB");
    std::string said;
    std::size_t commands = 0;
    const auto messages = with_a_long_one();
    for (std::size_t i = 0; i < messages.size();) {
      switch (random() % 4) {
        case 0: s.out.push(made_of(messages[i++])); break;
        case 1: s.talk.subscribe(std::to_string(++commands)); break;
        default: said += s.say(1 + random() % (i % 2 == 0 ? 20 : 20'000)); break;
      }
    }
    said += s.say();
    const auto read = content_of(unmasked(said));
    ASSERT_FALSE(read.command_inside) << "seed " << seed;
    ASSERT_EQ(read.messages, messages) << "seed " << seed;
    ASSERT_EQ(read.commands.size(), commands) << "seed " << seed;
    ASSERT_EQ(read.unread, 0U);
  }
}

// A change of subscriptions precedes the messages that were sent after it.
TEST(conversation_framing, messages_do_not_overtake_subscriptions) {
  side s{with_framing({.type = socket_type::xsub})};
  begin_traffic(s, "XPUB");
  const std::string topic(1'000, 't');
  for (int i = 0; i < 200; ++i) {
    s.talk.subscribe(topic + std::to_string(i));
  }
  s.out.push({"after them"});
  const auto read = content_of(unmasked(s.say()));
  EXPECT_EQ(read.commands.size(), 200U);
  EXPECT_EQ(read.messages, std::vector<parts>{{"after them"}});
  side again{with_framing({.type = socket_type::xsub})};
  begin_traffic(again, "XPUB");
  for (int i = 0; i < 200; ++i) {
    again.talk.subscribe(topic + std::to_string(i));
  }
  again.out.push({"after them"});
  std::string until_message;
  while (content_of(unmasked(until_message)).messages.empty()) {
    until_message += again.say(5'000);
  }
  EXPECT_EQ(content_of(unmasked(until_message)).commands.size(), 200U);
}

TEST(conversation_framing, whole_messages_continue_after_a_disconnect_at_any_byte) {
  const auto messages = every_kind();
  std::size_t size = 0;
  {
    side s{with_framing()};
    begin_traffic(s, "ROUTER");
    for (const auto& m : messages) {
      s.out.push(made_of(m));
    }
    size = s.say().size();
  }
  for (std::size_t cut = 0; cut <= size; ++cut) {
    side s{with_framing()};
    begin_traffic(s, "ROUTER");
    for (const auto& m : messages) {
      s.out.push(made_of(m));
    }
    const auto first = s.say(cut);
    s.connect_again();
    begin_traffic(s, "ROUTER");
    auto all = content_of(unmasked(first)).messages;
    const auto after = content_of(unmasked(s.say()));
    all.insert(all.end(), after.messages.begin(), after.messages.end());
    ASSERT_EQ(all, messages) << "cut at " << cut;
    ASSERT_TRUE(s.out.empty());
    ASSERT_EQ(s.out.bytes(), 0U);
  }
}

TEST(conversation_framing, whole_messages_continue_after_repeated_disconnects) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random{seed};
    std::vector<parts> messages;
    for (unsigned i = 0; i < 120; ++i) {
      messages.push_back({std::to_string(i), std::string(random() % 5'000, 'z')});
    }
    side s{with_framing()};
    std::size_t queued = 0;
    std::vector<parts> all;
    while (queued < messages.size() || !s.out.empty()) {
      begin_traffic(s, "ROUTER");
      std::string said;
      for (bool lost = false; !lost && (queued < messages.size() || !s.out.empty());) {
        if (random() % 2 == 0 && queued < messages.size()) {
          s.out.push(made_of(messages[queued++]));
        }
        said += s.say(random() % 3'000);
        lost = random() % 10 == 0;
      }
      const auto read = content_of(unmasked(said));
      all.insert(all.end(), read.messages.begin(), read.messages.end());
      s.connect_again();
    }
    ASSERT_EQ(all, messages) << "seed " << seed;
    ASSERT_EQ(s.out.messages(), 0U);
    ASSERT_EQ(s.out.bytes(), 0U);
  }
}

TEST(conversation_framing, conflation_keeps_a_message_that_is_framed) {
  side s{with_framing()};
  begin_traffic(s, "ROUTER");
  const auto newest = [&](const char* text) {
    s.out.drop_unbegun();
    s.out.push({text});
  };
  newest("one");
  ASSERT_NE(s.offer(), "") << "framed now";
  newest("two");
  newest("three");
  EXPECT_EQ(s.out.messages(), 2U);
  EXPECT_EQ(unmasked(s.say()), framed({"one"}) + framed({"three"}));
  EXPECT_EQ(s.out.messages(), 0U);
}

TEST(conversation_framing, conflation_drops_a_framed_message_with_its_connection) {
  side s{with_framing()};
  begin_traffic(s, "ROUTER");
  s.out.push({"one"});
  ASSERT_NE(s.say(3), "");
  s.connect_again();
  s.out.drop_unbegun();
  s.out.push({"two"});
  begin_traffic(s, "ROUTER");
  EXPECT_EQ(unmasked(s.say()), framed({"two"}));
}

// A mark counts a message until the kernel has its last byte, as without a framing.
TEST(conversation_framing, a_queue_stays_full_until_a_framed_message_is_written) {
  side s{with_framing({.send_mark = {.messages = 2, .bytes = {}}})};
  begin_traffic(s, "ROUTER");
  s.out.push({"one"});
  s.out.push({"two"});
  EXPECT_TRUE(s.out.full());
  const auto first = masked(framed({"one"})).size();
  s.say(first - 1);
  EXPECT_TRUE(s.out.full());
  s.say(1);
  EXPECT_EQ(s.out.bytes(), framed({"one"}).size() + framed({"two"}).size())
      << "both are in one entry, which counts until its end";
  s.say();
  EXPECT_FALSE(s.out.full());
  EXPECT_EQ(s.out.bytes(), 0U);
}

TEST(conversation_framing, its_memory_counts_until_the_batch_is_written) {
  side s{with_framing()};
  begin_traffic(s, "ROUTER");
  EXPECT_EQ(s.talk.waiting_memory(), 0U);
  s.out.push(made_of({std::string(300'000, 'x')}));
  s.say(1);
  EXPECT_GE(s.talk.waiting_memory(), 300'000U);
  s.say();
  EXPECT_EQ(s.talk.waiting_memory(), 0U);
}

TEST(conversation_framing, a_fault_ends_the_connection_behind_all_that_was_valid) {
  auto wire = masked(framed({"one"}) + framed({"two"}) + framed({"three"}));
  const auto third = masked(framed({"one"}) + framed({"two"})).size();
  wire[third] = '\x77';  // not the number of this frame
  test::conversation_script{with_framing()}
      .peer_sends(hello("DEALER"))
      .expect({test::heard_request(), test::heard_ready()})
      .expect_output(hello("DEALER"))
      .peer_sends(wire)
      .expect({test::heard_message(parts{"one"}), test::heard_message(parts{"two"}),
               test::heard_end(errc::bad_frame_flags)})
      .expect_silence()
      .run();
}

TEST(conversation_framing, a_frame_above_the_limit_is_a_fault_before_it_arrives) {
  side_options how;
  how.limit.frame_size = 1'000'000;
  side s{with_framing(how)};
  begin_traffic(s, "DEALER");
  s.hear(test::bytes("00 7f ff ff ff"));
  EXPECT_EQ(s.news(), std::vector{test::heard_end(errc::bad_frame_flags)});
}

TEST(conversation_framing, a_declared_frame_gets_no_memory_before_it_arrives) {
  side s{with_framing()};
  begin_traffic(s, "DEALER");
  s.hear(test::bytes("00 03 ff ff ff 00"));
  s.talk.settle();
  EXPECT_LE(s.talk.next_memory(), 1024U * 1024U + 64U * 1024U);
  EXPECT_EQ(s.news(), std::vector<std::string>{});
}

TEST(conversation_framing, bytes_of_a_full_queue_wait_unread) {
  side s{with_framing({.receive_mark = {.messages = 1, .bytes = {}}, .receives = false})};
  begin_traffic(s, "DEALER");
  s.hear(masked(framed({"one"}) + framed({"two"}) + framed({"three"})));
  s.talk.settle();
  EXPECT_TRUE(s.talk.blocked());
  EXPECT_TRUE(s.talk.prepare().empty());
  EXPECT_NE(s.talk.waiting_memory(), 0U);
  for (int i = 0; i < 3; ++i) {
    s.receive_all();
    s.digest();
  }
  EXPECT_EQ(s.news(), heard_all({{"one"}, {"two"}, {"three"}}));
  EXPECT_FALSE(s.talk.blocked());
}

TEST(conversation_framing, a_close_drops_what_is_framed) {
  side s{with_framing()};
  begin_traffic(s, "ROUTER");
  s.out.push({"one"});
  s.say(3);
  s.talk.close(errc::socket_closed);
  EXPECT_EQ(s.say(), "");
  EXPECT_FALSE(s.talk.has_output(s.out));
  s.out.rewind();
  EXPECT_EQ(s.out.messages(), 1U);
}

}  // namespace
}  // namespace zmtp
