#include "mdp/worker_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mdp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

TEST(worker_principals, come_if_worker_and_broker_have_announced_them) {
  for (const bool reads : {false, true}) {
    for (const bool sends : {false, true}) {
      worker_options options{.service = "echo"};
      options.reads_principals = reads;
      worker_state state{options};
      worker_actions actions;
      const worker_state::time_point now{1h};
      state.on_attached(false, now, actions, sends);
      zmtp::message asked{"x"sv};
      const bool comes = reads && sends;
      push_worker_request(asked, dialect::v02, "address",
                          comes ? std::optional{"alice"sv} : std::nullopt);
      state.on_message(std::move(asked), now, actions);
      ASSERT_EQ(actions.requests.size(), 1U);
      EXPECT_EQ(actions.requests[0].body, zmtp::message{"x"sv});
      EXPECT_EQ(actions.requests[0].principal,
                comes ? std::optional<std::string>{"alice"} : std::nullopt);
    }
  }
}

class worker_conversation : public testing::TestWithParam<version> {
public:
  void attach() {
    state.on_attached(false, now, actions);
    EXPECT_EQ(sent(), make_ready(GetParam(), "echo"));
  }
  void hear(zmtp::message m) { state.on_message(std::move(m), now, actions); }
  void hear_request(std::string_view address, zmtp::message body) {
    push_worker_request(body, how, address);
    hear(std::move(body));
  }
  void hear_heartbeat() { hear(make_heartbeat(how)); }
  // The one request that arrived.
  worker_actions::request taken() {
    EXPECT_EQ(actions.requests.size(), 1U);
    auto one = actions.requests.empty() ? worker_actions::request{} : actions.requests.front();
    actions.requests.clear();
    return one;
  }
  // The oldest that was sent.
  zmtp::message sent() {
    if (actions.sends.empty()) {
      return {};
    }
    auto m = actions.sends.front();
    actions.sends.erase(actions.sends.begin());
    return m;
  }
  zmtp::message reply_frames(std::string_view address, zmtp::message body, bool final = true) {
    push_worker_reply(body, GetParam(), final, address);
    return body;
  }
  boost::system::error_code reply(std::uint64_t id, zmtp::message body = {"x"sv}) {
    return state.reply(id, std::move(body), now, actions);
  }
  // Time passes; the heartbeats that were sent meanwhile.
  std::size_t pass(std::chrono::milliseconds time) {
    const auto until = now + time;
    std::size_t heartbeats = 0;
    while (state.next_deadline() && *state.next_deadline() <= until) {
      now = std::max(now, *state.next_deadline());
      state.on_deadline(now, actions);
      for (auto m = sent(); !m.empty(); m = sent()) {
        EXPECT_EQ(m, make_heartbeat(how));
        ++heartbeats;
      }
    }
    now = until;
    return heartbeats;
  }
  std::uint64_t ignored(errc fault) {
    return state.invalid_messages()[static_cast<std::size_t>(fault)];
  }

  const dialect how = dialect_of(GetParam());
  worker_state state{{.service = "echo", .protocol = GetParam()}};
  worker_actions actions;
  worker_state::time_point now{1h};
};

INSTANTIATE_TEST_SUITE_P(versions, worker_conversation, testing::Values(version::v01, version::v02),
                         [](const auto& tested) {
                           return tested.param == version::v01 ? "v01" : "v02";
                         });

TEST_P(worker_conversation, returning_a_request_without_nack_ends_the_conversation) {
  for (const auto reason : {nack_reason::refused, nack_reason::failed}) {
    actions.clear();
    attach();
    hear_request("A", {"one"sv});
    const auto one = taken();
    EXPECT_FALSE(state.give_back(one.id, reason, now, actions));
    EXPECT_TRUE(actions.sends.empty());
    EXPECT_TRUE(actions.reopen);
    EXPECT_FALSE(state.in_conversation());
    EXPECT_EQ(reply(one.id), errc::no_request);
    EXPECT_EQ(state.give_back(one.id, reason, now, actions), errc::no_request);
    actions.clear();
    attach();
    hear_request("B", {"two"sv});
    const auto two = taken();
    EXPECT_EQ(reply(two.id), boost::system::error_code{});
    // A request that was answered cannot be given back any more.
    actions.clear();
    EXPECT_EQ(state.give_back(two.id, reason, now, actions), errc::no_request);
    EXPECT_FALSE(actions.reopen);
    EXPECT_TRUE(state.in_conversation());
  }
}

TEST_P(worker_conversation, a_nack_costs_one_request_alone) {
  worker_state wide{{.service = "echo", .protocol = GetParam(), .in_flight = 3}};
  wide.on_attached(true, now, actions);
  (void)sent();
  for (const auto address : {"a"sv, "b"sv, "c"sv}) {
    zmtp::message asked{"x"sv};
    push_worker_request(asked, how, address);
    wide.on_message(std::move(asked), now, actions);
  }
  ASSERT_EQ(actions.requests.size(), 3U);
  EXPECT_FALSE(wide.give_back(actions.requests[1].id, nack_reason::failed, now, actions));
  EXPECT_EQ(sent(), make_nack(GetParam(), nack_reason::failed, "b"));
  EXPECT_FALSE(wide.give_back(actions.requests[0].id, nack_reason::refused, now, actions));
  EXPECT_EQ(sent(), make_nack(GetParam(), nack_reason::refused, "a"));
  EXPECT_EQ(wide.give_back(actions.requests[0].id, nack_reason::refused, now, actions),
            errc::no_request);
  EXPECT_FALSE(actions.reopen);
  EXPECT_TRUE(wide.in_conversation());
  EXPECT_EQ(wide.requests_in_flight(), 1U);
  EXPECT_FALSE(wide.reply(actions.requests[2].id, {"x"sv}, now, actions));
  EXPECT_EQ(sent(), reply_frames("c", {"x"sv}));
}

TEST_P(worker_conversation, sends_ready_first) {  // MDP-23
  EXPECT_FALSE(state.next_deadline());
  hear_request("a", {"too early"sv});
  EXPECT_TRUE(actions.requests.empty());
  attach();
  EXPECT_TRUE(state.in_conversation());
  EXPECT_TRUE(actions.sends.empty());
}

TEST_P(worker_conversation, sends_ready_once) {  // MDP-25
  attach();
  for (int i = 0; i < 24; ++i) {
    EXPECT_EQ(pass(2500ms), 1U);
    hear_heartbeat();
  }
  EXPECT_FALSE(actions.reopen);
}

TEST_P(worker_conversation, replies_with_the_address_of_the_request) {  // MDP-18, 35, 36, MD1-4
  attach();
  const std::string address("\0any bytes\xff", 12);
  hear_request(address, {"Hello"sv, "world"sv});
  const auto request = taken();
  EXPECT_EQ(request.body, (zmtp::message{"Hello"sv, "world"sv}));
  EXPECT_EQ(state.requests_in_flight(), 1U);
  EXPECT_FALSE(reply(request.id, {"Hi"sv, "there"sv}));
  EXPECT_EQ(sent(), reply_frames(address, {"Hi"sv, "there"sv}));
  EXPECT_EQ(state.requests_in_flight(), 0U);
}

TEST_P(worker_conversation, replies_once) {  // MDP-34, MD1-5
  attach();
  hear_request("a", {"1"sv});
  const auto first = taken();
  EXPECT_EQ(reply(first.id + 1), errc::no_request);
  EXPECT_FALSE(reply(first.id));
  EXPECT_EQ(reply(first.id), errc::no_request);
  EXPECT_EQ(state.reply_in_part(first.id, {"x"sv}, now, actions),
            GetParam() == version::v01 ? errc::partial_not_possible : errc::no_request);
  hear_request("a", {"2"sv});
  EXPECT_EQ(reply(first.id), errc::no_request);
  EXPECT_FALSE(reply(taken().id));
  EXPECT_EQ(actions.sends.size(), 2U);
}

TEST_P(worker_conversation, partial_replies) {  // MDP-17, MDP-34
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  for (const auto part : {"1"sv, "2"sv, "3"sv}) {
    const auto ec = state.reply_in_part(id, {part}, now, actions);
    if (GetParam() == version::v01) {
      EXPECT_EQ(ec, errc::partial_not_possible);
      EXPECT_TRUE(actions.sends.empty());
    } else {
      EXPECT_FALSE(ec);
      EXPECT_EQ(sent(), reply_frames("a", {part}, false));
    }
  }
  EXPECT_FALSE(reply(id));
  EXPECT_EQ(sent(), reply_frames("a", {"x"sv}));
}

TEST_P(worker_conversation, an_empty_reply_needs_a_frame) {
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  EXPECT_EQ(reply(id, {}), errc::no_body);
  EXPECT_FALSE(reply(id, {""sv}));
}

TEST_P(worker_conversation,
       heartbeats_each_interval_in_which_nothing_else_was_sent) {  // MDP-39, 40
  attach();
  std::size_t heartbeats = 0;
  for (int i = 0; i < 10; ++i) {
    heartbeats += pass(2500ms);
    hear_heartbeat();
  }
  EXPECT_EQ(heartbeats, 10U);
  for (int i = 0; i < 10; ++i) {
    hear_request("a", {"1"sv});
    EXPECT_FALSE(reply(taken().id));
    (void)sent();
    EXPECT_EQ(pass(2s), 0U);
  }
}

TEST_P(worker_conversation, heartbeats_while_it_works) {  // MDP-37
  attach();
  hear_request("a", {"1"sv});
  EXPECT_EQ(pass(7s), 2U);
}

TEST_P(worker_conversation,
       a_silent_broker_is_dead_between_three_and_five_intervals) {  // MDP-41, 42
  attach();
  pass(7499ms);
  EXPECT_FALSE(actions.reopen);
  pass(1ms);
  EXPECT_EQ(actions.reopen, 2500ms);
  EXPECT_FALSE(state.in_conversation());
  EXPECT_FALSE(state.next_deadline());
  actions.clear();
  attach();
}

TEST_P(worker_conversation, any_command_is_a_sign_of_life) {  // MDP-38
  attach();
  for (int i = 0; i < 5; ++i) {
    pass(7s);
    hear_request("a", {"1"sv});
    EXPECT_FALSE(reply(taken().id));
    (void)sent();
  }
  EXPECT_FALSE(actions.reopen);
}

TEST_P(worker_conversation,
       sends_nothing_after_disconnect_and_opens_a_new_socket) {  // MDP-32, 33
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  hear(make_disconnect(how));
  EXPECT_EQ(actions.reopen, 0ms);
  EXPECT_EQ(reply(id), errc::no_request);
  hear_request("a", {"2"sv});
  EXPECT_EQ(pass(60s), 0U);
  EXPECT_TRUE(actions.sends.empty());
  EXPECT_TRUE(actions.requests.empty());
  actions.clear();
  attach();
  hear_request("a", {"3"sv});
  EXPECT_EQ(reply(id), errc::no_request);  // a request of the former conversation
  EXPECT_FALSE(reply(taken().id));
}

TEST_P(worker_conversation, a_lost_connection_ends_the_conversation) {  // C3-8
  state.on_detached(actions);
  EXPECT_FALSE(actions.reopen);
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  state.on_detached(actions);
  EXPECT_EQ(actions.reopen, 0ms);
  EXPECT_EQ(reply(id), errc::no_request);
  EXPECT_TRUE(actions.sends.empty());
}

TEST_P(worker_conversation, silence_of_a_broker_while_the_worker_is_busy) {  // C3-4
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  pass(1min);
  if (GetParam() == version::v02) {
    EXPECT_TRUE(actions.reopen);
    return;
  }
  // Brokers of the Guide send no heartbeats to busy workers.
  EXPECT_FALSE(actions.reopen);
  EXPECT_FALSE(reply(id));
  (void)sent();
  pass(7499ms);
  EXPECT_FALSE(actions.reopen);
  pass(1ms);
  EXPECT_TRUE(actions.reopen);
}

TEST_P(worker_conversation, silence_of_a_broker_that_spoke_while_it_worked) {  // C3-4
  attach();
  hear_request("a", {"1"sv});
  hear_heartbeat();
  pass(7499ms);
  EXPECT_FALSE(actions.reopen);
  pass(1ms);
  EXPECT_TRUE(actions.reopen);
}

TEST_P(worker_conversation, stopping) {  // C3-7, MDP-27
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  state.stop(actions);
  EXPECT_EQ(sent(), GetParam() == version::v02 ? make_disconnect(how) : zmtp::message{});
  EXPECT_FALSE(actions.reopen);
  EXPECT_EQ(reply(id), errc::no_request);
  EXPECT_FALSE(state.next_deadline());
}

TEST_P(worker_conversation, draining_answers_the_request_in_flight_and_accepts_no_other) {
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  state.drain(now, actions);
  EXPECT_FALSE(actions.drained);
  hear_request("b", {"2"sv});
  EXPECT_TRUE(actions.requests.empty()) << "the broker gives it to another";
  hear_heartbeat();
  EXPECT_EQ(pass(2500ms), 1U) << "it lives as long as it works";
  EXPECT_FALSE(reply(id));
  EXPECT_EQ(sent(), reply_frames("a", {"x"sv}));
  EXPECT_EQ(sent(), GetParam() == version::v02 ? make_disconnect(how) : zmtp::message{});
  EXPECT_TRUE(actions.drained);
  EXPECT_FALSE(actions.reopen);
  EXPECT_FALSE(state.next_deadline());
}

TEST_P(worker_conversation, draining_waits_for_all_requests_in_flight) {
  worker_state wide{{.service = "echo", .protocol = GetParam(), .in_flight = 2}};
  wide.on_attached(false, now, actions);
  for (const auto address : {"a"sv, "b"sv}) {
    zmtp::message asked{"x"sv};
    push_worker_request(asked, how, address);
    wide.on_message(std::move(asked), now, actions);
  }
  ASSERT_EQ(actions.requests.size(), 2U);
  wide.drain(now, actions);
  EXPECT_FALSE(wide.reply(actions.requests[1].id, {"2"sv}, now, actions));
  EXPECT_FALSE(actions.drained);
  EXPECT_FALSE(wide.reply(actions.requests[0].id, {"1"sv}, now, actions));
  EXPECT_TRUE(actions.drained);
}

TEST_P(worker_conversation, draining_is_over_at_once_without_a_request) {
  state.drain(now, actions);
  EXPECT_TRUE(actions.drained);
  state.on_attached(false, now, actions);
  EXPECT_TRUE(actions.sends.empty()) << "it comes no more";
}

TEST_P(worker_conversation, draining_is_over_with_the_connection) {
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  state.drain(now, actions);
  state.on_detached(actions);
  EXPECT_TRUE(actions.drained);
  EXPECT_FALSE(actions.reopen) << "it is not to come back";
  EXPECT_EQ(reply(id), errc::no_request);
}

TEST_P(worker_conversation, draining_is_over_with_a_request_that_is_given_back) {
  attach();
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  state.drain(now, actions);
  EXPECT_FALSE(state.give_back(id, nack_reason::failed, now, actions));
  EXPECT_TRUE(actions.drained);
  EXPECT_FALSE(actions.reopen);
}

TEST_P(worker_conversation, draining_gives_back_what_comes_and_ends_with_the_brokers_disconnect) {
  state.on_attached(true, now, actions);
  EXPECT_EQ(sent(), make_ready(GetParam(), "echo"));
  hear_request("a", {"1"sv});
  const auto id = taken().id;
  state.drain(now, actions);
  EXPECT_EQ(sent(), make_drain(GetParam()));
  hear_request("b", {"2"sv});
  EXPECT_TRUE(actions.requests.empty());
  EXPECT_EQ(sent(), make_nack(GetParam(), nack_reason::refused, "b"));
  EXPECT_FALSE(reply(id));
  EXPECT_EQ(sent(), reply_frames("a", {"x"sv}));
  EXPECT_FALSE(actions.drained) << "the broker may have sent another before it received the drain";
  hear_request("c", {"3"sv});
  EXPECT_EQ(sent(), make_nack(GetParam(), nack_reason::refused, "c"));
  hear(make_disconnect(how));
  EXPECT_TRUE(actions.drained);
  EXPECT_TRUE(actions.sends.empty());
  EXPECT_FALSE(actions.reopen) << "it is not to come back";
}

TEST_P(worker_conversation, draining_without_a_request_waits_for_the_brokers_disconnect) {
  state.on_attached(true, now, actions);
  actions.clear();
  state.drain(now, actions);
  state.drain(now, actions);
  EXPECT_EQ(sent(), make_drain(GetParam()));
  EXPECT_TRUE(actions.sends.empty()) << "it is sent once";
  EXPECT_FALSE(actions.drained);
  hear(make_disconnect(how));
  EXPECT_TRUE(actions.drained);
}

TEST_P(worker_conversation, draining_is_over_when_the_broker_is_dead) {
  state.on_attached(true, now, actions);
  actions.clear();
  state.drain(now, actions);
  actions.clear();
  pass(7500ms);
  EXPECT_TRUE(actions.drained);
  EXPECT_FALSE(actions.reopen);
}

TEST_P(worker_conversation, a_request_above_its_capacity_is_refused) {
  state.on_attached(true, now, actions);
  actions.clear();
  hear_request("a", {"1"sv});
  hear_request("b", {"2"sv});
  EXPECT_EQ(sent(), make_nack(GetParam(), nack_reason::refused, "b"));
  EXPECT_EQ(ignored(errc::surplus_request), 1U);
  EXPECT_FALSE(reply(taken().id));
}

TEST_P(worker_conversation, stopping_sends_disconnect_if_configured) {
  for (const bool say : {true, false}) {
    worker_state one{{.service = "echo", .protocol = GetParam(), .say_disconnect = say}};
    actions.clear();
    one.stop(actions);
    EXPECT_TRUE(actions.sends.empty());
    one.on_attached(false, now, actions);
    actions.clear();
    one.stop(actions);
    EXPECT_EQ(actions.sends.size(), say ? 1U : 0U);
  }
}

TEST_P(worker_conversation,
       reads_pending_messages_after_a_pause_before_it_leaves_the_broker) {  // M4
  attach();
  now += 70s;
  state.on_deadline(now, actions);
  EXPECT_FALSE(actions.reopen);
  EXPECT_EQ(sent(), make_heartbeat(how));
  hear_heartbeat();
  pass(5s);
  EXPECT_FALSE(actions.reopen);
  now += 70s;
  state.on_deadline(now, actions);
  (void)sent();
  pass(2500ms);
  EXPECT_TRUE(actions.reopen);
}

TEST_P(worker_conversation, ignores_malformed_messages) {  // MDP-31
  attach();
  for (const auto& m : {zmtp::message{}, zmtp::message{"garbage"sv}, zmtp::message{"MDPW02"sv},
                        zmtp::message{""sv, "MDPW01"sv}, make_ready(GetParam(), "echo"),
                        make_heartbeat(GetParam() == version::v01 ? dialect::v02 : dialect::v01)}) {
    hear(m);
  }
  EXPECT_TRUE(actions.requests.empty());
  EXPECT_TRUE(actions.sends.empty());
  EXPECT_EQ(ignored(errc::no_header), 1U);
  EXPECT_EQ(ignored(errc::misdirected_command), 1U);
  hear_request("a", {"1"sv});
  EXPECT_FALSE(reply(taken().id));
  // The message is not a sign of life either.
  actions.clear();
  pass(7499ms);
  hear({"garbage"sv});
  pass(1ms);
  EXPECT_TRUE(actions.reopen);
}

TEST_P(worker_conversation, a_request_above_its_capacity_is_ignored) {
  attach();
  hear_request("a", {"1"sv});
  hear_request("b", {"2"sv});
  EXPECT_EQ(ignored(errc::surplus_request), 1U);
  EXPECT_FALSE(reply(taken().id));
}

TEST_P(worker_conversation, replies_to_several_requests_in_flight_in_any_order) {
  worker_state one{{.service = "echo", .protocol = GetParam(), .in_flight = 3}};
  one.on_attached(false, now, actions);
  (void)sent();
  for (const auto address : {"a"sv, "b"sv, "c"sv}) {
    zmtp::message m{address};
    push_worker_request(m, how, address);
    one.on_message(std::move(m), now, actions);
  }
  ASSERT_EQ(actions.requests.size(), 3U);
  for (const std::size_t i : {1U, 0U, 2U}) {
    const auto& request = actions.requests[i];
    auto body = request.body;
    EXPECT_FALSE(one.reply(request.id, std::move(body), now, actions));
    EXPECT_EQ(sent(), reply_frames(request.body.front(), request.body));
  }
}

}  // namespace
}  // namespace mdp
