#include "zmtp/pattern/pirate_message.h"

#include <gtest/gtest.h>

namespace zmtp {
namespace {

using namespace std::string_view_literals;

constexpr auto simple = pirate_protocol::simple;
constexpr auto paranoid = pirate_protocol::paranoid;

std::optional<pirate_kind> kind_of(message m, pirate_protocol how) { return parse_pirate(m, how); }

// PPP-2
TEST(pirate_messages, commands_are_one_frame_of_one_byte) {
  EXPECT_EQ(make_ready(paranoid), message{"\1"sv});
  EXPECT_EQ(make_heartbeat(), message{"\2"sv});
  EXPECT_EQ(kind_of(make_ready(paranoid), paranoid), pirate_kind::ready);
  EXPECT_EQ(kind_of(make_heartbeat(), paranoid), pirate_kind::heartbeat);
  EXPECT_EQ(kind_of({"\1\1"sv}, paranoid), std::nullopt);
  EXPECT_EQ(kind_of({"\1x"sv}, paranoid), std::nullopt);
  EXPECT_EQ(kind_of({"\3"sv}, paranoid), std::nullopt);
  EXPECT_EQ(kind_of({""sv}, paranoid), std::nullopt);
  EXPECT_EQ(kind_of({}, paranoid), std::nullopt);
}

TEST(pirate_messages, the_simple_kind_has_an_empty_frame_in_front_and_no_heartbeat) {
  EXPECT_EQ(make_ready(simple), (message{""sv, "\1"sv}));
  EXPECT_EQ(kind_of(make_ready(simple), simple), pirate_kind::ready);
  EXPECT_EQ(kind_of({""sv, "\2"sv}, simple), std::nullopt);
  EXPECT_EQ(kind_of({"\1"sv}, simple), std::nullopt);
  EXPECT_EQ(kind_of({""sv}, simple), std::nullopt);
  EXPECT_EQ(kind_of({""sv, "a"sv, ""sv, "body"sv}, simple), pirate_kind::request);
  EXPECT_EQ(kind_of({"a"sv, ""sv, "body"sv}, simple), std::nullopt);
}

// PPP-3
TEST(pirate_messages, a_request_is_an_address_stack_an_empty_frame_and_a_body) {
  for (const auto& good : {message{"a"sv, ""sv, "body"sv},
                           message{"a"sv, "b"sv, ""sv, "1"sv, "2"sv}, message{"a"sv, ""sv, ""sv}}) {
    EXPECT_EQ(kind_of(good, paranoid), pirate_kind::request);
  }
  for (const auto& bad : {message{"a"sv, ""sv}, message{"a"sv, "b"sv, "c"sv},
                          message{""sv, "body"sv}, message{"a"sv, "b"sv, ""sv}}) {
    EXPECT_EQ(kind_of(bad, paranoid), std::nullopt);
  }
}

TEST(pirate_messages, are_wrapped_and_unwrapped) {
  message m{"a"sv, "b"sv, ""sv, "1"sv, "2"sv};
  EXPECT_EQ(envelope_size(m), 3U);
  const auto envelope = take_front(m, 3);
  EXPECT_EQ(envelope, (message{"a"sv, "b"sv, ""sv}));
  EXPECT_EQ(m, (message{"1"sv, "2"sv}));
  auto reply = m;
  wrap_pirate(reply, envelope, paranoid);
  EXPECT_EQ(reply, (message{"a"sv, "b"sv, ""sv, "1"sv, "2"sv}));
  wrap_pirate(m, envelope, simple);
  EXPECT_EQ(m, (message{""sv, "a"sv, "b"sv, ""sv, "1"sv, "2"sv}));
}

}  // namespace
}  // namespace zmtp
