#include "zmtp/mechanism/curve.h"

#include "test/support/curve_forger.h"
#include "test/support/fixed_random.h"
#include "test/support/wire.h"
#include "test/zmtp/mechanism/mechanism_script.h"
#include "zmtp/curve/box.h"
#include "zmtp/framing/framing.h"
#include "zmtp/mechanism/curve_client.h"
#include "zmtp/mechanism/curve_server.h"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace zmtp {
namespace {

using progress = mechanism::progress;
using test::announcing;
using test::big_endian;
using test::bytes;
using test::curve_forger;
using test::expect_fault;

const auto& server_keys = test::curve_forger::server_keys();
const auto& client_keys = test::curve_forger::client_keys();
const auto other_keys = make_key_pair(test::fixed_random(300));

curve_client_mechanism a_curve_client(unsigned seed = 1) {
  return {std::make_shared<curve_client_options>(
              curve_client_options{server_keys.public_key, client_keys}),
          announcing("PUSH"), limits{}, test::fixed_random(seed)};
}
curve_server_mechanism a_curve_server(unsigned seed = 2, const limits& limit = {}) {
  return {std::make_shared<curve_key_pair>(server_keys), announcing("PULL"), limit,
          test::fixed_random(seed)};
}

// The body of the only frame.
std::string body(const std::string& output) {
  const auto content = test::content_of(output);
  EXPECT_EQ(content.commands.size(), 1U);
  EXPECT_EQ(content.unread, 0U);
  return content.commands.empty() ? "" : content.commands.front();
}

// Returns the answer.
std::string expect_answer(mechanism& m, std::string_view command, progress reached) {
  std::string output;
  const auto step = m.on_command(command, output);
  EXPECT_TRUE(step) << step.error().message();
  EXPECT_TRUE(!step || *step == reached);
  return output.empty() ? "" : body(output);
}
std::string started(mechanism& m) {
  std::string output;
  m.start(output);
  return body(output);
}
std::string admitted(mechanism& m) {
  std::string output;
  EXPECT_EQ(m.authenticated(output), progress::admission);
  EXPECT_EQ(m.admit(output), progress::done);
  return output.empty() ? "" : body(output);
}

TEST(curve, a_client_and_a_server_reach_traffic_in_both_directions) {
  auto c = a_curve_client();
  auto s = a_curve_server();
  EXPECT_EQ(c.name(), "CURVE");
  EXPECT_EQ(s.name(), "CURVE");
  EXPECT_FALSE(c.as_server());
  EXPECT_TRUE(s.as_server());
  std::string silence;
  s.start(silence);
  EXPECT_EQ(silence, "");

  const auto hello = started(c);
  EXPECT_EQ(hello.size(), 200U);
  EXPECT_EQ(hello.substr(0, 8), bytes("05 'HELLO' 01 00"));
  EXPECT_EQ(hello.substr(8, 72), std::string(72, '\0'));
  EXPECT_EQ(hello.substr(112, 8), big_endian(1, 8));
  const auto welcome = expect_answer(s, hello, progress::more);
  EXPECT_EQ(welcome.size(), 168U);
  EXPECT_EQ(welcome.substr(0, 8), bytes("07 'WELCOME'"));
  const auto initiate = expect_answer(c, welcome, progress::more);
  EXPECT_EQ(initiate.size(), 257U + test::property("Socket-Type", "PUSH").size());
  EXPECT_EQ(initiate.substr(0, 9), bytes("08 'INITIATE'"));
  EXPECT_EQ(initiate.substr(105, 8), big_endian(2, 8));
  EXPECT_EQ(expect_answer(s, initiate, progress::authentication), "");
  EXPECT_EQ(std::get<curve_credentials>(s.shown()).public_key, client_keys.public_key);
  EXPECT_EQ(s.peer_metadata(), announcing("PUSH"));
  const auto ready = admitted(s);
  EXPECT_EQ(ready.substr(0, 14), bytes("05 'READY' 00*7 01"));
  EXPECT_EQ(expect_answer(c, ready, progress::authentication), "");
  EXPECT_EQ(std::get<curve_credentials>(c.shown()).public_key, server_keys.public_key);
  EXPECT_EQ(c.peer_metadata(), announcing("PULL"));
  EXPECT_EQ(admitted(c), "");

  const auto of_client = c.take_framing();
  const auto of_server = s.take_framing();
  const auto carry = [](framing& from, framing& to, const std::string& frame) {
    std::string wire(frame.size() + from.overhead(), '\0');
    const auto memory = std::as_writable_bytes(std::span{wire});
    const auto made =
        from.write(std::array{framing::piece{std::as_bytes(std::span{frame})}}, memory);
    const auto p = to.read(memory.first(made), memory.first(made));
    EXPECT_FALSE(p.fault);
    return std::pair{wire.substr(0, p.made), made};
  };
  EXPECT_EQ(carry(*of_client, *of_server, test::framed({"up"})).first, test::framed({"up"}));
  EXPECT_EQ(carry(*of_server, *of_client, test::framed({"down"})).first, test::framed({"down"}));
}

TEST(curve, each_connection_has_keys_of_its_own) {
  auto first = a_curve_client(1);
  auto second = a_curve_client(2);
  EXPECT_NE(started(first).substr(80, 32), started(second).substr(80, 32));
  const curve_forger peer;
  auto one = a_curve_server(1);
  auto two = a_curve_server(2);
  EXPECT_NE(expect_answer(one, peer.hello(), progress::more).substr(8),
            expect_answer(two, peer.hello(), progress::more).substr(8));
}

TEST(curve, a_key_is_shown_only_when_it_is_proved) {
  const auto shows_nothing = [](const mechanism& m) {
    return std::holds_alternative<std::monostate>(m.shown());
  };
  auto c = a_curve_client();
  auto s = a_curve_server();
  const auto hello = started(c);
  EXPECT_TRUE(shows_nothing(c));
  const auto welcome = expect_answer(s, hello, progress::more);
  EXPECT_TRUE(shows_nothing(s));
  expect_answer(c, welcome, progress::more);
  EXPECT_FALSE(shows_nothing(c));
  curve_forger thief;
  thief.claimed = other_keys.public_key;
  auto robbed = a_curve_server();
  expect_fault(robbed, thief.initiate(expect_answer(robbed, thief.hello(), progress::more)),
               errc::bad_vouch);
  EXPECT_TRUE(shows_nothing(robbed));
}

TEST(curve_server, accepts_a_client_that_is_written_from_the_specification) {
  const curve_forger peer;
  auto s = a_curve_server();
  const auto welcome = expect_answer(s, peer.hello(), progress::more);
  expect_answer(s, peer.initiate(welcome), progress::authentication);
  EXPECT_EQ(std::get<curve_credentials>(s.shown()).public_key, client_keys.public_key);
}

TEST(curve_server, draws_no_random_byte_before_hello_opens) {
  std::size_t drawn = 0;
  const auto counting = [&](std::span<std::byte> to) {
    drawn += to.size();
    std::ranges::fill(to, std::byte{7});
  };
  const auto fresh = [&] {
    return curve_server_mechanism{std::make_shared<curve_key_pair>(server_keys), {}, {}, counting};
  };
  const auto hello = curve_forger{}.hello();
  for (std::size_t at = 80; at < hello.size(); ++at) {
    auto altered = hello;
    altered[at] = static_cast<char>(altered[at] ^ 1);
    auto s = fresh();
    expect_fault(s, altered, errc::box_not_opened);
  }
  EXPECT_EQ(drawn, 0U);
  auto s = fresh();
  expect_answer(s, hello, progress::more);
  EXPECT_EQ(drawn, 96U) << "a key, the key of the cookie, two nonces";
}

TEST(curve_server, a_bad_hello_is_rejected_with_its_error) {
  const auto fault_of = [](const std::string& hello, errc fault) {
    auto s = a_curve_server();
    expect_fault(s, hello, fault);
    expect_fault(s, curve_forger{}.hello(), errc::unexpected_command);
  };
  const auto hello = curve_forger{}.hello();
  for (std::size_t size = 6; size < hello.size(); ++size) {
    fault_of(hello.substr(0, size), errc::bad_command);
  }
  fault_of(hello + "x", errc::bad_command);
  fault_of("", errc::bad_command);
  for (const char* version : {"00 00", "01 01", "02 00", "ff ff"}) {
    curve_forger peer;
    peer.version = bytes(version);
    fault_of(peer.hello(), errc::bad_curve_version);
  }
  auto zero_key = hello;
  zero_key.replace(80, 32, 32, '\0');
  fault_of(zero_key, errc::box_not_opened);
  fault_of(bytes("07 'WELCOME'") + std::string(160, 'x'), errc::unexpected_command);
  fault_of(bytes("05 'READY'") + std::string(30, 'x'), errc::unexpected_command);
  fault_of(bytes("07 'MESSAGE'") + std::string(30, 'x'), errc::unexpected_command);
  fault_of(bytes("08 'INITIATE'") + std::string(300, 'x'), errc::unexpected_command);
  fault_of(bytes("05 'ERROR' 00"), errc::refused_by_peer);
}

TEST(curve_server, a_bad_initiate_is_rejected_with_its_error) {
  const auto fault_of = [](const curve_forger& peer, errc fault) {
    auto s = a_curve_server();
    expect_fault(s, peer.initiate(expect_answer(s, peer.hello(), progress::more)), fault);
    expect_fault(s, peer.hello(), errc::unexpected_command);
  };
  curve_forger equal_nonce;
  equal_nonce.initiate_nonce = 1;
  fault_of(equal_nonce, errc::nonce_not_increased);
  curve_forger large_nonce;
  large_nonce.hello_nonce = 77;
  fault_of(large_nonce, errc::nonce_not_increased);
  curve_forger steals_a_key;
  steals_a_key.claimed = other_keys.public_key;
  fault_of(steals_a_key, errc::bad_vouch);
  curve_forger zero_key;
  zero_key.claimed = {};
  fault_of(zero_key, errc::bad_vouch);
  curve_forger vouches_for_another;
  vouches_for_another.vouched = other_keys.public_key;
  fault_of(vouches_for_another, errc::bad_vouch);
  curve_forger of_another_server;
  of_another_server.vouched_server = other_keys.public_key;
  fault_of(of_another_server, errc::bad_vouch);
  curve_forger bad_metadata;
  bad_metadata.properties += "x";
  fault_of(bad_metadata, errc::bad_metadata);
}

TEST(curve_server, every_changed_byte_of_initiate_is_rejected) {
  const curve_forger peer;
  constexpr std::size_t size = 257 + 20;  // with the Socket-Type
  for (std::size_t at = 0; at < size; ++at) {
    auto s = a_curve_server();
    auto initiate = peer.initiate(expect_answer(s, peer.hello(), progress::more));
    ASSERT_EQ(initiate.size(), size);
    initiate[at] = static_cast<char>(initiate[at] ^ 0x10);
    std::string output;
    const auto step = s.on_command(initiate, output);
    ASSERT_FALSE(step) << at;
    if (at >= 9 && at < 105) {
      EXPECT_EQ(step.error(), errc::bad_cookie) << at;
    } else if (at >= 105) {
      EXPECT_EQ(step.error(), errc::box_not_opened) << at;
    }
  }
  for (std::size_t cut = 9; cut < 257; ++cut) {
    auto s = a_curve_server();
    const auto initiate = peer.initiate(expect_answer(s, peer.hello(), progress::more));
    expect_fault(s, initiate.substr(0, cut), errc::bad_command);
  }
}

TEST(curve_server, an_initiate_cannot_be_replayed) {
  const curve_forger peer;
  auto first = a_curve_server(1);
  const auto initiate = peer.initiate(expect_answer(first, peer.hello(), progress::more));
  expect_answer(first, initiate, progress::authentication);
  // Another connection, with the HELLO of the first.
  auto second = a_curve_server(2);
  expect_answer(second, peer.hello(), progress::more);
  expect_fault(second, initiate, errc::bad_cookie);
}

TEST(curve_server, the_limits_hold) {
  curve_forger peer;
  peer.properties = test::property("Socket-Type", "PUSH") + test::property("X-A", "");
  auto many = a_curve_server(2, {.metadata_properties = 1});
  expect_fault(many, peer.initiate(expect_answer(many, peer.hello(), progress::more)),
               errc::too_many_properties);
  auto large = a_curve_server(2, {.handshake_command_size = 300});
  peer.properties += test::property("X-B", std::string(100, 'b'));
  expect_fault(large, peer.initiate(expect_answer(large, peer.hello(), progress::more)),
               errc::command_too_large);
}

TEST(curve_server, a_refusal_sends_the_status_and_ends_the_handshake) {
  const curve_forger peer;
  auto s = a_curve_server();
  expect_answer(s, peer.initiate(expect_answer(s, peer.hello(), progress::more)),
                progress::authentication);
  std::string output;
  s.refuse("400", output);
  EXPECT_EQ(output, bytes("04 0a 05 'ERROR' 03 '400'"));
  expect_fault(s, peer.hello(), errc::unexpected_command);
}

TEST(curve_client, a_server_with_another_key_cannot_answer) {
  auto c = a_curve_client();
  const auto hello = started(c);
  curve_server_mechanism impostor{
      std::make_shared<curve_key_pair>(other_keys), {}, {}, test::fixed_random(2)};
  expect_fault(impostor, hello, errc::box_not_opened);
  // The server sends the WELCOME of a client that uses its own key.
  curve_client_mechanism its_client{std::make_shared<curve_client_options>(
                                        curve_client_options{other_keys.public_key, client_keys}),
                                    {},
                                    {},
                                    test::fixed_random(1)};
  curve_server_mechanism again{
      std::make_shared<curve_key_pair>(other_keys), {}, {}, test::fixed_random(2)};
  const auto welcome = expect_answer(again, started(its_client), progress::more);
  expect_fault(c, welcome, errc::box_not_opened);
}

TEST(curve_client, a_bad_welcome_or_ready_is_rejected_with_its_error) {
  auto good = a_curve_client();
  auto s = a_curve_server();
  const auto welcome = expect_answer(s, started(good), progress::more);
  const auto initiate = expect_answer(good, welcome, progress::more);
  expect_answer(s, initiate, progress::authentication);
  const auto ready = admitted(s);

  const auto welcome_fault = [&](const std::string& altered, errc fault) {
    auto c = a_curve_client();
    started(c);
    expect_fault(c, altered, fault);
    expect_fault(c, welcome, errc::unexpected_command);
  };
  for (std::size_t size = 8; size < welcome.size(); ++size) {
    welcome_fault(welcome.substr(0, size), errc::bad_command);
  }
  welcome_fault(welcome + "x", errc::bad_command);
  for (std::size_t at = 8; at < welcome.size(); ++at) {
    auto altered = welcome;
    altered[at] = static_cast<char>(altered[at] ^ 1);
    welcome_fault(altered, errc::box_not_opened);
  }
  welcome_fault(ready, errc::unexpected_command);
  welcome_fault(bytes("05 'READY'"), errc::unexpected_command);
  welcome_fault(bytes("05 'ERROR' 03 '400'"), errc::refused_by_peer);

  const auto ready_fault = [&](const std::string& altered, errc fault) {
    auto c = a_curve_client();
    started(c);
    expect_answer(c, welcome, progress::more);
    expect_fault(c, altered, fault);
    expect_fault(c, ready, errc::unexpected_command);
  };
  for (std::size_t size = 6; size < 30; ++size) {
    ready_fault(ready.substr(0, size), errc::bad_command);
  }
  for (std::size_t at = 14; at < ready.size(); ++at) {
    auto altered = ready;
    altered[at] = static_cast<char>(altered[at] ^ 1);
    ready_fault(altered, errc::box_not_opened);
  }
  auto zero_nonce = ready;
  zero_nonce.replace(6, 8, 8, '\0');
  ready_fault(zero_nonce, errc::nonce_not_increased);
  ready_fault(welcome, errc::unexpected_command);
  ready_fault(bytes("05 'ERROR' 03 '400'"), errc::refused_by_peer);
}

TEST(curve_client, the_error_of_the_server_is_stored) {
  auto c = a_curve_client();
  started(c);
  expect_fault(c, bytes("05 'ERROR' 03 '400'"), errc::refused_by_peer);
  EXPECT_EQ(c.error_reason(), "400");
}

TEST(curve_security, keys_that_do_not_fit_are_refused) {
  const auto rule_of = [](auto&& make) -> std::string {
    try {
      static_cast<void>(make());
    } catch (const boost::system::system_error& e) {
      EXPECT_EQ(e.code(), errc::bad_option);
      return e.what();
    }
    return "";
  };
  const curve_key_pair mixed{server_keys.public_key, client_keys.secret_key};
  EXPECT_NE(rule_of([&] { return curve_server({.keys = mixed}); }).find("keys must be"),
            std::string::npos);
  EXPECT_NE(rule_of([&] {
              return curve_client({.server_key = server_keys.public_key, .keys = mixed});
            }).find("keys must be"),
            std::string::npos);
  EXPECT_NE(rule_of([&] {
              return curve_client({.server_key = {}, .keys = client_keys});
            }).find("server_key must be"),
            std::string::npos);
  EXPECT_EQ(rule_of([&] { return curve_server({.keys = server_keys}); }), "");
}

TEST(curve_security, only_a_server_that_allows_any_client_needs_no_authenticator) {
  EXPECT_TRUE(curve_server({.keys = server_keys}).needs_authenticator);
  EXPECT_FALSE(curve_server({.keys = server_keys, .allow_any_client = true}).needs_authenticator);
  EXPECT_FALSE(curve_client({.server_key = server_keys.public_key, .keys = client_keys})
                   .needs_authenticator);
}

}  // namespace
}  // namespace zmtp
