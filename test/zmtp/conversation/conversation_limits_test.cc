// The limits of a peer: each limit holds to the byte, and applies before the bytes are in memory.

#include "test/support/conversation_script.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using test::conversation_script;
using test::frame;
using test::frame_header;
using test::framed;
using test::framed_command;
using test::greeting_of;
using test::heard_end;
using test::heard_message;
using test::heard_ready;
using test::heard_request;
using test::parts;
using test::property;
using test::ready_of;
using test::side;

conversation_script limited(const limits& limit) {
  return conversation_script{{.limit = limit}}.shake_hands("ROUTER");
}

// A READY whose command has exactly this size.
std::string ready_of_size(std::size_t size) {
  const auto type = property("Socket-Type", "ROUTER");
  const auto rest = size - 6 - type.size() - property("X", "").size();
  return framed_command("READY", type + property("X", std::string(rest, 'x')));
}

TEST(conversation_limits, a_handshake_command_of_4_kibibytes_is_accepted) {
  conversation_script{}
      .expect_output(greeting_of(3, 1))
      .peer_sends(greeting_of(3, 1) + ready_of_size(4096))
      .expect({heard_request(), heard_ready()})
      .expect_output(ready_of("DEALER"))
      .run();
}

TEST(conversation_limits, a_larger_handshake_command_is_rejected_by_its_header) {
  for (const std::size_t size : {std::size_t{4097}, std::size_t{65'536}, std::size_t{1} << 32U,
                                 (std::size_t{1} << 63U) - 1}) {
    conversation_script{}
        .expect_output(greeting_of(3, 1))
        .peer_sends(greeting_of(3, 1))
        .expect_output(ready_of("DEALER"))
        .peer_sends(frame_header(test::command, size))
        .expect_closed(errc::command_too_large)
        .expect_silence()
        .run();
  }
}

TEST(conversation_limits, later_commands_have_a_limit_of_their_own) {
  const limits limit{.handshake_command_size = 100, .command_size = 300};
  limited(limit)
      .peer_sends(framed_command("X", std::string(298, 'x')) + framed({"m"}))
      .expect_message({"m"})
      .peer_sends(frame_header(test::command, 301))
      .expect_closed(errc::command_too_large)
      .run();
  const limits smaller{.handshake_command_size = 100, .command_size = 50};
  limited(smaller)
      .peer_sends(framed_command("X", std::string(48, 'x')) + frame_header(test::command, 51))
      .expect_closed(errc::command_too_large)
      .run();
}

TEST(conversation_limits, a_frame_may_reach_the_limit_but_not_exceed_it) {  // Z-10, Z-11
  const limits limit{.frame_size = 300};
  const std::string largest(300, 'f');
  limited(limit)
      .peer_sends(framed({largest, largest}))
      .expect_message({largest, largest})
      .peer_sends(frame(test::more, "a") + frame_header(0, 301))
      .expect_closed(errc::frame_too_large)
      .expect_silence()
      .run();
}

TEST(conversation_limits, a_message_may_reach_the_limit_but_not_exceed_it) {
  const limits limit{.message_size = 300};
  const auto largest = framed({std::string(100, 'm'), std::string(196, 'm')});
  ASSERT_EQ(largest.size(), 300U);
  limited(limit)
      .peer_sends(largest)
      .expect_message({std::string(100, 'm'), std::string(196, 'm')})
      .peer_sends(frame(test::more, std::string(100, 'm')) + frame_header(0, 197))
      .expect_closed(errc::message_too_large)
      .expect_silence()
      .run();
  limited(limit)
      .peer_sends(framed({std::string(291, 'm')}))
      .expect_message({std::string(291, 'm')})
      .peer_sends(frame_header(0, 292))
      .expect_closed(errc::message_too_large)
      .run();
}

TEST(conversation_limits, empty_parts_count_with_their_headers) {
  const limits limit{.message_size = 20};
  std::string endless;
  for (int i = 0; i < 10; ++i) {
    endless += frame(test::more, "");
  }
  limited(limit)
      .peer_sends(endless)
      .expect_nothing()
      .peer_sends(frame(test::more, ""))
      .expect_closed(errc::message_too_large)
      .run();
}

TEST(conversation_limits, a_message_has_at_most_the_allowed_number_of_parts) {
  const limits limit{.message_parts = 4};
  limited(limit)
      .peer_sends(framed({"", "b", "c", "d"}))
      .expect_message({"", "b", "c", "d"})
      .peer_sends(framed({"a", "b", "c", "d", "e"}).substr(0, 12))
      .expect_nothing()
      .peer_sends(framed({"a", "b", "c", "d", "e"}).substr(12))
      .expect_closed(errc::too_many_parts)
      .expect_silence()
      .run();
}

TEST(conversation_limits, the_defaults_match_the_documentation) {
  std::string endless;
  for (int i = 0; i < 1024; ++i) {
    endless += frame(test::more, "");
  }
  limited({})
      .peer_sends(endless)
      .expect_nothing()
      .peer_sends(framed({""}))
      .expect_closed(errc::too_many_parts)
      .run();
  limited({}).peer_sends(frame_header(0, 64 * 1024 * 1024 - 9)).expect_nothing().run();
  limited({})
      .peer_sends(frame_header(0, 64 * 1024 * 1024 - 8))
      .expect_closed(errc::message_too_large)
      .run();
  limited({})
      .peer_sends(frame_header(0, 64 * 1024 * 1024 + 1))
      .expect_closed(errc::frame_too_large)
      .run();
}

TEST(conversation_limits, messages_completed_before_a_violation_are_received) {
  const limits limit{.frame_size = 10};
  limited(limit)
      .peer_sends(framed({"one"}) + framed({"two"}) + frame_header(0, 11))
      .expect({"[one]", "[two]", heard_end(errc::frame_too_large)})
      .run();
}

TEST(conversation_limits, the_handshake_timeout_covers_the_whole_handshake) {
  const auto sent = greeting_of(3, 1) + ready_of("ROUTER");
  side s;
  const auto begin = s.now;
  for (std::size_t i = 0; i + 1 < sent.size(); ++i) {
    ASSERT_EQ(s.talk.next_deadline(), begin + 5s);
    s.now = begin + 4999ms * i / sent.size();
    s.hear(sent.substr(i, 1));
  }
  s.talk.on_deadline(begin + 4999ms, {});
  EXPECT_FALSE(s.talk.over());
  s.talk.on_deadline(begin + 5s, {});
  s.digest();
  EXPECT_EQ(s.news(), std::vector{heard_end(errc::handshake_timeout)});
  EXPECT_EQ(s.say(), "");
}

TEST(conversation_limits, the_handshake_timeout_ends_with_it_and_includes_admission) {
  const limits limit{.handshake_time = 700ms};
  side waiting{{.limit = limit, .admits = false}};
  waiting.hear(greeting_of(3, 1) + ready_of("ROUTER"));
  waiting.news();
  EXPECT_EQ(waiting.talk.next_deadline(), waiting.now + 700ms);
  waiting.talk.on_deadline(waiting.now + 700ms, {});
  waiting.digest();
  EXPECT_EQ(waiting.news(), std::vector{heard_end(errc::handshake_timeout)});
  // The authenticator's answer comes too late.
  waiting.talk.admit();
  waiting.digest();
  EXPECT_EQ(waiting.news(), std::vector<std::string>{});
  EXPECT_TRUE(waiting.talk.over());

  side done{{.limit = limit, .beat = {.interval = std::nullopt}}};
  shake_hands(done, "ROUTER");
  EXPECT_FALSE(done.talk.next_deadline().has_value());
  done.talk.on_deadline(done.now + 1h, {});
  EXPECT_TRUE(done.talk.traffic());
}

}  // namespace
}  // namespace zmtp
