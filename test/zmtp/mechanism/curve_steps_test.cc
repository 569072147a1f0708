// Every command of CURVE at every step of both sides, except where it belongs, and too large where it belongs.

#include "test/support/curve_forger.h"
#include "test/support/fixed_random.h"
#include "test/support/wire.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/mechanism/curve_client.h"
#include "zmtp/mechanism/curve_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::bytes;

std::unique_ptr<mechanism> fresh(bool of_server) {
  if (of_server) {
    return std::make_unique<curve_server_mechanism>(
        std::make_shared<curve_key_pair>(test::curve_forger::server_keys()), metadata{}, limits{},
        test::fixed_random(1));
  }
  return std::make_unique<curve_client_mechanism>(
      std::make_shared<curve_client_options>(curve_client_options{
          test::curve_forger::server_keys().public_key, test::curve_forger::client_keys()}),
      metadata{}, limits{}, test::fixed_random(2));
}

// Takes the command, and then decides in favor of the peer. Returns the body of the answer, or "".
std::string answer(mechanism& to, const std::string& body) {
  std::string output;
  auto progress = to.on_command(body, output).value();
  if (progress == mechanism::progress::authentication) {
    progress = to.authenticated(output);
  }
  if (progress == mechanism::progress::admission) {
    static_cast<void>(to.admit(output));
  }
  return output.empty() ? "" : test::content_of(output).commands.at(0);
}

// The handshake. Its random numbers are fixed, so each command is valid for every fresh() side.
struct recorded {
  std::string hello, welcome, initiate, ready;

  recorded() {
    const auto client = fresh(false);
    const auto server = fresh(true);
    std::string output;
    client->start(output);
    hello = test::content_of(output).commands.at(0);
    welcome = answer(*server, hello);
    initiate = answer(*client, welcome);
    ready = answer(*server, initiate);
  }
};

struct step {
  bool of_server;
  std::vector<std::string> before;      // commands of the peer
  std::optional<std::string> expected;  // the next one

  [[nodiscard]] std::unique_ptr<mechanism> reach() const {
    auto made = fresh(of_server);
    std::string output;
    made->start(output);
    for (const auto& command : before) {
      EXPECT_TRUE(made->on_command(command, output));
    }
    return made;
  }
};

std::vector<step> steps_of(const recorded& r) {
  return {{true, {}, r.hello},    {true, {r.hello}, r.initiate}, {true, {r.hello, r.initiate}, {}},
          {false, {}, r.welcome}, {false, {r.welcome}, r.ready}, {false, {r.welcome, r.ready}, {}}};
}

void expect_fault(const step& at, const std::string& command, errc fault) {
  const auto m = at.reach();
  std::string output;
  const auto result = m->on_command(command, output);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), fault);
  EXPECT_EQ(output, "");
  // A fault is the end of the handshake.
  const auto next = m->on_command(at.expected.value_or(command), output);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error(), errc::unexpected_command);
  EXPECT_EQ(output, "");
}

TEST(curve_steps, a_command_at_another_step_is_unexpected) {
  const recorded r;
  const std::vector<std::string> commands{r.hello,
                                          r.welcome,
                                          r.initiate,
                                          r.ready,
                                          bytes("07 'MESSAGE' 00*7 03") + std::string(40, 'x'),
                                          bytes("04 'PING' 00 00"),
                                          bytes("09 'SUBSCRIBE' 'A'"),
                                          bytes("01 'X'")};
  for (const auto& at : steps_of(r)) {
    for (const auto& command : commands) {
      SCOPED_TRACE(std::string{at.of_server ? "server" : "client"} + " behind " +
                   std::to_string(at.before.size()) + ", " + command.substr(1, 4));
      if (command == at.expected) {
        std::string output;
        EXPECT_TRUE(at.reach()->on_command(command, output));
      } else {
        expect_fault(at, command, errc::unexpected_command);
      }
    }
    expect_fault(at, bytes("05 'ERROR' 03 '400'"), errc::refused_by_peer);
    expect_fault(at, bytes("05 'ERROR' 09 '400'"), errc::bad_command);
  }
}

TEST(curve_steps, a_command_above_the_limit_is_too_large) {
  const recorded r;
  for (const auto& at : steps_of(r)) {
    auto large = at.expected.value_or(r.ready);
    large.resize(limits{}.handshake_command_size + 1, 'x');
    expect_fault(at, large, errc::command_too_large);
  }
}

}  // namespace
}  // namespace zmtp
