#include "tools/zinc/dump/stream_decoder.h"

#include "test/support/bytes.h"
#include "test/support/wire.h"
#include "test/tools/dump/decoded.h"

#include <gtest/gtest.h>

#include <string>

namespace zinc::dump::test {
namespace {

using namespace std::string_literals;
using namespace zmtp::test;

const std::string null_greeting = greeting_of(3, 1);
const std::string opening = null_greeting + ready_of("DEALER");
const std::string plain_hello = framed_command("HELLO",
                                               "\x05"
                                               "alice\x06"
                                               "secret");

std::string last_of(const lines& all) { return all.empty() ? "" : all.back(); }

TEST(stream_decoder, shows_greeting_ready_and_message) {
  EXPECT_EQ(decoded_from_client(opening + framed({"", "hello", "\xff"})),
            (lines{"> 0 greeting version=\"3.1\" mechanism=\"NULL\"",
                   "> 64 READY Socket-Type=\"DEALER\" Identity=\"\"",
                   "> 107 message | \"\" \"hello\" \"\\xff\""}));
}

TEST(stream_decoder, says_the_same_wherever_the_bytes_are_split) {
  const auto bytes = opening + framed_command("SUBSCRIBE", "a") +
                     framed({"MDPC02", "\1", "s", "b"}) + ping("hello") +
                     framed({std::string(70'000, 'x')}) + "\x05";
  const auto whole = decoded_from_client(bytes);
  EXPECT_GE(whole.size(), 7U);
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 65U, 1000U}) {
    EXPECT_EQ(decoded({{side::connecting, bytes}}, piece), whole) << piece;
  }
  for (std::size_t at = 0; at < 300; ++at) {
    EXPECT_EQ(
        decoded({{side::connecting, bytes.substr(0, at)}, {side::connecting, bytes.substr(at)}}),
        whole)
        << at;
  }
}

TEST(stream_decoder, shortens_bodies) {
  EXPECT_EQ(last_of(decoded_from_client(opening + framed({"0123456789"}), {.bodies = 4})),
            "> 107 message | \"0123\"... (10 bytes)");
  EXPECT_EQ(last_of(decoded_from_client(opening + framed({"0123456789"}), {.bodies = 0})),
            "> 107 message | (10 bytes)");
}

TEST(stream_decoder, counts_the_parts_that_it_does_not_keep) {
  const auto line = last_of(decoded_from_client(opening + framed(parts(100, "x"))));
  EXPECT_TRUE(line.ends_with("\"x\" and 36 parts")) << line;
}

TEST(stream_decoder, shows_a_command_between_the_parts_of_a_message) {
  const auto read =
      decoded_from_client(opening + frame(more, "a") + ping("context") + frame(0, "b"));
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(read[2], "> 110 PING ttl_ms=0 context=\"context\"");
  EXPECT_EQ(read[3], "> 107 message | \"a\" \"b\"");
}

TEST(stream_decoder, shows_the_commands_of_traffic) {
  const auto read = decoded_from_client(opening + framed_command("SUBSCRIBE", "top") +
                                        framed_command("CANCEL", "top") + pong("c") +
                                        framed_command("ERROR",
                                                       "\x03"
                                                       "why") +
                                        framed_command("NEW", "data"));
  ASSERT_EQ(read.size(), 7U);
  EXPECT_EQ(read[2], "> 107 SUBSCRIBE topic=\"top\"");
  EXPECT_EQ(read[3], "> 122 CANCEL topic=\"top\"");
  EXPECT_EQ(read[4], "> 134 PONG context=\"c\"");
  EXPECT_EQ(read[5], "> 142 ERROR reason=\"why\"");
  EXPECT_EQ(read[6], "> 154 unknown command name=\"NEW\" size=4");
}

TEST(stream_decoder, leaves_the_password_out) {
  const auto read = decoded_from_client(greeting_of(3, 1, "PLAIN") + plain_hello +
                                        framed_command("INITIATE", property("Socket-Type", "REQ")) +
                                        framed({"", "request"}));
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(read[1], "> 64 HELLO username=\"alice\" password=\"6 bytes, left out\"");
  EXPECT_EQ(read[2], "> 85 INITIATE Socket-Type=\"REQ\"");
  EXPECT_EQ(read[3], "> 115 message | \"\" \"request\"");
}

// Wherever a bit of a HELLO is wrong.
TEST(stream_decoder, leaves_the_password_out_of_malformed_commands) {
  for (const auto* const mechanism : {"PLAIN", "NULL", "CURVE", "GSSAPI"}) {
    for (std::size_t at = 0; at < plain_hello.size() - 6; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        auto hello = plain_hello;
        hello[at] = static_cast<char>(static_cast<unsigned char>(hello[at]) ^ 1U << bit);
        for (const auto& line :
             decoded_from_client(greeting_of(3, 1, mechanism) + hello + std::string(600, 'x'))) {
          EXPECT_EQ(line.find("ecret"), line.npos) << line;
        }
      }
    }
  }
}

TEST(stream_decoder, shows_only_sizes_of_curve) {
  const std::string key(32, 'k');
  const auto read = decoded_from_client(
      greeting_of(3, 1, "CURVE") + framed_command("HELLO", key) + framed_command("INITIATE", key) +
      frame(0, "\x07MESSAGE" + std::string(17, 'k')) +
      frame(command, "\x07MESSAGE" + std::string(17, 'k')) + framed_command("ERROR", key));
  EXPECT_EQ(read, (lines{"> 0 greeting version=\"3.1\" mechanism=\"CURVE\"", "> 64 HELLO size=32",
                         "> 104 INITIATE size=32", "> 147 MESSAGE size=25", "> 174 MESSAGE size=25",
                         "> 201 command size=38"}));
}

TEST(stream_decoder, shows_only_sizes_of_an_unknown_mechanism) {
  const auto read = decoded_from_client(greeting_of(3, 1, "GSSAPI") +
                                        framed_command("INITIATE", "key") + framed({"key"}));
  EXPECT_EQ(read, (lines{"> 0 greeting version=\"3.1\" mechanism=\"GSSAPI\"",
                         "> 64 command size=12", "> 78 message | (3 bytes)"}));
}

TEST(stream_decoder, names_the_place_and_the_kind_of_a_fault) {
  const auto fault_of = [](const std::string& bytes) {
    return last_of(decoded_from_client(bytes));
  };
  const auto begins = [&](const std::string& bytes, const std::string& with) {
    const auto line = fault_of(bytes);
    EXPECT_TRUE(line.starts_with(with)) << line;
  };
  begins("GET / HTTP/1.1\r\n\r\n", "> 0 fault: ");
  begins(null_greeting.substr(0, 10) + "\x01", "> 10 fault: ");
  begins(null_greeting.substr(0, 12) + "NU!", "> 14 fault: ");
  begins(opening + frame(command | more, "\x04PING"), "> 107 fault: ");
  begins(opening + "\x02" + bytes("ff*8"), "> 107 fault: ");
  begins(null_greeting + framed({"early"}), "> 64 fault: ");
  begins(null_greeting + framed_command("READY", "\x05half"), "> 64 fault: ");
  EXPECT_EQ(fault_of(opening + bytes("00 05") + "abc"),
            "> 112 fault: the stream ends inside the frame at 107");
  EXPECT_EQ(fault_of(null_greeting.substr(0, 20)),
            "> 20 fault: the stream ends inside the greeting");
  EXPECT_EQ(fault_of(opening + frame(more, "abc")),
            "> 112 fault: the stream ends inside the message at 107");
}

TEST(stream_decoder, says_nothing_after_a_fault) {
  EXPECT_EQ(decoded_from_client("GET /" + opening).size(), 1U);
}

TEST(stream_decoder, says_how_many_bytes_are_missing) {
  lines read;
  recognizer both;
  const record_sink sink = [&read](const record& one) { read.push_back(text_line_of(one, {})); };
  stream_decoder decoder{side::accepting, {}, both, sink};
  decoder.feed(opening);
  decoder.lose(17);
  decoder.feed(framed({"lost"}));
  ASSERT_EQ(read.size(), 3U);
  EXPECT_NE(read[2].find("< 107 fault: 17 bytes missing"), std::string::npos) << read[2];
}

}  // namespace
}  // namespace zinc::dump::test
