#include "zmtp/pattern/freelance_server_state.h"

#include "zmtp/pattern/call_error.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

constexpr peer_id peer_a{1, 1};
constexpr peer_id peer_b{2, 1};
using sends = std::vector<std::pair<peer_id, message>>;

class freelance_servers : public testing::Test {
public:
  void hear(freelance_server_state& of, peer_id client, message m, bool sessions = false) {
    of.on_message(client, sessions, std::move(m), now, actions);
  }
  // The one request for the user.
  freelance_server_actions::request request() {
    auto all = std::exchange(actions.requests, {});
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? freelance_server_actions::request{} : std::move(all.front());
  }
  void reply(freelance_server_state& of, std::uint64_t id, std::string_view what) {
    EXPECT_FALSE(of.reply(id, message{what}, now, actions));
  }
  sends sent() { return std::exchange(actions.sends, {}); }

  freelance_server_state::time_point now{1h};
  freelance_server_actions actions;
};

TEST_F(freelance_servers, plain_requests_are_a_reqs) {
  freelance_server_state server{{.form = freelance_form::plain}};
  hear(server, peer_a, {"hop"sv, ""sv, "Hello"sv, "world"sv});
  const auto asked = request();
  EXPECT_EQ(asked.body, (message{"Hello"sv, "world"sv}));
  reply(server, asked.id, "OK");
  EXPECT_EQ(sent(), (sends{{peer_a, {"hop"sv, ""sv, "OK"sv}}}));
  EXPECT_EQ(server.reply(asked.id, message{"again"sv}, now, actions), call_errc::no_request);
  hear(server, peer_a, {""sv, "PING"sv});
  EXPECT_EQ(request().body, message{"PING"sv});
}

TEST_F(freelance_servers, sequenced_requests_have_a_number_that_comes_back) {
  freelance_server_state server{{.form = freelance_form::sequenced}};
  hear(server, peer_a, {""sv, "17"sv, "random name"sv});
  const auto asked = request();
  EXPECT_EQ(asked.body, message{"random name"sv});
  reply(server, asked.id, "OK");
  EXPECT_EQ(sent(), (sends{{peer_a, {""sv, "17"sv, "OK"sv}}}));
}

// FLP-1
TEST_F(freelance_servers, ping_is_answered_with_pong) {
  freelance_server_state server{{}};
  hear(server, peer_a, {"PING"sv});
  EXPECT_EQ(sent(), (sends{{peer_a, {"PONG"sv}}}));
  EXPECT_TRUE(actions.requests.empty());
  EXPECT_EQ(server.counters().pings, 1U);
}

// FLP-2
TEST_F(freelance_servers, the_control_frame_is_returned_unchanged) {
  freelance_server_state server{{}};
  for (const auto control : {"1"sv, "\0\1\377 binary"sv, ""sv, "PING"sv}) {
    hear(server, peer_a, {control, "random name"sv});
    const auto asked = request();
    EXPECT_EQ(asked.body, message{"random name"sv});
    reply(server, asked.id, "OK");
    EXPECT_EQ(sent(), (sends{{peer_a, {control, "OK"sv}}}));
  }
}

TEST_F(freelance_servers, an_empty_frame_after_the_control_frame_is_removed) {
  freelance_server_state server{{}};
  hear(server, peer_a, {"1"sv, ""sv, "random name"sv});
  EXPECT_EQ(request().body, message{"random name"sv});
  hear(server, peer_a, {"2"sv, ""sv});
  EXPECT_EQ(request().body, message{""sv});
  // For a Zinc client, the empty frame is part of the message.
  hear(server, peer_a, {"3"sv, ""sv, "second part"sv}, true);
  EXPECT_EQ(request().body, (message{""sv, "second part"sv}));
}

TEST_F(freelance_servers, malformed_requests_are_counted) {
  freelance_server_state plain{{.form = freelance_form::plain}};
  hear(plain, peer_a, {"x"sv});
  hear(plain, peer_a, {"x"sv, ""sv});
  EXPECT_EQ(plain.counters().invalid, 2U);
  freelance_server_state sequenced{{.form = freelance_form::sequenced}};
  hear(sequenced, peer_a, {""sv, "17"sv});
  hear(sequenced, peer_a, {"17"sv, "body"sv});
  EXPECT_EQ(sequenced.counters().invalid, 2U);
  freelance_server_state flp{{}};
  hear(flp, peer_a, {"17"sv});
  EXPECT_EQ(flp.counters().invalid, 1U);
  EXPECT_TRUE(actions.requests.empty());
}

TEST_F(freelance_servers, without_a_reply_cache_a_repeated_request_is_executed_again) {
  freelance_server_state server{{}};
  hear(server, peer_a, {"1"sv, "x"sv});
  reply(server, request().id, "first");
  hear(server, peer_a, {"1"sv, "x"sv});
  reply(server, request().id, "second");
  EXPECT_EQ(server.counters().requests, 2U);
}

TEST_F(freelance_servers, with_a_reply_cache_a_repeated_request_is_executed_once) {
  freelance_server_state server{{.keep_replies = reply_cache_options{}}};
  hear(server, peer_a, {"1"sv, "x"sv});
  reply(server, request().id, "first");
  static_cast<void>(sent());
  hear(server, peer_a, {"1"sv, "x"sv});
  EXPECT_TRUE(actions.requests.empty());
  EXPECT_EQ(sent(), (sends{{peer_a, {"1"sv, "first"sv}}}));
  EXPECT_EQ(server.counters().repeated, 1U);
  // The number of one client is not another's.
  hear(server, peer_b, {"1"sv, "x"sv});
  reply(server, request().id, "of another");
  EXPECT_EQ(sent(), (sends{{peer_b, {"1"sv, "of another"sv}}}));
}

TEST_F(freelance_servers, a_repeated_request_is_recognized_on_any_connection) {
  freelance_server_state server{{.keep_replies = reply_cache_options{}}};
  hear(server, peer_a, {"session and number"sv, "x"sv}, true);
  const auto asked = request();
  // The request is still in progress: the reply goes to the last connection that asked.
  hear(server, peer_b, {"session and number"sv, "x"sv}, true);
  EXPECT_TRUE(actions.requests.empty());
  reply(server, asked.id, "first");
  EXPECT_EQ(sent(), (sends{{peer_b, {"session and number"sv, "first"sv}}}));
  hear(server, peer_a, {"session and number"sv, "x"sv}, true);
  EXPECT_EQ(sent(), (sends{{peer_a, {"session and number"sv, "first"sv}}}));
  EXPECT_EQ(server.counters().requests, 1U);
  EXPECT_EQ(server.counters().repeated, 2U);
}

TEST_F(freelance_servers, a_dropped_request_is_executed_when_the_client_repeats_it) {
  freelance_server_state server{{.keep_replies = reply_cache_options{}}};
  hear(server, peer_a, {"1"sv, "x"sv});
  server.drop(request().id);
  hear(server, peer_a, {"1"sv, "x"sv});
  reply(server, request().id, "second");
  server.drop(1);
}

TEST_F(freelance_servers, clients_are_not_read_at_the_limit) {
  freelance_server_state server{{.in_flight = 2}};
  hear(server, peer_a, {"1"sv, "x"sv});
  const auto first = request();
  EXPECT_TRUE(server.wants_requests());
  hear(server, peer_a, {"2"sv, "x"sv});
  EXPECT_FALSE(server.wants_requests());
  reply(server, first.id, "OK");
  EXPECT_TRUE(server.wants_requests());
}

}  // namespace
}  // namespace zmtp
