#pragma once
// A client_state, with the part of its shell and of the broker. Tests run with both versions of MDP.

#include "mdp/client_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mdp {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

class client_dialog : public testing::TestWithParam<version> {
public:
  void attach() { state.on_attached(broker, now, actions); }
  boost::system::error_code ask(zmtp::message body = {"Hello"sv}) {
    return state.ask("echo", std::move(body), how, now, actions);
  }
  zmtp::message request(zmtp::message body = {"Hello"sv}) {
    push_client_request(body, GetParam(), "echo");
    return body;
  }
  // Returns the message that the client has sent, and clears the list. At most one message is expected.
  zmtp::message sent() {
    EXPECT_LE(actions.sends.size(), 1U);
    auto m = actions.sends.empty() ? zmtp::message{} : actions.sends.front();
    actions.sends.clear();
    return m;
  }
  void hear(zmtp::message body, bool final = true, std::string_view service = "echo") {
    push_client_reply(body, dialect_of(GetParam()), final, service);
    state.on_message(std::move(body), now, actions);
  }
  void expect_reply(zmtp::message body) {
    ASSERT_TRUE(actions.reply);
    EXPECT_EQ(*actions.reply, body);
    EXPECT_FALSE(actions.failure);
    EXPECT_FALSE(state.in_flight());
    actions.clear();
  }
  void pass(std::chrono::milliseconds time) {
    now += time;
    if (const auto due = state.next_deadline(); due && *due <= now) {
      state.on_deadline(now, actions);
    }
  }
  // Does what the shell does: opens a new socket, which connects.
  void reconnect() {
    EXPECT_TRUE(actions.reopen);
    actions.reopen.reset();
    attach();
  }
  bool old() const { return GetParam() == version::v01; }
  std::uint64_t ignored(errc fault) {
    return state.invalid_messages()[static_cast<std::size_t>(fault)];
  }

  // Requests may run twice. An attempt starts without a pause when the previous attempt is over.
  client_state state{{.protocol = GetParam(), .idempotent = true, .backoff = 0ms},
                     1,
                     {0, 0, 0, 0, 0, 0, 0, 0, 'k'}};
  broker_announcement broker;
  request_options how;
  client_actions actions;
  client_state::time_point now{1h};
};

inline auto both_versions() { return testing::Values(version::v01, version::v02); }

inline std::string name_of_version(const testing::TestParamInfo<version>& tested) {
  return tested.param == version::v01 ? "v01" : "v02";
}

}  // namespace mdp
