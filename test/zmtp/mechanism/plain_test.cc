#include "zmtp/mechanism/plain.h"

#include "test/support/bytes.h"
#include "test/zmtp/mechanism/mechanism_script.h"
#include "zmtp/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace zmtp {
namespace {

using progress = mechanism::progress;
using test::announcing;
using test::bytes;
using test::expect_fault;
using test::for_each_changed_byte;
using test::for_each_truncation;

plain_client_mechanism a_plain_client(const limits& limit = {}) {
  return {{.username = "admin", .password = "secret"}, announcing("PUSH"), limit};
}
plain_server_mechanism a_plain_server(const limits& limit = {}) {
  return {announcing("PULL"), limit};
}

// Bodies as libzmq sends them.
const std::string hello = bytes("05 'HELLO' 05 'admin' 06 'secret'");
const std::string welcome = bytes("07 'WELCOME'");
const std::string initiate = bytes("08 'INITIATE' 0b 'Socket-Type' 00 00 00 04 'PUSH'");
const std::string ready = bytes("05 'READY' 0b 'Socket-Type' 00 00 00 04 'PULL'");

// Expects this progress, and this body as the answer. No body: no answer.
void expect_step(mechanism& m, std::string_view body, progress reached,
                 std::string_view answer = {}) {
  std::string output;
  const auto step = m.on_command(body, output);
  ASSERT_TRUE(step) << step.error().message();
  EXPECT_EQ(*step, reached);
  EXPECT_EQ(output.substr(output.empty() ? 0 : 2), answer);
}

void greet(plain_client_mechanism& m) {
  std::string output;
  m.start(output);
  EXPECT_EQ(output, bytes("04 13") + hello);
}
// Up to the given command of the other side, exclusive.
void reach_ready(plain_client_mechanism& m) {
  greet(m);
  expect_step(m, welcome, progress::more, initiate);
}
void reach_initiate(plain_server_mechanism& m) {
  std::string output;
  m.start(output);
  EXPECT_EQ(output, "");
  expect_step(m, hello, progress::authentication);
  EXPECT_EQ(m.authenticated(output), progress::more);
  EXPECT_EQ(output, bytes("04 08") + welcome);
}

TEST(plain_client, sends_its_credentials_then_its_metadata) {
  auto m = a_plain_client();
  EXPECT_EQ(m.name(), "PLAIN");
  EXPECT_FALSE(m.as_server());
  reach_ready(m);
  expect_step(m, ready, progress::authentication);
  EXPECT_EQ(m.peer_metadata(), announcing("PULL"));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(m.shown()));
  std::string output;
  EXPECT_EQ(m.authenticated(output), progress::admission);
  EXPECT_EQ(m.admit(output), progress::done);
  EXPECT_EQ(output, "");
  EXPECT_EQ(m.take_framing(), nullptr);
}

TEST(plain_client, sends_names_and_passwords_of_any_size) {
  plain_client_mechanism empty{{}, {}, {}};
  std::string output;
  empty.start(output);
  EXPECT_EQ(output, bytes("04 08 05 'HELLO' 00 00"));
  plain_client_mechanism large{
      {.username = std::string(255, 'u'), .password = std::string(255, 'p')}, {}, {}};
  output.clear();
  large.start(output);
  EXPECT_EQ(output, bytes("06 00*6 02 06 05 'HELLO' ff 75*255 ff 70*255"));
}

TEST(plain_server, asks_about_the_credentials_then_about_the_metadata) {
  auto m = a_plain_server();
  EXPECT_EQ(m.name(), "PLAIN");
  EXPECT_TRUE(m.as_server());
  std::string output;
  m.start(output);
  EXPECT_EQ(output, "");
  expect_step(m, hello, progress::authentication);
  EXPECT_EQ(m.peer_metadata(), metadata{});
  const auto shown = std::get<plain_credentials>(m.shown());
  EXPECT_EQ(shown.username, "admin");
  EXPECT_EQ(shown.password, "secret");
  EXPECT_EQ(m.authenticated(output), progress::more);
  EXPECT_EQ(output, bytes("04 08") + welcome);
  EXPECT_EQ(std::get<plain_credentials>(m.shown()).password, "") << "dropped when not needed";
  expect_step(m, initiate, progress::admission);
  EXPECT_EQ(m.peer_metadata(), announcing("PUSH"));
  output.clear();
  EXPECT_EQ(m.admit(output), progress::done);
  EXPECT_EQ(output.substr(2), ready);
  EXPECT_EQ(m.take_framing(), nullptr);
}

TEST(plain_server, a_refusal_sends_the_status_and_ends_the_handshake) {
  auto m = a_plain_server();
  expect_step(m, hello, progress::authentication);
  std::string output;
  m.refuse("400", output);
  EXPECT_EQ(output, bytes("04 0a 05 'ERROR' 03 '400'"));
  expect_fault(m, initiate, errc::unexpected_command);
  auto late = a_plain_server();
  reach_initiate(late);
  expect_step(late, initiate, progress::admission);
  output.clear();
  late.refuse("500", output);
  EXPECT_EQ(output, bytes("04 0a 05 'ERROR' 03 '500'"));
}

TEST(plain_client, the_error_of_a_server_is_stored_in_both_spellings) {
  for (const auto& error : {bytes("05 'ERROR' 03 '400'"), bytes("5e 52 52 4f 52 03 '400'")}) {
    auto first = a_plain_client();
    greet(first);
    expect_fault(first, error, errc::refused_by_peer);
    EXPECT_EQ(first.error_reason(), "400");
    auto second = a_plain_client();
    reach_ready(second);
    expect_fault(second, error, errc::refused_by_peer);
    EXPECT_EQ(second.error_reason(), "400");
  }
}

TEST(plain_client, a_bad_command_is_rejected_with_its_error) {
  const struct {
    bool welcomed;
    std::string body;
    errc fault;
  } faults[] = {
      {false, bytes(""), errc::bad_command},
      {false, bytes("07 'WELCOM'"), errc::bad_command},
      {false, welcome + "x", errc::bad_command},
      {false, bytes("07 'welcome'"), errc::unexpected_command},
      {false, ready, errc::unexpected_command},
      {false, hello, errc::unexpected_command},
      {false, initiate, errc::unexpected_command},
      {false, bytes("04 'PING' 00 00"), errc::unexpected_command},
      {false, bytes("05 'ERROR' 03 '40'"), errc::bad_command},
      {true, welcome, errc::unexpected_command},
      {true, hello, errc::unexpected_command},
      {true, ready + "x", errc::bad_metadata},
      {true, bytes("05 'READY' 00 00 00 00 00"), errc::bad_property_name},
      {true, ready + ready.substr(6), errc::duplicate_property},
  };
  for (const auto& [welcomed, body, fault] : faults) {
    auto m = a_plain_client();
    welcomed ? reach_ready(m) : greet(m);
    expect_fault(m, body, fault);
    expect_fault(m, welcomed ? ready : welcome, errc::unexpected_command);
  }
}

TEST(plain_server, a_bad_command_is_rejected_with_its_error) {
  const struct {
    bool accepted;
    std::string body;
    errc fault;
  } faults[] = {
      {false, bytes(""), errc::bad_command},
      {false, bytes("05 'HELLO'"), errc::bad_command},
      {false, bytes("05 'HELLO' 05 'admin'"), errc::bad_command},
      {false, bytes("05 'HELLO' 05 'admin' 07 'secret'"), errc::bad_command},
      {false, hello + "x", errc::bad_command},
      {false, bytes("05 'hello' 00 00"), errc::unexpected_command},
      {false, initiate, errc::unexpected_command},
      {false, ready, errc::unexpected_command},
      {false, welcome, errc::unexpected_command},
      {false, bytes("05 'ERROR' 00"), errc::refused_by_peer},
      {true, hello, errc::unexpected_command},
      {true, ready, errc::unexpected_command},
      {true, initiate + "x", errc::bad_metadata},
      {true, initiate + initiate.substr(9), errc::duplicate_property},
  };
  for (const auto& [accepted, body, fault] : faults) {
    auto m = a_plain_server();
    if (accepted) {
      reach_initiate(m);
    }
    expect_fault(m, body, fault);
    expect_fault(m, accepted ? initiate : hello, errc::unexpected_command);
  }
}

TEST(plain, the_limits_hold) {
  const limits limit{.handshake_command_size = initiate.size(), .metadata_properties = 1};
  auto large = a_plain_server(limit);
  expect_fault(large, bytes("05 'HELLO' 00 ff") + std::string(255, 'p'), errc::command_too_large);
  auto many = a_plain_server(limit);
  reach_initiate(many);
  expect_fault(many, bytes("08 'INITIATE' 01 'a' 00 00 00 00 01 'b' 00 00 00 00"),
               errc::too_many_properties);
}

// For each body, the outcome is an error or the state that the body asks for.
TEST(plain_server, any_truncation_or_changed_byte_is_rejected_or_accepted) {
  const auto expect_defined = [](std::string_view body) {
    auto m = a_plain_server();
    std::string output;
    const auto step = m.on_command(body, output);
    EXPECT_EQ(output, "");
    if (step) {
      EXPECT_EQ(*step, progress::authentication);
      const auto shown = std::get<plain_credentials>(m.shown());
      EXPECT_EQ(shown.username.size() + shown.password.size() + 8, body.size());
    } else {
      EXPECT_TRUE(step.error() == condition::protocol_violation) << step.error().message();
    }
  };
  expect_defined(hello);
  for_each_truncation(hello, expect_defined);
  for_each_changed_byte(hello, expect_defined);
}

TEST(plain, a_client_and_a_server_reach_traffic) {
  auto c = a_plain_client();
  auto s = a_plain_server();
  std::string of_client;
  std::string of_server;
  c.start(of_client);
  s.start(of_server);
  const auto body = [](std::string& output) { return std::exchange(output, {}).substr(2); };
  EXPECT_EQ(*s.on_command(body(of_client), of_server), progress::authentication);
  EXPECT_EQ(s.authenticated(of_server), progress::more);
  EXPECT_EQ(*c.on_command(body(of_server), of_client), progress::more);
  EXPECT_EQ(*s.on_command(body(of_client), of_server), progress::admission);
  EXPECT_EQ(s.admit(of_server), progress::done);
  EXPECT_EQ(*c.on_command(body(of_server), of_client), progress::authentication);
  EXPECT_EQ(c.authenticated(of_client), progress::admission);
  EXPECT_EQ(c.admit(of_client), progress::done);
  EXPECT_EQ(s.peer_metadata(), announcing("PUSH"));
  EXPECT_EQ(c.peer_metadata(), announcing("PULL"));
}

}  // namespace
}  // namespace zmtp
