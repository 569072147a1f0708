// The first 64 bytes in each direction.

#include "test/support/conversation_script.h"

#include <gtest/gtest.h>

namespace zmtp {
namespace {

using test::bytes;
using test::conversation_script;
using test::greeting_of;
using test::ready_of;

const auto own_greeting = bytes("ff 00*7 01 7f 03 01 'NULL' 00*16 00*32");

TEST(conversation_greeting, is_written_before_any_byte_has_arrived) {  // Z-1
  test::side s;
  EXPECT_EQ(s.say(), own_greeting);
  EXPECT_EQ(s.say(), "");
  EXPECT_FALSE(s.talk.has_output(s.out));
}

TEST(conversation_greeting, may_be_written_byte_by_byte) {
  test::side s;
  for (const char byte : own_greeting) {
    ASSERT_EQ(s.say(1), std::string(1, byte));
  }
  EXPECT_EQ(s.say(1), "");
}

TEST(conversation_greeting, ready_follows_as_soon_as_the_peers_greeting_is_complete) {
  conversation_script{}
      .expect_output(own_greeting)
      .peer_sends(greeting_of(3, 1).substr(0, 63))
      .expect_nothing()
      .expect_silence()
      .peer_sends(greeting_of(3, 1).substr(63))
      .expect_nothing()
      .expect_output(bytes("04 29 05 'READY' 0b 'Socket-Type' 00 00 00 06 'DEALER'"
                           "08 'Identity' 00 00 00 00"))
      .run();
}

TEST(conversation_greeting, comes_in_stages_from_libzmq) {  // Z-1
  const auto whole = greeting_of(3, 1);
  for (std::size_t last = 11; last <= 64; ++last) {
    test::side s;
    s.say();
    std::size_t before = 0;
    for (const std::size_t stage : {std::size_t{10}, std::size_t{11}, last, std::size_t{64}}) {
      const auto piece = whole.substr(before, stage - before);
      EXPECT_EQ(s.hear(piece), piece.size());
      EXPECT_EQ(s.say().empty(), stage < 64 || piece.empty());
      before = stage;
    }
    EXPECT_EQ(s.news(), std::vector<std::string>{});
    s.hear(ready_of("ROUTER"));
    EXPECT_TRUE(s.talk.traffic());
  }
}

TEST(conversation_greeting, peers_of_later_versions_get_our_version) {  // Z-2
  const struct {
    unsigned major;
    unsigned minor;
    std::uint8_t counts_as;
  } versions[] = {{3, 0, 0}, {3, 1, 1}, {3, 2, 1}, {3, 9, 1}, {3, 255, 1}, {4, 0, 1}, {4, 7, 1}};
  for (const auto& [major, minor, counts_as] : versions) {
    conversation_script{}
        .expect_output(own_greeting)
        .peer_sends(greeting_of(major, minor) + ready_of("ROUTER"))
        .expect({test::heard_request(), test::heard_ready()})
        .expect_output(ready_of("DEALER"))
        .then([minor = counts_as](test::side& s) { EXPECT_EQ(s.talk.peer_minor(), minor); })
        .run();
  }
}

TEST(conversation_greeting, bytes_that_are_never_validated_may_have_any_value) {
  auto greeting = greeting_of(3, 1);
  for (const std::size_t at : {1U, 5U, 8U, 32U, 33U, 63U}) {
    greeting[at] = '\x5a';
  }
  greeting[9] = '\x01';
  conversation_script{}
      .expect_output(own_greeting)
      .peer_sends(greeting + ready_of("ROUTER"))
      .expect({test::heard_request(), test::heard_ready()})
      .expect_output(ready_of("DEALER"))
      .run();
}

struct refusal {
  const char* what;
  std::string sent;
  errc fault;
};

const refusal refusals[] = {
    {"ZMTP 1.0, anonymous", bytes("01 00 06 00 'hello'"), errc::version_1_refused},
    {"ZMTP 1.0, long identity", bytes("ff 00*7 03 00 'XY' 06 00 'hello'"), errc::version_1_refused},
    {"ZMTP 1.0, versioned", bytes("ff 00*7 01 7f 00 05 00 00"), errc::version_1_refused},
    {"ZMTP 2.0 of libzmq", bytes("ff 00*7 01 7f 01 02 00 00 00 03 01 'AB'"),
     errc::version_2_refused},
    {"ZMTP 2.0 of its RFC", bytes("ff 00*7 01 7f 02 02 00 00"), errc::version_2_refused},
    {"HTTP", bytes("'GET / HTTP/1.1' 0d 0a 'Host: localhost:5555' 0d 0a 0d 0a"), errc::not_zmtp},
    {"TLS", bytes("16 03 01 00 f8 01 00 00 f4 03 03 5e 6f"), errc::not_zmtp},
    {"a line typed into telnet", bytes("'hello' 0d 0a"), errc::not_zmtp},
    {"telnet's own bytes", bytes("ff fd 18 ff fd 20 ff fd 23 ff fd 27 ff fd 24"),
     errc::bad_mechanism_name},
    {"PLAIN", greeting_of(3, 1, "PLAIN"), errc::mechanism_mismatch},
    {"CURVE", greeting_of(3, 0, "CURVE"), errc::mechanism_mismatch},
    {"a longer name", greeting_of(3, 1, "NULLNULL"), errc::mechanism_mismatch},
    {"no name", greeting_of(3, 1, ""), errc::bad_mechanism_name},
    {"lower case", greeting_of(3, 1, "null"), errc::bad_mechanism_name},
    {"bytes behind the name's padding", greeting_of(3, 1, std::string("NULL\0X", 6)),
     errc::bad_mechanism_name},
};

TEST(conversation_greeting, a_foreign_greeting_is_rejected_silently_with_its_error) {  // Z-3, Z-4
  for (const auto& [what, sent, fault] : refusals) {
    SCOPED_TRACE(what);
    conversation_script{}
        .expect_output(own_greeting)
        .peer_sends(sent)
        .expect_closed(fault)
        .expect_silence()
        .run();
  }
}

TEST(conversation_greeting, sends_nothing_more_to_an_incompatible_peer) {
  for (const auto& [what, sent, fault] : refusals) {
    SCOPED_TRACE(what);
    conversation_script{}
        .writes_late()
        .peer_sends(sent)
        .expect_closed(fault)
        .expect_silence()
        .run();
  }
}

TEST(conversation_greeting, nothing_is_read_from_a_rejected_peer) {
  test::side s;
  s.hear(bytes("'GET / HTTP/1.1'"));
  EXPECT_TRUE(s.talk.over());
  EXPECT_TRUE(s.talk.prepare().empty());
  EXPECT_EQ(s.hear(greeting_of(3, 1)), 0U);
  EXPECT_FALSE(s.talk.next_deadline().has_value());
}

}  // namespace
}  // namespace zmtp
