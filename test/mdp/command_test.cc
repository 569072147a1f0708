#include "mdp/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {
namespace {

using namespace std::string_view_literals;

std::string wire(const zmtp::message& m) {
  std::string bytes;
  for (const auto piece : {m.head(), m.tail()}) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  return bytes;
}

std::string bytes(std::initializer_list<int> values) {
  std::string s;
  for (const int value : values) {
    s += static_cast<char>(value);
  }
  return s;
}

zmtp::message with_body(void (*push)(zmtp::message&)) {
  zmtp::message m{"Hello world"sv};
  push(m);
  return m;
}

TEST(command, golden_ready_01) {  // MD1-4, MDP-22
  EXPECT_EQ(wire(make_ready(version::v01, "echo")),
            bytes({0x01, 0x00, 0x01, 0x06, 0x4d, 0x44, 0x50, 0x57, 0x30, 0x31, 0x01, 0x01, 0x01,
                   0x00, 0x04, 0x65, 0x63, 0x68, 0x6f}));
}

TEST(command, golden_heartbeat_01) {  // MD1-4
  EXPECT_EQ(wire(make_heartbeat(dialect::v01)),
            bytes({0x01, 0x00, 0x01, 0x06, 0x4d, 0x44, 0x50, 0x57, 0x30, 0x31, 0x00, 0x01, 0x04}));
}

TEST(command, golden_client_request_01) {  // MD1-1, MD1-3
  const auto m = with_body([](auto& body) { push_client_request(body, version::v01, "echo"); });
  EXPECT_EQ(wire(m), bytes({0x01, 0x00, 0x01, 0x06, 0x4d, 0x44, 0x50, 0x43, 0x30, 0x31, 0x01, 0x04,
                            0x65, 0x63, 0x68, 0x6f, 0x00, 0x0b}) +
                         "Hello world");
}

TEST(command, golden_ready_02) {  // MDP-15
  EXPECT_EQ(wire(make_ready(version::v02, "echo")),
            bytes({0x01, 0x06, 0x4d, 0x44, 0x50, 0x57, 0x30, 0x32, 0x01, 0x01, 0x01, 0x00, 0x04,
                   0x65, 0x63, 0x68, 0x6f}));
}

TEST(command, golden_heartbeat_02) {  // MDP-19
  EXPECT_EQ(wire(make_heartbeat(dialect::v02)),
            bytes({0x01, 0x06, 0x4d, 0x44, 0x50, 0x57, 0x30, 0x32, 0x00, 0x01, 0x05}));
}

TEST(command, frames_of_every_other_command) {
  const auto is = [](void (*push)(zmtp::message&), const zmtp::message& expected) {
    EXPECT_EQ(with_body(push), expected);
  };
  EXPECT_EQ(make_disconnect(dialect::v01), (zmtp::message{""sv, "MDPW01"sv, "\x05"sv}));
  EXPECT_EQ(make_disconnect(dialect::v02), (zmtp::message{"MDPW02"sv, "\x06"sv}));  // MDP-20
  EXPECT_EQ(make_disconnect(dialect::v02_delimited), (zmtp::message{""sv, "MDPW02"sv, "\x06"sv}));
  is([](auto& m) { push_client_request(m, version::v02, "s"); },  // MDP-5
     {"MDPC02"sv, "\x01"sv, "s"sv, "Hello world"sv});
  is([](auto& m) { push_client_reply(m, dialect::v02, false, "s"); },  // MDP-6
     {"MDPC02"sv, "\x02"sv, "s"sv, "Hello world"sv});
  is([](auto& m) { push_client_reply(m, dialect::v02, true, "s"); },  // MDP-7
     {"MDPC02"sv, "\x03"sv, "s"sv, "Hello world"sv});
  is([](auto& m) { push_client_reply(m, dialect::v02_delimited, true, "s"); },
     {""sv, "MDPC02"sv, "\x03"sv, "s"sv, "Hello world"sv});
  is([](auto& m) { push_client_reply(m, dialect::v01, true, "s"); },  // MD1-1
     {""sv, "MDPC01"sv, "s"sv, "Hello world"sv});
  is([](auto& m) { push_worker_request(m, dialect::v02, "a"); },  // MDP-16, 35, 36
     {"MDPW02"sv, "\x02"sv, "a"sv, ""sv, "Hello world"sv});
  is([](auto& m) { push_worker_request(m, dialect::v01, "a"); },  // MD1-4
     {""sv, "MDPW01"sv, "\x02"sv, "a"sv, ""sv, "Hello world"sv});
  is([](auto& m) { push_worker_reply(m, version::v02, false, "a"); },  // MDP-17
     {"MDPW02"sv, "\x03"sv, "a"sv, ""sv, "Hello world"sv});
  is([](auto& m) { push_worker_reply(m, version::v02, true, "a"); },  // MDP-18
     {"MDPW02"sv, "\x04"sv, "a"sv, ""sv, "Hello world"sv});
  is([](auto& m) { push_worker_reply(m, version::v01, true, "a"); },  // MD1-4
     {""sv, "MDPW01"sv, "\x03"sv, "a"sv, ""sv, "Hello world"sv});
}

TEST(command, broker_recognises_requests_of_each_dialect) {
  for (const auto how : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    zmtp::message m{"one"sv, "two"sv};
    push_client_request(m, version_of(how), "echo");
    if (how == dialect::v02_delimited) {
      m.push_front("");
    }
    const auto input = parse_for_broker(m);
    ASSERT_TRUE(input);
    const auto& asked = std::get<client_request>(*input);
    EXPECT_EQ(asked.how, how);
    EXPECT_EQ(asked.service, "echo");
    EXPECT_EQ(m, (zmtp::message{"echo"sv, "one"sv, "two"sv}));
  }
}

TEST(command, broker_recognises_what_workers_say) {
  const auto parse = [](zmtp::message m) { return parse_for_broker(m); };
  for (const auto how : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    auto beat = parse(make_heartbeat(how));
    ASSERT_TRUE(beat);
    EXPECT_EQ(std::get<worker_heartbeat>(*beat).how, how);
    auto bye = parse(make_disconnect(how));
    ASSERT_TRUE(bye);
    EXPECT_EQ(std::get<worker_disconnect>(*bye).how, how);
  }
  for (const auto v : {version::v01, version::v02}) {
    auto ready = make_ready(v, "echo");
    const auto action = parse_for_broker(ready);
    ASSERT_TRUE(action);
    EXPECT_EQ(std::get<worker_ready>(*action).service, "echo");
    for (const bool final : {true, false}) {
      if (v == version::v01 && !final) {
        continue;
      }
      zmtp::message m{"body"sv};
      push_worker_reply(m, v, final, "address");
      const auto input = parse_for_broker(m);
      ASSERT_TRUE(input);
      const auto& reply = std::get<worker_reply>(*input);
      EXPECT_EQ(reply.address, "address");
      EXPECT_EQ(reply.final, final);
      EXPECT_EQ(m, (zmtp::message{"address"sv, ""sv, "body"sv}));
    }
  }
}

TEST(command, worker_recognises_what_the_broker_says) {
  for (const auto how : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    zmtp::message m{"body"sv};
    push_worker_request(m, how, "address");
    const auto input = parse_for_worker(m, how);
    ASSERT_TRUE(input);
    EXPECT_EQ(std::get<broker_request>(*input).address, "address");
    EXPECT_EQ(m, (zmtp::message{"address"sv, ""sv, "body"sv}));
    auto beat = make_heartbeat(how);
    EXPECT_TRUE(std::holds_alternative<broker_heartbeat>(*parse_for_worker(beat, how)));
    auto bye = make_disconnect(how);
    EXPECT_TRUE(std::holds_alternative<broker_disconnect>(*parse_for_worker(bye, how)));
  }
}

TEST(command, a_request_names_the_principal_that_its_sender_represents) {
  for (const std::string principal : {"", "alice", "mmi.for:x"}) {
    for (const auto v : {version::v01, version::v02}) {
      for (const bool has_key : {false, true}) {
        zmtp::message m{"body"sv};
        const auto key = has_key ? std::optional{keyed_attempt{{'k'}, 3, true}} : std::nullopt;
        push_client_request(m, v, "echo", key, principal);
        const auto input = parse_for_broker(m);
        ASSERT_TRUE(input);
        const auto& asked = std::get<client_request>(*input);
        EXPECT_EQ(asked.on_behalf_of, principal);
        EXPECT_EQ(asked.attempt, key);
        EXPECT_EQ(m, (zmtp::message{"echo"sv, "body"sv}));
      }
    }
  }
  zmtp::message m{"body"sv};
  push_client_request(m, version::v02, "echo");
  EXPECT_FALSE(std::get<client_request>(*parse_for_broker(m)).on_behalf_of);
  zmtp::message no_service{"MDPC02"sv, "\x01"sv, "mmi.for:alice"sv};
  EXPECT_EQ(parse_for_broker(no_service).error(), errc::no_service);
}

TEST(command, a_worker_gets_the_principal_in_front_of_the_address) {
  for (const auto how : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    for (const std::string principal : {"", "alice"}) {
      zmtp::message m{"body"sv};
      push_worker_request(m, how, "address", principal);
      const auto input = parse_for_worker(m, how, true);
      ASSERT_TRUE(input);
      EXPECT_EQ(std::get<broker_request>(*input).principal, principal);
      EXPECT_EQ(std::get<broker_request>(*input).address, "address");
      EXPECT_EQ(m, (zmtp::message{"address"sv, ""sv, "body"sv}));
    }
    // A broker that breaks its announcement.
    zmtp::message m{"body"sv};
    push_worker_request(m, how, "address");
    EXPECT_EQ(parse_for_worker(m, how, true).error(), errc::no_address);
    zmtp::message empty = make_heartbeat(how);
    EXPECT_TRUE(parse_for_worker(empty, how, true));
  }
}

TEST(command, client_recognises_replies) {
  for (const auto v : {version::v01, version::v02}) {
    for (const bool final : {true, false}) {
      if (v == version::v01 && !final) {
        continue;
      }
      zmtp::message m{"body"sv};
      push_client_reply(m, dialect_of(v), final, "echo");
      const auto reply = parse_for_client(m, v);
      ASSERT_TRUE(reply);
      EXPECT_EQ(reply->final, final);
      EXPECT_EQ(reply->service, "echo");
      EXPECT_EQ(m, (zmtp::message{"echo"sv, "body"sv}));
    }
  }
}

TEST(command, parsing_copies_no_slice) {
  const std::string body(3000, 'b');
  const std::string run = bytes({0x01, 0x06}) + "MDPC02" + bytes({0x01, 0x01, 0x01, 0x01, 0x04}) +
                          "echo" + bytes({0x02, 0, 0, 0, 0, 0, 0, 0x0b, 0xb8}) + body;
  zmtp::block_ptr buffer{zmtp::block::create(run.size())};
  std::memcpy(buffer->data(), run.data(), run.size());
  zmtp::message m{buffer, {buffer->data(), run.size()}, 4};
  const auto* place = m.back().data();
  ASSERT_TRUE(parse_for_broker(m));
  m.pop_front();
  push_worker_request(m, dialect::v01, "0123456789abcdef");
  EXPECT_EQ(m.back().data(), place);
}

struct malformed {
  errc fault;
  zmtp::message m;
};

TEST(command, broker_names_every_fault) {  // C3-13, MDP-5, 31, 35, 36
  const std::string long_name(256, 'n');
  const std::vector<malformed> list{
      {errc::no_header, {}},
      {errc::no_header, {""sv}},
      {errc::unknown_header, {"GARBAGE"sv}},
      {errc::unknown_header, {"MDPC03"sv, "\x01"sv, "s"sv, "b"sv}},
      {errc::unknown_header, {""sv, ""sv, "MDPC01"sv, "s"sv, "b"sv}},
      {errc::unknown_header, {""sv, "MDPC0"sv, "s"sv, "b"sv}},
      {errc::not_delimited, {"MDPC01"sv, "s"sv, "b"sv}},
      {errc::not_delimited, {"MDPW01"sv, "\x01"sv, "s"sv}},
      {errc::no_command, {"MDPC02"sv}},
      {errc::no_command, {"MDPW02"sv}},
      {errc::no_command, {""sv, "MDPW01"sv}},
      {errc::unknown_command, {"MDPC02"sv, ""sv, "s"sv, "b"sv}},
      {errc::unknown_command, {"MDPC02"sv, "\x04"sv, "s"sv, "b"sv}},
      {errc::unknown_command, {"MDPC02"sv, "\x01\x01"sv, "s"sv, "b"sv}},
      {errc::unknown_command, {"MDPW02"sv, "\x07"sv}},
      {errc::unknown_command, {"MDPW02"sv, "\0"sv}},
      {errc::unknown_command, {""sv, "MDPW01"sv, "\x06"sv}},
      {errc::misdirected_command, {"MDPC02"sv, "\x02"sv, "s"sv, "b"sv}},
      {errc::misdirected_command, {"MDPC02"sv, "\x03"sv, "s"sv, "b"sv}},
      {errc::misdirected_command, {"MDPW02"sv, "\x02"sv, "a"sv, ""sv, "b"sv}},
      {errc::misdirected_command, {""sv, "MDPW01"sv, "\x02"sv, "a"sv, ""sv, "b"sv}},
      {errc::no_service, {"MDPC02"sv, "\x01"sv}},
      {errc::no_service, {"MDPC02"sv, "\x01"sv, ""sv, "b"sv}},
      {errc::no_service, {""sv, "MDPC01"sv}},
      {errc::no_service, {""sv, "MDPC01"sv, ""sv, "b"sv}},
      {errc::no_service, {"MDPW02"sv, "\x01"sv}},
      {errc::no_service, {""sv, "MDPW01"sv, "\x01"sv, ""sv}},
      {errc::service_too_long, {"MDPC02"sv, "\x01"sv, long_name, "b"sv}},
      {errc::service_too_long, {""sv, "MDPW01"sv, "\x01"sv, long_name}},
      {errc::no_body, {"MDPC02"sv, "\x01"sv, "s"sv}},
      {errc::no_body, {""sv, "MDPC01"sv, "s"sv}},
      {errc::no_address, {"MDPW02"sv, "\x04"sv}},
      {errc::no_address, {"MDPW02"sv, "\x03"sv, ""sv, ""sv, "b"sv}},
      {errc::address_not_delimited, {"MDPW02"sv, "\x04"sv, "a"sv}},
      {errc::address_not_delimited, {"MDPW02"sv, "\x04"sv, "a"sv, "b"sv}},
      {errc::address_not_delimited, {"MDPW02"sv, "\x04"sv, "a"sv, "a2"sv, ""sv, "b"sv}},
      {errc::address_not_delimited, {""sv, "MDPW01"sv, "\x03"sv, "a"sv, "a2"sv, ""sv, "b"sv}},
      {errc::no_body, {"MDPW02"sv, "\x04"sv, "a"sv, ""sv}},
      {errc::no_body, {"MDPW02"sv, "\x03"sv, "a"sv, ""sv}},
      {errc::no_body, {""sv, "MDPW01"sv, "\x03"sv, "a"sv, ""sv}},
      {errc::surplus_frames, {"MDPW02"sv, "\x01"sv, "s"sv, "b"sv}},
      {errc::surplus_frames, {"MDPW02"sv, "\x05"sv, ""sv}},
      {errc::surplus_frames, {""sv, "MDPW01"sv, "\x05"sv, "b"sv}},
  };
  for (auto [fault, m] : list) {
    const auto before = m;
    const auto input = parse_for_broker(m);
    ASSERT_FALSE(input) << wire(before);
    EXPECT_EQ(input.error(), fault) << wire(before);
  }
}

TEST(command, worker_and_client_name_every_fault) {
  const std::vector<malformed> for_worker{
      {errc::no_header, {}},
      {errc::unknown_header, {"MDPC02"sv, "\x02"sv, "a"sv, ""sv, "b"sv}},
      {errc::unknown_header, {""sv, "MDPW01"sv, "\x04"sv}},
      {errc::unknown_header, {""sv, "MDPW02"sv, "\x05"sv}},
      {errc::no_command, {"MDPW02"sv}},
      {errc::unknown_command, {"MDPW02"sv, "\x07"sv}},
      {errc::unknown_command, {"MDPW02"sv, "\0"sv}},
      {errc::misdirected_command, {"MDPW02"sv, "\x01"sv, "s"sv}},
      {errc::misdirected_command, {"MDPW02"sv, "\x04"sv, "a"sv, ""sv, "b"sv}},
      {errc::no_address, {"MDPW02"sv, "\x02"sv}},
      {errc::address_not_delimited, {"MDPW02"sv, "\x02"sv, "a"sv, "b"sv}},
      {errc::no_body, {"MDPW02"sv, "\x02"sv, "a"sv, ""sv}},
      {errc::surplus_frames, {"MDPW02"sv, "\x05"sv, "b"sv}},
  };
  for (auto [fault, m] : for_worker) {
    const auto input = parse_for_worker(m, dialect::v02);
    ASSERT_FALSE(input);
    EXPECT_EQ(input.error(), fault);
  }
  const std::vector<malformed> for_client{
      {errc::no_header, {}},
      {errc::unknown_header, {"MDPW02"sv, "\x05"sv}},
      {errc::unknown_header, {""sv, "MDPC01"sv, "s"sv, "b"sv}},
      {errc::no_command, {"MDPC02"sv}},
      {errc::misdirected_command, {"MDPC02"sv, "\x01"sv, "s"sv, "b"sv}},
      {errc::unknown_command, {"MDPC02"sv, "\x04"sv, "s"sv, "b"sv}},
      {errc::no_service, {"MDPC02"sv, "\x03"sv}},
      {errc::no_body, {"MDPC02"sv, "\x03"sv, "s"sv}},
  };
  for (auto [fault, m] : for_client) {
    const auto reply = parse_for_client(m, version::v02);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error(), fault);
  }
}

TEST(command, too_many_frames_leave_no_room_for_an_envelope) {
  std::string run;
  for (std::size_t i = 0; i < zmtp::message::max_parts; ++i) {
    run += i + 1 < zmtp::message::max_parts ? std::string("\1\0", 2) : std::string("\0\0", 2);
  }
  zmtp::block_ptr buffer{zmtp::block::create(run.size())};
  std::memcpy(buffer->data(), run.data(), run.size());
  zmtp::message m{buffer, {buffer->data(), run.size()}, zmtp::message::max_parts};
  EXPECT_EQ(parse_for_broker(m).error(), errc::too_many_frames);
}

TEST(command, only_mmi_names_are_reserved) {
  EXPECT_TRUE(is_reserved("mmi.service"));
  EXPECT_TRUE(is_reserved("mmi."));
  EXPECT_FALSE(is_reserved("mmi"));
  EXPECT_FALSE(is_reserved("xmmi.service"));
  EXPECT_FALSE(is_reserved("MMI.service"));
}

TEST(command, every_error_has_a_text_of_its_own) {
  std::vector<std::string> texts;
  for (int value = 1; value < static_cast<int>(errc_count); ++value) {
    const boost::system::error_code code = static_cast<errc>(value);
    EXPECT_STREQ(code.category().name(), "mdp");
    texts.push_back(code.message());
    EXPECT_GT(texts.back().size(), 20U);
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
}

constexpr keyed_attempt some_attempt{
    .key = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'},
    .number = 0x0102'0304,
    .may_begin = true};

TEST(command, golden_client_request_with_a_key) {
  zmtp::message old{"Hello world"sv};
  push_client_request(old, version::v01, "echo", some_attempt);
  const auto key = bytes({0x01, 0x1d}) + "mmi.key:0123456789abcdef" + bytes({1, 2, 3, 4, 1});
  const auto rest = bytes({0x01, 0x04}) + "echo" + bytes({0x00, 0x0b}) + "Hello world";
  EXPECT_EQ(wire(old), bytes({0x01, 0x00, 0x01, 0x06}) + "MDPC01" + key + rest);
  zmtp::message young{"Hello world"sv};
  push_client_request(young, version::v02, "echo", some_attempt);
  EXPECT_EQ(wire(young), bytes({0x01, 0x06}) + "MDPC02" + bytes({0x01, 0x01, 0x01}) + key + rest);
}

TEST(command, a_key_is_read_as_it_was_sent) {
  for (const auto v : {version::v01, version::v02}) {
    for (const bool may_begin : {true, false}) {
      auto sent = some_attempt;
      sent.number = may_begin ? 0xffff'ffff : 0;
      sent.may_begin = may_begin;
      zmtp::message m{"body"sv};
      push_client_request(m, v, "echo", sent);
      const auto input = parse_for_broker(m);
      ASSERT_TRUE(input);
      const auto& asked = std::get<client_request>(*input);
      EXPECT_EQ(asked.attempt, sent);
      EXPECT_EQ(asked.service, "echo");
      EXPECT_EQ(m, (zmtp::message{"echo"sv, "body"sv}));
    }
  }
}

TEST(command, a_frame_that_is_not_a_key_is_a_service) {
  for (const auto name : {"mmi.key:"sv, "mmi.key:0123456789abcdef0001"sv,
                          "mmi.kez:0123456789abcdef00010"sv, "mmi.key:0123456789abcdef0001xx"sv}) {
    zmtp::message m{"body"sv};
    push_client_request(m, version::v02, name);
    const auto input = parse_for_broker(m);
    ASSERT_TRUE(input) << name;
    EXPECT_FALSE(std::get<client_request>(*input).attempt) << name;
    EXPECT_EQ(std::get<client_request>(*input).service, name);
  }
}

TEST(command, a_request_of_nothing_but_a_key_is_refused) {
  zmtp::message m{"echo"sv};
  push_client_request(m, version::v02, "dropped", some_attempt);
  zmtp::message short_one{m[0], m[1], m[2]};
  EXPECT_EQ(parse_for_broker(short_one).error(), errc::no_service);
  zmtp::message without_body{m[0], m[1], m[2], "echo"sv};
  EXPECT_EQ(parse_for_broker(without_body).error(), errc::no_body);
}

TEST(command, nack_and_drain_of_both_versions) {
  for (const auto v : {version::v01, version::v02}) {
    const auto how = dialect_of(v);
    for (const auto reason : {nack_reason::refused, nack_reason::failed}) {
      auto m = make_nack(v, reason, "address");
      const auto input = parse_for_broker(m);
      ASSERT_TRUE(input);
      const auto& nack = std::get<worker_nack>(*input);
      EXPECT_EQ(nack.how, how);
      EXPECT_EQ(nack.reason, reason);
      EXPECT_EQ(nack.address, "address");
    }
    auto m = make_drain(v);
    const auto input = parse_for_broker(m);
    ASSERT_TRUE(input);
    EXPECT_EQ(std::get<worker_drain>(*input).how, how);
  }
  EXPECT_EQ(make_nack(version::v02, nack_reason::refused, "a"),
            (zmtp::message{"MDPW02"sv, "\x10"sv, "a"sv, ""sv, "refused"sv}));
  EXPECT_EQ(make_nack(version::v01, nack_reason::failed, "a"),
            (zmtp::message{""sv, "MDPW01"sv, "\x10"sv, "a"sv, ""sv, "failed"sv}));
  EXPECT_EQ(make_drain(version::v02), (zmtp::message{"MDPW02"sv, "\x11"sv}));
}

TEST(command, a_malformed_nack_or_drain_has_its_fault) {
  const auto fault = [](zmtp::message m) { return parse_for_broker(m).error(); };
  EXPECT_EQ(fault({"MDPW02"sv, "\x10"sv}), errc::no_address);
  EXPECT_EQ(fault({"MDPW02"sv, "\x10"sv, "a"sv, "refused"sv}), errc::address_not_delimited);
  EXPECT_EQ(fault({"MDPW02"sv, "\x10"sv, "a"sv, ""sv}), errc::no_body);
  EXPECT_EQ(fault({"MDPW02"sv, "\x10"sv, "a"sv, ""sv, "tired"sv}), errc::unknown_reason);
  EXPECT_EQ(fault({"MDPW02"sv, "\x10"sv, "a"sv, ""sv, "refused"sv, "x"sv}), errc::surplus_frames);
  EXPECT_EQ(fault({"MDPW02"sv, "\x11"sv, "x"sv}), errc::surplus_frames);
}

}  // namespace
}  // namespace mdp
