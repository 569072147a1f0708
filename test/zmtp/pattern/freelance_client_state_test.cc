#include "zmtp/pattern/freelance_client_state.h"

#include "zmtp/pattern/freelance_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

constexpr std::uint64_t session = 0x0123'4567'89ab'cdef;

class freelance_run : public testing::TestWithParam<freelance_model> {
public:
  void attach(std::size_t server) { state().on_attached(server, now, actions); }
  void detach(std::size_t server) { state().on_detached(server, now, actions); }
  std::uint64_t ask(std::string_view what, bool idempotent = false) {
    const auto asked = state().ask(message{what}, {.idempotent = idempotent}, now, actions);
    EXPECT_TRUE(asked);
    return asked ? *asked : 0;
  }
  void hear(std::size_t server, message m) {
    state().on_message(server, std::move(m), now, actions);
  }
  // The answer to a call, as its control frame would be sent back.
  message answer_to(std::uint64_t call, std::string_view what) {
    const auto control = control_frame{session, call}.bytes();
    message m{std::string_view{control.data(), control.size()}, what};
    if (how().model == freelance_model::shotgun) {
      m.push_front({});
    }
    return m;
  }
  void answer(std::size_t server, std::uint64_t call, std::string_view what) {
    hear(server, answer_to(call, what));
  }
  // Returns the servers that were sent a call since the last check, in order.
  std::vector<std::size_t> sent_to(std::uint64_t call) {
    std::vector<std::size_t> who;
    auto all = std::exchange(actions.sends, {});
    for (auto& one : all) {
      if (one.call == call) {
        who.push_back(one.server);
      } else {
        actions.sends.push_back(std::move(one));
      }
    }
    return who;
  }
  // Returns the servers that were sent a PING.
  std::vector<std::size_t> pinged() {
    for (const auto& one : actions.sends) {
      EXPECT_TRUE(one.call != 0 || one.content == message{"PING"sv});
    }
    return sent_to(0);
  }
  // How calls have ended since this was asked last.
  std::vector<freelance_client_actions::ending> ends() { return std::exchange(actions.ends, {}); }
  void expect_answer(std::uint64_t call, std::string_view what) {
    const auto ended = ends();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended.front().call, call);
    EXPECT_FALSE(ended.front().failure);
    EXPECT_EQ(ended.front().answer, message{what});
  }
  void expect_failure(std::uint64_t call, call_errc why) {
    const auto ended = ends();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended.front().call, call);
    EXPECT_EQ(ended.front().failure, why);
  }
  void pass(std::chrono::milliseconds time) {
    const auto end = now + time;
    while (state().next_deadline() && *state().next_deadline() <= end) {
      now = std::max(now, *state().next_deadline());
      state().on_deadline(now, actions);
    }
    now = end;
  }
  virtual freelance_client_options how() const { return {.model = GetParam()}; }
  freelance_client_state& state() {
    if (!state_) {
      state_.emplace(how(), 3, session);
    }
    return *state_;
  }

  freelance_client_state::time_point now{1h};
  freelance_client_actions actions;

private:
  std::optional<freelance_client_state> state_;
};

class freelances : public freelance_run {};

INSTANTIATE_TEST_SUITE_P(models, freelances,
                         testing::Values(freelance_model::shotgun, freelance_model::directed),
                         [](const auto& tested) {
                           return tested.param == freelance_model::shotgun ? "shotgun" : "directed";
                         });

// Servers fall silent in turn, with unanswered calls and open connections.
TEST_P(freelances, an_unresponsive_server_costs_an_idempotent_call_two_ping_timeouts) {
  constexpr auto round_trip = 1ms;
  auto longest = 0ms;
  for (std::size_t server = 0; server != 3; ++server) {
    attach(server);
  }
  for (std::size_t flaps = 0; flaps != 30; ++flaps) {
    const auto silent = flaps % 3;
    for (int i = 0; i != 20; ++i) {
      const auto call = ask("body", true);
      const auto begun = now;
      while (actions.ends.empty() && now - begun < 10s) {
        const auto sends = std::exchange(actions.sends, {});
        pass(round_trip);
        for (const auto& one : sends) {
          if (one.server == silent) {
            continue;
          }
          one.call == 0 ? hear(one.server, message{"PONG"sv})
                        : answer(one.server, one.call, "answer");
        }
      }
      longest =
          std::max(longest, std::chrono::duration_cast<std::chrono::milliseconds>(now - begun));
      expect_answer(call, "answer");
    }
    // The server connects again before the next one falls silent.
    detach(silent);
    attach(silent);
    actions.sends.clear();
  }
  EXPECT_LE(longest, 2 * how().ping_timeout + 2 * round_trip);
  if (GetParam() == freelance_model::shotgun) {
    EXPECT_LE(longest, round_trip) << "the others are asked at once";
  } else {
    EXPECT_GE(longest, how().ping_timeout) << "no server with a call in hand fell silent";
  }
}

// FLP-2
TEST_P(freelances, control_frame_is_a_session_and_a_number) {
  attach(0);
  const auto call = ask("body");
  ASSERT_EQ(actions.sends.size(), 1U);
  auto sent = actions.sends.front().content;
  if (GetParam() == freelance_model::shotgun) {
    EXPECT_EQ(sent.front(), ""sv);
    sent.pop_front();
  }
  EXPECT_EQ(sent.front(), "\x01\x23\x45\x67\x89\xab\xcd\xef\0\0\0\0\0\0\0\1"sv);
  EXPECT_EQ(control_frame::parse(sent.front()), (control_frame{session, call}));
  EXPECT_EQ(sent.back(), "body"sv);
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_FALSE(control_frame::parse("PING"));
}

TEST_P(freelances, a_call_ends_with_the_first_answer_and_once) {
  attach(0);
  const auto first = ask("1");
  const auto second = ask("2");
  answer(0, second, "to the second");
  expect_answer(second, "to the second");
  answer(0, second, "again");
  answer(1, second, "late");
  EXPECT_TRUE(ends().empty());
  EXPECT_EQ(state().counters().surplus, 2U);
  answer(0, first, "to the first");
  expect_answer(first, "to the first");
  EXPECT_EQ(state().in_flight(), 0U);
}

TEST_P(freelances, malformed_answers_are_counted) {
  attach(0);
  const auto call = ask("1");
  hear(0, {"1"sv, "OK"sv});
  hear(0, {""sv, "1"sv, "OK"sv});
  hear(0, {"1"sv});
  hear(0, {""sv});
  hear(0, answer_to(call + 1, "of the future"));
  hear(0, answer_to(0, "zero"));
  auto other = answer_to(call, "of another session");
  const auto foreign = control_frame{session + 1, call}.bytes();
  message m{std::string_view{foreign.data(), foreign.size()}, "x"sv};
  if (GetParam() == freelance_model::shotgun) {
    m.push_front({});
  }
  hear(0, m);
  // An answer without a body.
  const auto own = control_frame{session, call}.bytes();
  hear(0, message{std::string_view{own.data(), own.size()}});
  EXPECT_EQ(state().counters().invalid, 8U);
  EXPECT_TRUE(ends().empty());
  answer(0, call, "OK");
  expect_answer(call, "OK");
}

TEST_P(freelances, a_call_waits_for_the_first_server) {
  const auto call = ask("1");
  EXPECT_TRUE(sent_to(call).empty());
  attach(2);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{2});
  const auto never = ask("2");
  detach(2);
  pass(3s);
  const auto ended = ends();
  ASSERT_EQ(ended.size(), 2U) << "sent, lost and not to be repeated; " << never;
  EXPECT_EQ(ended[0].failure, call_errc::no_answer);
}

TEST_P(freelances, a_call_without_a_connected_server_was_not_sent) {
  const auto call = ask("1");
  pass(2'999ms);
  EXPECT_TRUE(ends().empty());
  pass(1ms);
  expect_failure(call, call_errc::not_sent);
  EXPECT_FALSE(state().next_deadline());
}

TEST_P(freelances, a_call_that_may_run_once_goes_to_one_server) {
  attach(0);
  attach(1);
  const auto call = ask("1");
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{0});
  attach(2);
  pass(2'999ms);
  EXPECT_TRUE(sent_to(call).empty());
  pass(1ms);
  expect_failure(call, call_errc::no_answer);
}

TEST_P(freelances, the_outcome_of_a_call_is_unknown_if_its_server_is_lost) {
  attach(0);
  attach(1);
  const auto call = ask("1");
  static_cast<void>(sent_to(call));
  detach(0);
  expect_failure(call, call_errc::no_answer);
  EXPECT_TRUE(sent_to(call).empty());
}

TEST_P(freelances, an_idempotent_call_is_resent_to_a_server_that_reconnects) {
  attach(1);
  const auto call = ask("1", true);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{1});
  detach(1);
  EXPECT_TRUE(ends().empty());
  attach(1);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{1});
  answer(1, call, "OK");
  expect_answer(call, "OK");
}

TEST_P(freelances, a_call_that_a_server_does_not_take_goes_to_the_next) {
  attach(0);
  attach(1);
  const auto call = ask("1");
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{0});
  state().on_not_taken(0, call, now, actions);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{1});
  state().on_not_taken(1, call, now, actions);
  EXPECT_TRUE(sent_to(call).empty());
  detach(0);
  detach(1);
  EXPECT_TRUE(ends().empty()) << "the call was never sent";
  pass(3s);
  expect_failure(call, call_errc::not_sent);
}

TEST_P(freelances, calls_are_limited_and_cancelled) {
  attach(0);
  std::vector<std::uint64_t> calls;
  for (int i = 0; i < 1'000; ++i) {
    calls.push_back(ask("1"));
  }
  EXPECT_EQ(state().ask(message{"1"sv}, {}, now, actions).error(), call_errc::too_many_calls);
  state().cancel(calls.front());
  EXPECT_TRUE(ends().empty());
  static_cast<void>(ask("2"));
  answer(0, calls.front(), "late");
  EXPECT_TRUE(ends().empty());
  EXPECT_EQ(state().counters().surplus, 1U);
  for (const auto call : calls) {
    state().cancel(call);
  }
  EXPECT_EQ(state().in_flight(), 1U);
}

TEST_P(freelances, a_call_can_have_its_own_timeout) {
  attach(0);
  const auto call = state().ask(message{"1"sv}, {.timeout = 10ms}, now, actions);
  pass(10ms);
  expect_failure(call.value(), call_errc::no_answer);
}

TEST_P(freelances, restart_the_timeout_after_a_pause_of_the_client) {
  attach(0);
  const auto call = ask("1");
  now += 1min;
  state().on_deadline(now, actions);
  EXPECT_TRUE(ends().empty());
  answer(0, call, "was there all the time");
  expect_answer(call, "was there all the time");
}

class shotgun : public freelance_run {};
INSTANTIATE_TEST_SUITE_P(models, shotgun, testing::Values(freelance_model::shotgun));

TEST_P(shotgun, asks_all_servers_at_once_and_any_that_connect_later) {
  attach(0);
  attach(1);
  const auto call = ask("1", true);
  EXPECT_EQ(sent_to(call), (std::vector<std::size_t>{0, 1}));
  attach(2);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{2});
  answer(1, call, "OK");
  expect_answer(call, "OK");
  answer(0, call, "OK");
  answer(2, call, "OK");
  EXPECT_EQ(state().counters().surplus, 2U);
  pass(1h);
  EXPECT_TRUE(pinged().empty());
}

class directed : public freelance_run {};
INSTANTIATE_TEST_SUITE_P(models, directed, testing::Values(freelance_model::directed));

// FLP-1, FLP-5
TEST_P(directed, unresponsive_servers_are_pinged) {
  attach(0);
  attach(1);
  pass(1'999ms);
  EXPECT_TRUE(pinged().empty());
  pass(1ms);
  EXPECT_EQ(pinged(), (std::vector<std::size_t>{0, 1}));
  hear(0, {"PONG"sv});
  hear(1, {"PONG"sv});
  EXPECT_EQ(state().counters().invalid, 0U);
  pass(1'999ms);
  EXPECT_TRUE(pinged().empty());
  pass(1ms);
  EXPECT_EQ(pinged(), (std::vector<std::size_t>{0, 1}));
}

// FLP-5
TEST_P(directed, the_next_server_is_asked_after_an_unanswered_ping) {
  attach(0);
  attach(1);
  const auto call = ask("1", true);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{0});
  pass(500ms);
  EXPECT_EQ(pinged(), std::vector<std::size_t>{0});
  EXPECT_TRUE(sent_to(call).empty());
  pass(500ms);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{1});
  EXPECT_EQ(state().counters().passed_over, 1U);
  answer(1, call, "OK");
  expect_answer(call, "OK");
  // This server gets the calls from now on, even if the other server is connected again.
  hear(0, {"PONG"sv});
  const auto next = ask("2", true);
  EXPECT_EQ(sent_to(next), std::vector<std::size_t>{1});
}

TEST_P(directed, a_server_that_works_and_answers_pings_is_not_passed_over) {
  attach(0);
  attach(1);
  const auto call = ask("1", true);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{0});
  for (int i = 0; i < 3; ++i) {
    pass(500ms);
    EXPECT_EQ(pinged(), std::vector<std::size_t>{0});
    hear(0, {"PONG"sv});
  }
  EXPECT_TRUE(sent_to(call).empty());
  answer(0, call, "OK");
  expect_answer(call, "OK");
}

TEST_P(directed, idempotent_calls_of_a_lost_server_go_to_the_next) {
  attach(0);
  attach(1);
  const auto call = ask("1", true);
  static_cast<void>(sent_to(call));
  detach(0);
  EXPECT_EQ(sent_to(call), std::vector<std::size_t>{1});
}

TEST_P(directed, unresponsive_servers_are_asked_only_if_there_is_no_other) {
  attach(0);
  const auto first = ask("1");
  pass(3s);
  expect_failure(first, call_errc::no_answer);
  const auto second = ask("2");
  EXPECT_EQ(sent_to(second), std::vector<std::size_t>{0});
  pass(3s);
  expect_failure(second, call_errc::no_answer);
  const auto third = ask("3");
  EXPECT_TRUE(sent_to(third).empty());
  static_cast<void>(pinged());
  pass(2s);
  EXPECT_FALSE(pinged().empty());
  hear(0, {"PONG"sv});
  EXPECT_EQ(sent_to(third), std::vector<std::size_t>{0});
}

TEST_P(directed, an_idempotent_call_is_at_each_server_once) {
  for (const auto server : {0U, 1U, 2U}) {
    attach(server);
  }
  const auto call = state().ask(message{"1"sv}, {.idempotent = true, .timeout = 1h}, now, actions);
  pass(1min);
  EXPECT_EQ(sent_to(call.value()), (std::vector<std::size_t>{0, 1, 2}));
}

TEST_P(directed, a_client_that_was_paused_skips_no_server) {
  attach(0);
  attach(1);
  const auto call = state().ask(message{"1"sv}, {.idempotent = true, .timeout = 1h}, now, actions);
  static_cast<void>(sent_to(call.value()));
  pass(500ms);
  EXPECT_EQ(pinged(), std::vector<std::size_t>{0});
  now += 1min;
  state().on_deadline(now, actions);
  EXPECT_TRUE(sent_to(call.value()).empty());
}

}  // namespace
}  // namespace zmtp
