// Commands between the parts of a message: which there may be, how many, and that they cost nothing of
// the message.

#include "test/support/conversation_script.h"
#include "test/support/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using test::bytes;
using test::conversation_script;
using test::frame;
using test::frame_header;
using test::framed;
using test::framed_command;
using test::heard_end;
using test::heard_message;
using test::kibi;
using test::mebi;
using test::parts;
using test::ping;
using test::pong;
using test::side;

const auto error = framed_command("ERROR", "\4lost");
const auto nameless = framed_command("");

conversation_script after_handshake(const limits& limit = {}) {
  return conversation_script{{.limit = limit}}.shake_hands("ROUTER");
}

TEST(conversation_interruption, only_four_commands_may_interrupt_a_message) {
  for (const auto& allowed :
       {ping("x"), pong("x"), framed_command("SUBSCRIBE", "t"), framed_command("CANCEL", "t")}) {
    after_handshake()
        .peer_sends(frame(test::more, "a") + allowed + frame(0, "b") + framed({"next"}))
        .writes_late()
        .expect({"[a][b]", "[next]"})
        .expect_output(allowed == ping("x") ? pong("x") : "")
        .run();
  }
  for (const auto& other :
       {error, framed_command("X"), framed_command("ping", bytes("00 00")), framed_command("READY"),
        framed_command("X-FUTURE", std::string(300, 'x'))}) {
    after_handshake()
        .peer_sends(framed({"before"}) + frame(test::more, "a") + ping() + frame(test::more, "b") +
                    other)
        .writes_late()
        .expect({"[before]", heard_end(errc::command_in_message)})
        .expect_silence()
        .run();
  }
}

TEST(conversation_interruption, other_commands_may_precede_and_follow_a_message) {
  after_handshake()
      .peer_sends(framed_command("X") + framed({"a", "b"}) + framed_command("X") + framed({"c"}) +
                  error)
      .expect({"[a][b]", "[c]", heard_end(errc::refused_by_peer)})
      .run();
}

TEST(conversation_interruption, a_malformed_command_closes_the_connection) {
  after_handshake()
      .peer_sends(frame(test::more, "a") + framed_command("PING", "1"))
      .expect_closed(errc::bad_ping)
      .run();
  after_handshake()
      .peer_sends(frame(test::more, "a") + nameless)
      .expect_closed(errc::bad_command)
      .run();
}

TEST(conversation_interruption, each_message_has_its_own_limit_of_commands) {
  const limits limit{.message_commands = 3};
  const auto interrupted = frame(test::more, "a") + pong() + frame(test::more, "b") + pong() +
                           pong(std::string(300, 'p')) + frame(0, "c");
  after_handshake(limit)
      .peer_sends(interrupted + pong() + pong() + pong() + pong() + interrupted)
      .expect({"[a][b][c]", "[a][b][c]"})
      .peer_sends(frame(test::more, "a") + pong() + pong() + pong())
      .expect_nothing()
      .peer_sends(frame_header(test::command, 1000))
      .expect_closed(errc::too_many_commands)
      .expect_silence()
      .run();
}

TEST(conversation_interruption, the_default_limit_is_1024_commands) {
  std::string many;
  for (int i = 0; i < 1'024; ++i) {
    many += pong();
  }
  for (const bool one_more : {false, true}) {
    side s;
    shake_hands(s, "ROUTER");
    s.hear(frame(test::more, "a") + many + (one_more ? pong() : "") + frame(0, "b"));
    EXPECT_EQ(s.news(), (one_more ? std::vector{heard_end(errc::too_many_commands)}
                                  : std::vector{std::string{"[a][b]"}}));
  }
}

// Commands, or parts, that a peer sends between the parts of a message, up to the limits.
struct churn {
  const char* name;
  std::vector<std::string> pieces;  // each has no more PINGs than one second may have
};

std::vector<std::string> repeated(const std::string& what, int each, int pieces) {
  std::string piece;
  for (int i = 0; i < each; ++i) {
    piece += what;
  }
  return std::vector<std::string>(static_cast<std::size_t>(pieces), piece);
}

std::vector<churn> all_churn() {
  const auto subscribe = framed_command("SUBSCRIBE", "topic");
  const auto cancel = framed_command("CANCEL", "topic");
  const auto part = frame(test::more, "");
  return {{"PING", repeated(ping("0123456789abcdef"), 50, 20)},
          {"PONG", repeated(pong(), 100, 10)},
          {"long PONG", repeated(pong(std::string(5'000, 'p')), 10, 10)},
          {"SUBSCRIBE", repeated(subscribe, 100, 10)},
          {"CANCEL", repeated(cancel, 100, 10)},
          {"empty parts", repeated(part, 100, 10)},
          {"mix", repeated(ping() + part + subscribe + pong() + part + cancel + pong("x"), 20, 10)},
          {"unknown", repeated(framed_command("X"), 1'000, 4)},
          {"ERROR", repeated(error, 1'000, 4)},
          {"malformed", repeated(nameless, 1'000, 4)}};
}

// The number of bytes that `what` moves behind a part of `incomplete` bytes.
std::uint64_t moved_for(const churn& what, std::size_t incomplete, std::size_t at_most) {
  side s{{.type = socket_type::xpub}};
  shake_hands(s, "XSUB");
  s.hear(frame(test::more, std::string(incomplete, 'm')) + frame(test::more, "and one part more"));
  s.talk.settle();
  // In a block that has space for the following bytes.
  s.hear(frame(test::more, ""));
  s.talk.settle();
  const auto before = s.talk.moved();
  for (const auto& piece : what.pieces) {
    for (std::size_t at = 0; at < piece.size(); at += at_most) {
      s.hear(std::string_view{piece}.substr(at, at_most));
      s.talk.settle();
    }
    s.now += 1s;
  }
  return s.talk.moved() - before;
}

TEST(conversation_interruption, costs_the_same_for_every_size_of_message) {
  for (const auto& one : all_churn()) {
    SCOPED_TRACE(one.name);
    std::size_t said = 0;
    for (const auto& piece : one.pieces) {
      said += piece.size();
    }
    for (const std::size_t at_most : {std::size_t{1}, std::size_t{100}, 64 * kibi}) {
      const auto moved = moved_for(one, mebi, at_most);
      EXPECT_LE(moved, said) << at_most;
      EXPECT_EQ(moved_for(one, 4 * mebi, at_most), moved) << at_most;
      EXPECT_EQ(moved_for(one, 16 * mebi, at_most), moved) << at_most;
    }
  }
}

TEST(conversation_interruption, does_not_increase_the_size_of_reads) {
  side s;
  shake_hands(s, "ROUTER");
  s.hear(frame_header(test::more, 48 * mebi));
  const std::string piece(mebi, 'm');
  for (int i = 0; i < 48; ++i) {
    s.hear(piece);
    EXPECT_LE(s.talk.prepare().size(),
              i < 47 ? std::max(256 * kibi, static_cast<std::size_t>(47 - i) * mebi) : 256 * kibi);
  }
  // Room there is, for as much again.
  s.hear(frame(test::more, std::string(300 * kibi, 'm')));
  EXPECT_GE(s.talk.own_memory(), 49 * mebi);
  EXPECT_LE(s.talk.prepare().size(), 256 * kibi);
}

// All in one read, where each command leaves a gap that what follows closes.
TEST(conversation_interruption, moves_each_byte_of_a_read_at_most_once) {
  std::string sent;
  std::size_t moved_at_most = 0;
  parts message;
  for (std::size_t i = 0; i < 500; ++i) {
    message.push_back(std::string(i % 200, 'm'));
    sent += frame(test::more, message.back()) + pong() + pong();
  }
  message.push_back(std::string(100'000, 'l'));
  sent += frame(0, message.back()) + framed({"next"});
  for (const std::size_t at_most : {test::everything, std::size_t{10'000}, std::size_t{1'000}}) {
    side s;
    shake_hands(s, "ROUTER");
    const auto before = s.talk.moved();
    s.hear(sent, at_most);
    EXPECT_EQ(s.news(), (std::vector{heard_message(message), std::string{"[next]"}}));
    moved_at_most = std::max<std::size_t>(moved_at_most, s.talk.moved() - before);
  }
  EXPECT_LE(moved_at_most, sent.size());
  EXPECT_GE(moved_at_most, 1'000U) << "what moves is not counted";
}

}  // namespace
}  // namespace zmtp
