// Messages and commands once both sides are ready: accepted ones, ignored ones, and errors that
// close the connection.

#include "test/support/conversation_script.h"

#include <gtest/gtest.h>

namespace zmtp {
namespace {

using test::bytes;
using test::conversation_script;
using test::frame;
using test::framed;
using test::framed_command;
using test::heard_message;
using test::heard_part;
using test::heard_ready;
using test::heard_request;
using test::parts;
using test::side;

conversation_script in_traffic(unsigned peer_minor = 1) {
  return conversation_script{}.shake_hands("ROUTER", peer_minor);
}

TEST(conversation_traffic, frames_of_every_size_arrive) {
  for (const std::size_t size :
       {0U, 1U, 98U, 100U, 101U, 254U, 255U, 256U, 4096U, 65'535U, 65'536U}) {
    const std::string body(size, static_cast<char>(size % 251));
    in_traffic()
        .peer_sends(framed({body}) + framed({body, "", body}) + framed({"end"}))
        .expect({heard_message(parts{body}), heard_message(parts{body, "", body}), "[end]"})
        .expect_silence()
        .run();
  }
}

TEST(conversation_traffic, a_mebibyte_arrives) {
  std::string body(1024 * 1024, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) {
    body[i] = static_cast<char>(i * 7 >> 3);
  }
  in_traffic()
      .peer_sends(framed({"before"}) + framed({body, "behind", body}) + framed({"end"}))
      .expect({"[before]", heard_message(parts{body, "behind", body}), "[end]"})
      .run();
}

TEST(conversation_traffic, multipart_messages_arrive_whole_and_in_order) {
  std::string sent;
  std::vector<std::string> received;
  for (std::size_t count = 1; count < 40; ++count) {
    parts message;
    for (std::size_t i = 0; i < count; ++i) {
      message.push_back(std::string(i % 7 * i, static_cast<char>('a' + i % 26)));
    }
    sent += framed(message);
    received.push_back(heard_message(message));
  }
  in_traffic().peer_sends(sent).expect(received).run();
}

TEST(conversation_traffic, no_part_of_a_message_is_received_before_its_last) {
  in_traffic()
      .peer_sends(framed({"a", "b", "c"}).substr(0, 8))
      .expect_nothing()
      .peer_sends(framed({"a", "b", "c"}).substr(8))
      .expect_message({"a", "b", "c"})
      .peer_sends(framed({"never", "whole"}).substr(0, 13))
      .expect_nothing()
      .run();
}

TEST(conversation_traffic, the_long_form_may_be_used_for_small_bodies) {
  in_traffic()
      .peer_sends(frame(test::long_size | test::more, "") + frame(test::long_size, "small") +
                  frame(test::long_size | test::command, bytes("04 'PING' 00 00 'x'")))
      .expect_message({"", "small"})
      .expect_output(test::pong("x"))
      .run();
}

TEST(conversation_traffic, reserved_flags_are_tolerated_and_passed_on_cleared) {
  for (const unsigned reserved : {0x08U, 0x10U, 0x20U, 0x40U, 0x80U, 0xf8U}) {
    in_traffic()
        .peer_sends(frame(reserved | test::more, "a") + frame(reserved, std::string(300, 'b')) +
                    frame(reserved | test::command, bytes("04 'PING' 00 00")))
        .expect_message({"a", std::string(300, 'b')})
        .expect_output(test::pong())
        .run();
    side s{{.receives = false}};
    shake_hands(s, "ROUTER");
    s.hear(frame(reserved | test::more, "a") + frame(reserved, std::string(300, 'b')));
    ASSERT_EQ(s.in.size(), 1U);
    s.out.push(s.in.pop());
    EXPECT_EQ(s.say(), framed({"a", std::string(300, 'b')}));
  }
}

TEST(conversation_traffic, broken_framing_closes_the_connection_with_its_error) {
  const struct {
    const char* what;
    std::string sent;
    errc fault;
  } refused[] = {
      {"MORE on a command", bytes("05 05 04 'PING'"), errc::bad_frame_flags},
      {"MORE on a long command", bytes("07 00*7 05 04 'PING'"), errc::bad_frame_flags},
      {"MORE on a command, reserved flags", bytes("fd 00"), errc::bad_frame_flags},
      {"a part of 2^63 bytes", bytes("02 80 00*7"), errc::bad_frame_size},
      {"a part of 2^64 - 1 bytes", bytes("03 ff*8"), errc::bad_frame_size},
      {"a command of 2^63 bytes", bytes("06 80 00*7"), errc::bad_frame_size},
      {"a command without a body", bytes("06 00*8"), errc::bad_command},
      {"a command without a body, in libzmq's form", bytes("04 00*8"), errc::bad_command},
      {"a command of 2^48 bytes in libzmq's form", bytes("04 00 01 00*6"), errc::command_too_large},
      {"a command without a name", bytes("04 04 00 'abc'"), errc::bad_command},
      {"a name cut short", bytes("04 04 09 'SUB'"), errc::bad_command},
      {"an ERROR cut short", framed_command("ERROR", bytes("04 '400'")), errc::bad_command},
      {"an ERROR", framed_command("ERROR", bytes("03 '400'")), errc::refused_by_peer},
  };
  for (const auto& [what, sent, fault] : refused) {
    SCOPED_TRACE(what);
    in_traffic()
        .peer_sends(framed({"before"}) + sent + framed({"behind"}))
        .expect({"[before]", test::heard_end(fault)})
        .expect_silence()
        .run();
    // Between the parts of a message, which is then never received. No ERROR is expected there.
    const auto inside = fault == errc::refused_by_peer ? errc::command_in_message : fault;
    in_traffic()
        .peer_sends(frame(test::more, "begun") + sent + framed({"end"}))
        .expect_closed(inside)
        .expect_silence()
        .run();
  }
}

TEST(conversation_traffic, unknown_commands_are_ignored) {
  in_traffic()
      .peer_sends(framed_command("JOIN", "group") + framed({"a"}) +
                  framed_command("X-FUTURE", std::string(60'000, 'x')) +
                  framed_command(std::string(255, 'N')) + framed({"b"}) +
                  framed_command("ping", bytes("00 00")) + test::pong("unasked") +
                  test::pong(std::string(300, 'p')) + framed({"c"}))
      .expect({"[a]", "[b]", "[c]"})
      .expect_silence()
      .run();
}

TEST(conversation_traffic, a_type_that_does_not_publish_ignores_subscriptions) {
  in_traffic()
      .peer_sends(framed_command("SUBSCRIBE", "A") + framed_command("CANCEL", "A") +
                  framed({"\1A"}))
      .expect_message({"\1A"})
      .run();
}

// libzmq sends PING where it likes.
TEST(conversation_traffic, commands_between_the_parts_of_a_message_leave_it_intact) {
  const std::string large(70'000, 'l');
  for (const auto& message : {parts{"a", "b", "c"}, parts{"", "", ""},
                              parts{std::string(300, 'x'), "y", large}, parts{large, large, "z"}}) {
    std::string sent;
    for (std::size_t i = 0; i < message.size(); ++i) {
      sent += test::ping("ping " + std::to_string(i));
      sent += test::pong(std::string(i * 1000, 'p'));
      sent += frame(i + 1 < message.size() ? test::more : 0, message[i]);
    }
    in_traffic()
        .writes_late()
        .peer_sends(framed({"before"}) + sent + framed({"behind"}))
        .expect({"[before]", heard_message(message), "[behind]"})
        .expect_output(test::pong("ping 2"))
        .run();
  }
}

TEST(conversation_traffic, a_received_slice_does_not_change_when_more_is_read) {
  side s{{.receives = false}};
  shake_hands(s, "ROUTER");
  std::vector<parts> sent;
  for (std::size_t i = 0; i < 400; ++i) {
    sent.push_back({std::string(i * 3, static_cast<char>('a' + i % 26)), std::to_string(i)});
  }
  for (const auto& message : sent) {
    s.hear(test::pong() + framed(message));
  }
  ASSERT_EQ(s.in.size(), sent.size());
  for (const auto& message : sent) {
    ASSERT_EQ(heard_message(s.in.pop()), heard_message(message));
  }
}

TEST(conversation_traffic, two_sides_exchange_messages_of_mixed_sizes) {
  for (const std::size_t at_most :
       {std::size_t{1}, std::size_t{7}, std::size_t{1000}, test::everything}) {
    side one;
    side other{{.type = socket_type::router}};
    std::vector<std::string> expected{heard_request(), heard_ready()};
    for (std::size_t i = 0; i < 60; ++i) {
      const parts message{"", std::to_string(i), std::string(i * i * 2, 'm')};
      one.out.push({message[0], message[1], message[2]});
      other.out.push({message[0], message[1], message[2]});
      expected.push_back(heard_message(message));
    }
    pump(one, other, at_most);
    EXPECT_EQ(one.news(), expected);
    EXPECT_EQ(other.news(), expected);
    EXPECT_TRUE(one.out.empty() && other.out.empty());
  }
}

}  // namespace
}  // namespace zmtp
