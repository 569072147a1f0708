// From READY to traffic: the identity of the peer, its admission, and the messages that must not
// flow before.

#include "test/support/conversation_script.h"

#include <gtest/gtest.h>

namespace zmtp {
namespace {

using test::bytes;
using test::conversation_script;
using test::framed;
using test::framed_command;
using test::greeting_of;
using test::heard_end;
using test::heard_ready;
using test::heard_request;
using test::property;
using test::ready_of;
using test::side;
using test::side_options;

using enum socket_type;
constexpr socket_type all_types[] = {pair,   pub,  sub,  req,  rep, dealer,
                                     router, pull, push, xpub, xsub};

const auto greeting = greeting_of(3, 1);

// A DEALER that has received the greeting and now receives this.
conversation_script hearing(const std::string& sent) {
  return conversation_script{}
      .expect_output(greeting)
      .peer_sends(greeting + sent)
      .expect_output(ready_of("DEALER"));
}

conversation_script refusing(const std::string& sent, errc fault) {
  return conversation_script{}
      .expect_output(greeting)
      .peer_sends(greeting)
      .expect_output(ready_of("DEALER"))
      .peer_sends(sent)
      .expect_closed(fault)
      .expect_silence();
}

TEST(conversation_handshake, metadata_that_libzmq_accepts_is_accepted) {  // Z-5
  const struct {
    const char* what;
    std::string properties;
    std::optional<socket_type> type;
    std::string_view identity;
  } accepted[] = {
      {"no property", "", std::nullopt, ""},
      {"no Socket-Type", property("Identity", "A"), std::nullopt, "A"},
      {"lower case", property("socket-type", "ROUTER") + property("identity", "a"), router, "a"},
      {"upper case", property("SOCKET-TYPE", "REP") + property("IDENTITY", "B"), rep, "B"},
      {"unknown", property("Socket-Type", "DEALER") + property("Resource", "/x"), dealer, ""},
      {"an application's", property("X-Zinc", "1") + property("Socket-Type", "ROUTER"), router, ""},
      {"no value", property("Socket-Type", "ROUTER") + property("X-Empty", ""), router, ""},
      {"an identity of 255 bytes", property("Identity", std::string(255, 'i')), std::nullopt,
       "iiii"},
  };
  for (const auto& [what, properties, type, identity] : accepted) {
    SCOPED_TRACE(what);
    hearing(framed_command("READY", properties))
        .expect({heard_request(), heard_ready()})
        .then([&t = type, &i = identity](side& s) {
          EXPECT_EQ(s.talk.peer_type(), t);
          EXPECT_EQ(s.talk.peer_routing_id().substr(0, 4), i);
        })
        .run();
  }
}

TEST(conversation_handshake, a_long_ready_is_accepted) {
  hearing(framed_command(
              "READY", property("Socket-Type", "REP") + property("X-Long", std::string(3000, 'x'))))
      .expect({heard_request(), heard_ready()})
      .run();
}

TEST(conversation_handshake, bad_metadata_close_the_connection_silently_with_their_error) {  // Z-5
  const auto type = property("Socket-Type", "ROUTER");
  std::string many;
  for (char c = 0; c < 33; ++c) {
    many += property(
        "X-" + std::string(1, static_cast<char>('A' + c % 26)) + std::to_string(c / 26), "");
  }
  const struct {
    const char* what;
    std::string properties;
    errc fault;
  } refused[] = {
      {"one byte too many", type + "x", errc::bad_metadata},
      {"the last byte missing", type.substr(0, type.size() - 1), errc::bad_metadata},
      {"a value longer than the command", property("X", "abc").substr(0, 6) + "\x7f",
       errc::bad_metadata},
      {"a name cut short", bytes("0b 'Socket-Ty'"), errc::bad_metadata},
      {"a property twice", type + type, errc::duplicate_property},
      {"a property twice, in other case", type + property("socket-type", "ROUTER"),
       errc::duplicate_property},
      {"an empty name", bytes("00 00 00 00 00"), errc::bad_property_name},
      {"too many properties", many, errc::too_many_properties},
      {"a wrong type", property("Socket-Type", "PUB"), errc::bad_socket_type},
      {"an unknown type", property("Socket-Type", "SURVEYOR"), errc::bad_socket_type},
      {"a type in lower case", property("Socket-Type", "router"), errc::bad_socket_type},
      {"a type without a name", property("Socket-Type", ""), errc::bad_socket_type},
      {"an identity of 256 bytes", property("Identity", std::string(256, 'i')),
       errc::routing_id_too_long},
  };
  for (const auto& [what, properties, fault] : refused) {
    SCOPED_TRACE(what);
    refusing(framed_command("READY", properties), fault).run();
  }
}

TEST(conversation_handshake, only_ready_may_arrive_before_its_end) {
  const struct {
    const char* what;
    std::string sent;
    errc fault;
  } refused[] = {
      {"a message", framed({"too early"}), errc::unexpected_command},
      {"an empty message", framed({""}), errc::unexpected_command},
      {"parts of a message", framed({"a", "b"}) + ready_of("ROUTER"), errc::unexpected_command},
      {"PING", test::ping(), errc::unexpected_command},
      {"SUBSCRIBE", framed_command("SUBSCRIBE", "A"), errc::unexpected_command},
      {"another mechanism's", framed_command("HELLO", "x"), errc::unexpected_command},
      {"a command without a name", bytes("04 01 00"), errc::bad_command},
      {"a command without a body", bytes("06 00*8"), errc::bad_command},
      {"a command without a body, in libzmq's form", bytes("04 00*8"), errc::bad_command},
      {"a name cut short", bytes("04 04 05 'REA'"), errc::bad_command},
      {"MORE on a command", bytes("05 06 05 'READY'"), errc::bad_frame_flags},
      {"a size beyond all", bytes("06 80 00*7"), errc::bad_frame_size},
  };
  for (const auto& [what, sent, fault] : refused) {
    SCOPED_TRACE(what);
    refusing(sent, fault).run();
  }
}

// The connection does not wait for the declared size of a peer that is not admitted.
TEST(conversation_handshake, an_early_message_is_rejected_by_its_first_bytes) {
  for (const auto& header : {bytes("00 ff"), bytes("02 00*4 04 00*3"), bytes("03 00*4 04 00*3")}) {
    refusing(header, errc::unexpected_command).run();
  }
}

TEST(conversation_handshake, the_peers_error_ends_it_with_its_reason) {
  for (const auto& body : {bytes("05 'ERROR' 03 '400'"), bytes("5e 'RROR' 03 '400'")}) {
    refusing(test::frame(test::command, body), errc::refused_by_peer)
        .then([](side& s) { EXPECT_EQ(s.talk.peer_error(), "400"); })
        .run();
  }
}

// A peer that asks its authenticator only after both READYs sends ERROR after its own READY.
TEST(conversation_handshake, an_error_right_after_ready_ends_the_connection_with_its_reason) {
  conversation_script{}
      .writes_late()
      .peer_sends(greeting + ready_of("ROUTER") + framed_command("ERROR", bytes("03 '300'")))
      .expect({heard_request(), heard_ready(), heard_end(errc::refused_by_peer)})
      .expect_silence()
      .then([](side& s) { EXPECT_EQ(s.talk.peer_error(), "300"); })
      .run();
  conversation_script{}
      .shake_hands("ROUTER")
      .peer_sends(framed_command("ERROR", bytes("03 '300'")))
      .expect_closed(errc::refused_by_peer)
      .expect_silence()
      .then([](side& s) { EXPECT_EQ(s.talk.peer_error(), "300"); })
      .run();
}

TEST(conversation_handshake, no_message_is_written_before_the_peers_ready) {  // Z-6
  conversation_script{}
      .then([](side& s) {
        s.out.push(message{"queued", "early"});
      })
      .expect_output(greeting)
      .peer_sends(greeting)
      .expect_output(ready_of("DEALER"))
      .peer_sends(ready_of("ROUTER"))
      .expect({heard_request(), heard_ready()})
      .expect_output(framed({"queued", "early"}))
      .run();
}

TEST(conversation_handshake, no_message_is_written_or_read_before_admission) {
  conversation_script{{.admits = false}}
      .then([](side& s) { s.out.push(message{"queued"}); })
      .expect_output(greeting)
      .peer_sends(greeting + ready_of("ROUTER"))
      .expect_event(heard_request())
      .expect_output(ready_of("DEALER"))
      .then([](side& s) {
        EXPECT_FALSE(s.talk.traffic());
        EXPECT_TRUE(s.talk.prepare().empty());
        EXPECT_FALSE(s.talk.has_output(s.out));
      })
      .expect_silence()
      .then([](side& s) {
        s.talk.admit();
        s.digest();
      })
      .expect_event(heard_ready())
      .expect_output(framed({"queued"}))
      .run();
}

TEST(conversation_handshake,
     messages_right_after_ready_are_received_once_the_peer_is_admitted) {  // Z-6
  hearing(ready_of("ROUTER") + framed({"one"}) + framed({"", "two"}))
      .expect({heard_request(), heard_ready(), "[one]", "[][two]"})
      .run();
  side s{{.admits = false}};
  s.hear(greeting + ready_of("ROUTER") + framed({"one"}) + framed({"", "two"}));
  EXPECT_EQ(s.news(), std::vector{heard_request()});
  EXPECT_TRUE(s.in.empty());
  s.talk.settle();
  s.talk.admit();
  s.digest();
  EXPECT_EQ(s.news(), (std::vector<std::string>{heard_ready(), "[one]", "[][two]"}));
}

TEST(conversation_handshake, a_rejected_peer_gets_error_only_for_its_credentials) {
  side silent{{.admits = false}};
  silent.hear(greeting + ready_of("ROUTER") + framed({"glued"}));
  silent.say();
  silent.talk.refuse(errc::duplicate_routing_id);
  silent.digest();
  EXPECT_EQ(silent.news(), (std::vector{heard_request(), heard_end(errc::duplicate_routing_id)}));
  EXPECT_EQ(silent.say(), "");

  side notified{{.admits = false}};
  notified.hear(greeting + ready_of("ROUTER") + framed({"glued"}));
  notified.talk.refuse(errc::not_admitted, "400");
  notified.digest();
  EXPECT_EQ(notified.news(), (std::vector{heard_request(), heard_end(errc::not_admitted)}));
  EXPECT_EQ(notified.say(), greeting + ready_of("DEALER") + bytes("04 0a 05 'ERROR' 03 '400'"));
  EXPECT_TRUE(notified.in.empty());
  EXPECT_TRUE(notified.talk.prepare().empty());
}

TEST(conversation_handshake, closing_ends_it_silently_and_once_in_every_state) {
  const std::string sent = greeting + ready_of("ROUTER") + framed({"a", "b"});
  for (std::size_t received = 0; received <= sent.size(); ++received) {
    side s;
    s.out.push(message{"queued"});
    s.hear(sent.substr(0, received));
    s.news();
    s.talk.close(errc::socket_closed);
    s.talk.close(errc::connection_lost);
    s.digest();
    EXPECT_EQ(s.news(), std::vector{heard_end(errc::socket_closed)});
    EXPECT_EQ(s.say(), "");
    EXPECT_TRUE(s.talk.prepare().empty());
  }
}

TEST(conversation_handshake, it_succeeds_if_and_only_if_the_types_are_compatible) {
  for (const auto a : all_types) {
    for (const auto b : all_types) {
      SCOPED_TRACE(std::string{to_string(a)} + " and " + std::string{to_string(b)});
      side one{{.type = a, .identity = "one"}};
      side other{{.type = b, .identity = "other"}};
      pump(one, other);
      EXPECT_EQ(one.talk.traffic(), compatible(a, b));
      if (compatible(a, b)) {
        EXPECT_TRUE(other.talk.traffic());
        EXPECT_EQ(one.talk.peer_type(), b);
        EXPECT_EQ(one.talk.peer_routing_id(), "other");
        EXPECT_EQ(other.talk.peer_routing_id(), "one");
      } else {
        // Only the error is reported: a rejected peer never reaches admission.
        EXPECT_EQ(one.news(), std::vector{heard_end(errc::bad_socket_type)});
      }
    }
  }
}

}  // namespace
}  // namespace zmtp
