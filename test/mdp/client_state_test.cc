#include "mdp/client_state.h"

#include "mdp/request_error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace mdp {
namespace {

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
  // The one message that was sent.
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
  // The shell opens a new socket, which connects.
  void reconnect() {
    EXPECT_TRUE(actions.reopen);
    actions.reopen.reset();
    attach();
  }
  bool old() const { return GetParam() == version::v01; }
  std::uint64_t ignored(errc fault) {
    return state.invalid_messages()[static_cast<std::size_t>(fault)];
  }

  // May run twice. Without pauses, so that an attempt begins when the one before is over.
  client_state state{{.protocol = GetParam(), .idempotent = true, .backoff = 0ms},
                     1,
                     {0, 0, 0, 0, 0, 0, 0, 0, 'k'}};
  broker_announcement broker;
  request_options how;
  client_actions actions;
  client_state::time_point now{1h};
};

INSTANTIATE_TEST_SUITE_P(versions, client_dialog, testing::Values(version::v01, version::v02),
                         [](const auto& tested) {
                           return tested.param == version::v01 ? "v01" : "v02";
                         });

TEST_P(client_dialog, a_broker_that_closes_on_the_request_is_not_asked_for_ever) {
  attach();
  ask();
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_EQ(sent(), request());
    EXPECT_FALSE(actions.failure);
    state.on_detached(actions);
    if (!actions.failure) {
      reconnect();
    }
  }
  ASSERT_TRUE(actions.failure);
  EXPECT_EQ(*actions.failure, errc::no_reply);
  EXPECT_FALSE(state.in_flight());
}

TEST_P(client_dialog, request_and_reply) {  // MDP-5, MD1-1, MD1-3
  attach();
  for (const auto body : {"1"sv, "2"sv}) {
    EXPECT_FALSE(ask({body, "more"sv}));
    EXPECT_TRUE(state.in_flight());
    EXPECT_EQ(sent(), request({body, "more"sv}));
    hear({"reply to"sv, body});
    expect_reply({"reply to"sv, body});
  }
}

TEST_P(client_dialog, what_is_asked_before_the_connection_is_there_waits_for_it) {
  EXPECT_FALSE(ask());
  EXPECT_TRUE(actions.sends.empty());
  attach();
  EXPECT_EQ(sent(), request());
}

TEST_P(client_dialog, one_request_at_a_time) {
  attach();
  EXPECT_FALSE(ask());
  zmtp::message body{"second"sv};
  EXPECT_EQ(state.ask("echo", std::move(body), {}, now, actions), errc::request_in_flight);
  EXPECT_EQ(body, zmtp::message{"second"sv});  // NOLINT: not moved from
  EXPECT_EQ(sent(), request());
}

TEST_P(client_dialog, what_cannot_be_asked) {
  attach();
  EXPECT_EQ(state.ask("", {"x"sv}, {}, now, actions), errc::no_service);
  EXPECT_EQ(state.ask(std::string(256, 's'), {"x"sv}, {}, now, actions), errc::service_too_long);
  EXPECT_EQ(state.ask("echo", {}, {}, now, actions), errc::no_body);
  EXPECT_TRUE(actions.sends.empty());
  EXPECT_FALSE(state.in_flight());
  EXPECT_FALSE(state.ask("mmi.service", {"echo"sv}, {}, now, actions));
}

TEST_P(client_dialog, partial_replies) {  // MDP-9
  if (old()) {
    return;
  }
  attach();
  for (const int count : {0, 1, 1000}) {
    EXPECT_FALSE(ask());
    for (int i = 0; i < count; ++i) {
      pass(2s);  // each part has the whole time
      hear({std::to_string(i)}, false);
      EXPECT_FALSE(actions.reply);
    }
    ASSERT_EQ(actions.partials.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(actions.partials[static_cast<std::size_t>(i)], zmtp::message{std::to_string(i)});
    }
    hear({"end"sv});
    EXPECT_FALSE(actions.reopen);
    expect_reply({"end"sv});
  }
}

TEST_P(client_dialog, an_unanswered_request_is_repeated_on_a_new_connection) {  // MDP-11
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
  for (int attempt = 2; attempt <= 3; ++attempt) {
    pass(2499ms);
    EXPECT_FALSE(actions.reopen);
    pass(1ms);
    EXPECT_TRUE(actions.sends.empty());
    hear({"late"sv});  // of the former connection
    EXPECT_FALSE(actions.reply);
    reconnect();
    EXPECT_EQ(sent(), request());
  }
  hear({"reply"sv});
  expect_reply({"reply"sv});
}

TEST_P(client_dialog, after_three_attempts_it_is_unknown_what_became_of_it) {  // MDP-11, M6
  attach();
  EXPECT_FALSE(ask());
  for (int attempt = 1; attempt < 3; ++attempt) {
    pass(2500ms);
    EXPECT_FALSE(actions.failure);
    reconnect();
  }
  pass(2500ms);
  EXPECT_EQ(actions.failure, make_error_code(errc::no_reply));
  EXPECT_FALSE(state.in_flight());
  EXPECT_FALSE(state.next_deadline());
}

TEST_P(client_dialog, a_late_reply_is_not_taken_for_the_next) {  // M6, D3
  attach();
  client_state impatient{{.protocol = GetParam(), .attempts = 1}};
  impatient.on_attached({}, now, actions);
  EXPECT_FALSE(impatient.ask("echo", {"1"sv}, {}, now, actions));
  now += 2500ms;
  impatient.on_deadline(now, actions);
  EXPECT_TRUE(actions.failure);
  EXPECT_TRUE(actions.reopen);
  actions.clear();
  EXPECT_FALSE(impatient.ask("echo", {"2"sv}, {}, now, actions));
  EXPECT_TRUE(actions.sends.empty());  // not on the old connection
  zmtp::message late{"to 1"sv};
  push_client_reply(late, dialect_of(GetParam()), true, "echo");
  impatient.on_message(std::move(late), now, actions);
  EXPECT_FALSE(actions.reply);
  impatient.on_attached({}, now, actions);
  EXPECT_EQ(sent(), request({"2"sv}));
}

TEST_P(client_dialog, without_a_connection_it_was_not_sent) {  // M6
  EXPECT_FALSE(ask());
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_FALSE(actions.failure);
    pass(2500ms);
  }
  EXPECT_EQ(actions.failure, make_error_code(errc::not_connected));
}

TEST_P(client_dialog, a_lost_connection_repeats_the_request_at_once) {
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
  pass(1s);
  state.on_detached(actions);
  reconnect();
  EXPECT_EQ(sent(), request());
  EXPECT_EQ(state.next_deadline(), now + 1500ms);  // it is the same attempt
  hear({"reply"sv});
  expect_reply({"reply"sv});
  state.on_detached(actions);
  EXPECT_TRUE(actions.reopen);
}

TEST_P(client_dialog, a_reply_that_has_begun_is_not_begun_again) {  // B20
  if (old()) {
    return;
  }
  for (const bool lost : {true, false}) {
    attach();
    EXPECT_FALSE(ask());
    hear({"part"sv}, false);
    if (lost) {
      state.on_detached(actions);
    } else {
      pass(2500ms);
    }
    EXPECT_EQ(actions.failure, make_error_code(errc::reply_cut_short));
    EXPECT_TRUE(actions.reopen);
    actions.clear();
  }
}

TEST_P(client_dialog, nothing_counts_behind_the_last_part) {  // MDP-10
  attach();
  EXPECT_FALSE(ask());
  hear({"reply"sv});
  expect_reply({"reply"sv});
  hear({"again"sv});
  EXPECT_FALSE(actions.reply);
  EXPECT_EQ(ignored(errc::unsolicited_reply), 1U);
}

TEST_P(client_dialog, replies_of_other_services_are_ignored) {  // C3-16
  attach();
  EXPECT_FALSE(ask());
  hear({"x"sv}, true, "other");
  EXPECT_FALSE(actions.reply);
  EXPECT_EQ(ignored(errc::unsolicited_reply), 1U);
  hear({"reply"sv});
  expect_reply({"reply"sv});
}

TEST_P(client_dialog, what_is_wrong_is_ignored) {  // MDP-31
  attach();
  EXPECT_FALSE(ask());
  for (const auto& m :
       {zmtp::message{}, zmtp::message{"garbage"sv}, zmtp::message{"MDPC02"sv},
        zmtp::message{"MDPC01"sv, "echo"sv, "x"sv}, make_heartbeat(dialect_of(GetParam()))}) {
    state.on_message(zmtp::message{m}, now, actions);
  }
  zmtp::message foreign{"x"sv};
  push_client_reply(foreign, old() ? dialect::v02 : dialect::v01, true, "echo");
  state.on_message(std::move(foreign), now, actions);
  EXPECT_FALSE(actions.reply);
  hear({"reply"sv});
  expect_reply({"reply"sv});
}

TEST_P(client_dialog, cancelling_takes_the_connection_along) {
  state.cancel(actions);
  attach();
  state.cancel(actions);
  EXPECT_FALSE(actions.reopen);
  EXPECT_FALSE(ask());
  (void)sent();
  state.cancel(actions);
  EXPECT_TRUE(actions.reopen);
  EXPECT_FALSE(actions.failure);
  hear({"late"sv});
  EXPECT_FALSE(actions.reply);
  reconnect();
  EXPECT_TRUE(actions.sends.empty());
  EXPECT_FALSE(ask({"next"sv}));
  EXPECT_EQ(sent(), request({"next"sv}));
}

TEST_P(client_dialog, a_process_that_was_stopped_listens_before_it_judges) {  // M4
  attach();
  EXPECT_FALSE(ask());
  (void)sent();
  pass(60s);
  EXPECT_FALSE(actions.reopen);
  hear({"it was there already"sv});
  expect_reply({"it was there already"sv});
}

TEST_P(client_dialog, calling_early_does_nothing) {
  attach();
  state.on_deadline(now, actions);
  EXPECT_FALSE(ask());
  state.on_deadline(now + 1s, actions);
  EXPECT_FALSE(actions.reopen);
}

TEST_P(client_dialog, pauses_grow_between_attempts) {  // M6
  client_state tried{{.protocol = GetParam(),
                      .idempotent = true,
                      .attempts = 6,
                      .backoff = 100ms,
                      .longest_backoff = 300ms}};
  tried.on_attached({}, now, actions);
  EXPECT_FALSE(tried.ask("echo", {"x"sv}, {}, now, actions));
  for (const auto about : {100ms, 200ms, 300ms, 300ms, 300ms}) {
    now = tried.next_deadline().value();
    tried.on_deadline(now, actions);
    ASSERT_TRUE(actions.reopen);
    const auto pause = actions.reopen->delay;
    EXPECT_GE(pause, about / 2);
    EXPECT_LE(pause, about * 3 / 2);
    EXPECT_EQ(tried.next_deadline(), now + pause + 2500ms) << "an attempt has its whole time";
    actions.clear();
    tried.on_attached({}, now + pause, actions);
    EXPECT_EQ(actions.sends.size(), 1U);
    actions.clear();
  }
  now = tried.next_deadline().value();
  tried.on_deadline(now, actions);
  EXPECT_EQ(actions.failure, make_error_code(errc::no_reply));
}

TEST_P(client_dialog, a_request_has_its_own_attempts_and_time) {
  how = {.timeout = 10ms, .attempts = 1};
  attach();
  EXPECT_FALSE(ask());
  pass(10ms);
  EXPECT_EQ(actions.failure, make_error_code(errc::no_reply));
  actions.clear();
  how = {};
  EXPECT_FALSE(ask());
  pass(10ms);
  EXPECT_FALSE(actions.failure);
}

TEST_P(client_dialog, a_request_ends_in_all_with_what_is_known) {  // M6
  how.in_all = 3s;
  EXPECT_FALSE(ask());
  pass(2500ms);
  EXPECT_FALSE(actions.failure);
  pass(499ms);
  EXPECT_FALSE(actions.failure);
  pass(1ms);
  EXPECT_EQ(actions.failure, make_error_code(errc::not_connected));
  actions.clear();
  attach();
  EXPECT_FALSE(ask());
  // Held up for longer than that: the end is the end.
  pass(60s);
  EXPECT_EQ(actions.failure, make_error_code(errc::no_reply));
}

TEST_P(client_dialog, goes_to_the_next_broker_when_one_is_gone_or_silent) {
  state.on_unreachable(actions);
  ASSERT_TRUE(actions.reopen);
  EXPECT_TRUE(actions.reopen->elsewhere);
  actions.clear();
  attach();
  state.on_unreachable(actions);
  EXPECT_FALSE(actions.reopen) << "it was the connection before";
  EXPECT_FALSE(ask());
  pass(2500ms);
  ASSERT_TRUE(actions.reopen);
  EXPECT_TRUE(actions.reopen->elsewhere);
  reconnect();
  state.on_detached(actions);
  ASSERT_TRUE(actions.reopen);
  EXPECT_TRUE(actions.reopen->elsewhere);
  reconnect();
  state.cancel(actions);
  ASSERT_TRUE(actions.reopen);
  EXPECT_FALSE(actions.reopen->elsewhere) << "nothing is wrong with this one";
}

struct told {
  request_fault fault;
  request_outcome outcome;
  errc means;
};

TEST_P(client_dialog, a_broker_that_says_what_became_of_it_is_believed) {  // M6
  attach();
  for (const auto& [fault, outcome, means] :
       {told{request_fault::not_offered, request_outcome::refused, errc::not_offered},
        told{request_fault::waited_too_long, request_outcome::refused, errc::not_taken},
        told{request_fault::waited_too_long, request_outcome::unknown, errc::worker_lost},
        told{request_fault::worker_lost, request_outcome::unknown, errc::worker_lost},
        told{request_fault::too_large, request_outcome::unknown, errc::reply_too_large}}) {
    EXPECT_FALSE(ask());
    (void)sent();
    state.on_message(make_error(dialect_of(GetParam()), fault, outcome, "echo"), now, actions);
    EXPECT_EQ(actions.failure, make_error_code(means));
    EXPECT_FALSE(actions.reopen) << "nothing more comes of it";
    EXPECT_FALSE(state.in_flight());
    actions.clear();
  }
}

TEST_P(client_dialog,
       what_is_refused_after_an_attempt_without_an_answer_may_have_been_done) {  // M6
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
  pass(2500ms);
  reconnect();
  EXPECT_EQ(sent(), request());
  state.on_message(make_error(dialect_of(GetParam()), request_fault::not_offered,
                              request_outcome::refused, "echo"),
                   now, actions);
  EXPECT_EQ(actions.failure, make_error_code(errc::no_reply));
  EXPECT_FALSE(state.in_flight());
  // The next request has no such past.
  actions.clear();
  EXPECT_FALSE(ask());
  state.on_message(make_error(dialect_of(GetParam()), request_fault::not_offered,
                              request_outcome::refused, "echo"),
                   now, actions);
  EXPECT_EQ(actions.failure, make_error_code(errc::not_offered));
}

TEST_P(client_dialog, errors_of_other_requests_or_without_meaning_are_ignored) {
  attach();
  EXPECT_FALSE(ask());
  (void)sent();
  state.on_message(make_error(dialect_of(GetParam()), request_fault::not_offered,
                              request_outcome::refused, "other"),
                   now, actions);
  for (const auto& body : {zmtp::message{"404"sv}, zmtp::message{"404"sv, "perhaps"sv, "echo"sv},
                           zmtp::message{"405"sv, "refused"sv, "echo"sv},
                           zmtp::message{"404"sv, "refused"sv, "echo"sv, "more"sv}}) {
    hear(body, true, error_service);
  }
  EXPECT_FALSE(actions.failure);
  EXPECT_EQ(ignored(errc::unsolicited_reply), 5U);
  hear({"reply"sv});
  expect_reply({"reply"sv});
  hear({"404"sv, "refused"sv, "echo"sv}, true, error_service);
  EXPECT_FALSE(actions.failure) << "nothing was asked";
}

// A request that must not run twice.
class once_dialog : public client_dialog {
protected:
  static constexpr request_key first_key{0x01, 0, 0, 0, 0, 0, 0, 0, 'k'};
  static constexpr request_key second_key{0x02, 0, 0, 0, 0, 0, 0, 0, 'k'};

  once_dialog() {
    how.idempotent = false;
    broker.idempotency = 7;
  }
  void many_attempts() { how.attempts = 5; }
  zmtp::message attempt(std::uint32_t number, bool may_begin, const request_key& key = first_key) {
    zmtp::message body{"Hello"sv};
    push_client_request(body, GetParam(), "echo", keyed_attempt{key, number, may_begin});
    return body;
  }
  void hear_not_known(std::chrono::milliseconds memory) {
    state.on_message(make_not_known(dialect_of(GetParam()), "echo", memory), now, actions);
  }
  void expect_failure(errc why) {
    EXPECT_EQ(actions.failure, make_error_code(why));
    EXPECT_TRUE(actions.sends.empty());
    EXPECT_FALSE(state.in_flight());
  }
};

INSTANTIATE_TEST_SUITE_P(versions, once_dialog, testing::Values(version::v01, version::v02),
                         [](const auto& tested) {
                           return tested.param == version::v01 ? "v01" : "v02";
                         });

TEST_P(once_dialog, is_the_default_and_is_asked_once) {
  client_state plain{{.protocol = GetParam()}};
  plain.on_attached(broker, now, actions);
  EXPECT_FALSE(plain.ask("echo", {"Hello"sv}, {}, now, actions));
  EXPECT_EQ(sent(), request()) << "what is sent once needs no key";
  now += 2500ms;
  plain.on_deadline(now, actions);
  expect_failure(errc::no_reply);
}

TEST_P(once_dialog, is_not_repeated_when_the_connection_is_lost) {
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
  state.on_detached(actions);
  expect_failure(errc::no_reply);
}

TEST_P(once_dialog, may_be_sent_after_attempts_that_were_not) {
  many_attempts();
  EXPECT_FALSE(ask());
  pass(2500ms);
  EXPECT_FALSE(actions.failure);
  broker.idempotency.reset();
  reconnect();
  EXPECT_EQ(sent(), request());
}

TEST_P(once_dialog, is_asked_once_of_a_stock_broker_whatever_attempts_are_wanted) {
  many_attempts();
  broker = {};
  for (const bool lost : {true, false}) {
    attach();
    EXPECT_FALSE(ask());
    EXPECT_EQ(sent(), request()) << "nothing new is on the wire";
    if (lost) {
      state.on_detached(actions);
    } else {
      pass(2500ms);
    }
    expect_failure(errc::no_reply);
    actions.clear();
  }
}

TEST_P(once_dialog, has_a_key_where_the_broker_knows_it_again) {
  many_attempts();
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), attempt(1, true));
  pass(2500ms);
  ASSERT_TRUE(actions.reopen);
  EXPECT_FALSE(actions.reopen->elsewhere) << "another broker would not know it";
  reconnect();
  EXPECT_EQ(sent(), attempt(2, false));
  state.on_detached(actions);
  EXPECT_FALSE(actions.reopen->elsewhere);
  reconnect();
  EXPECT_EQ(sent(), attempt(3, false));
  hear({"reply"sv});
  expect_reply({"reply"sv});
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), attempt(1, true, second_key)) << "a key is of one request";
}

TEST_P(once_dialog, ends_as_unknown_after_its_attempts) {
  how.attempts = 2;
  attach();
  EXPECT_FALSE(ask());
  pass(2500ms);
  EXPECT_FALSE(actions.failure);
  (void)sent();
  reconnect();
  (void)sent();
  pass(2500ms);
  expect_failure(errc::no_reply);
}

TEST_P(once_dialog, ends_where_another_broker_is_in_its_place) {
  many_attempts();
  for (const auto& other : {broker_announcement{}, broker_announcement{.idempotency = 8}}) {
    broker.idempotency = 7;
    attach();
    EXPECT_FALSE(ask());
    (void)sent();
    state.on_detached(actions);
    EXPECT_FALSE(actions.failure);
    broker = other;
    reconnect();
    expect_failure(errc::broker_replaced);
    actions.clear();
    // The connection is good for the next request.
    EXPECT_FALSE(ask());
    EXPECT_EQ(actions.sends.size(), 1U);
    hear({"reply"sv});
    expect_reply({"reply"sv});
  }
}

TEST_P(once_dialog, waits_for_its_own_broker_when_that_is_not_there) {
  many_attempts();
  attach();
  EXPECT_FALSE(ask());
  state.on_detached(actions);
  actions.clear();
  state.on_unreachable(actions);
  ASSERT_TRUE(actions.reopen);
  EXPECT_FALSE(actions.reopen->elsewhere);
  actions.clear();
  state.cancel(actions);
  state.on_unreachable(actions);
  EXPECT_TRUE(actions.reopen->elsewhere) << "the next request may go to another";
}

TEST_P(once_dialog, is_sent_as_new_if_the_broker_cannot_have_forgotten_it) {
  many_attempts();
  attach();
  EXPECT_FALSE(ask());
  (void)sent();
  pass(2500ms);
  reconnect();
  (void)sent();
  hear_not_known(2501ms);
  EXPECT_FALSE(actions.failure);
  EXPECT_EQ(sent(), attempt(3, true));
  hear({"reply"sv});
  expect_reply({"reply"sv});
}

TEST_P(once_dialog, is_sent_as_new_if_the_broker_has_forgotten_nothing) {
  many_attempts();
  attach();
  EXPECT_FALSE(ask());
  (void)sent();
  pass(2500ms);
  reconnect();
  (void)sent();
  hear_not_known(std::chrono::milliseconds::max());
  EXPECT_FALSE(actions.failure);
  EXPECT_EQ(sent(), attempt(3, true));
}

TEST_P(once_dialog, ends_if_the_broker_may_have_forgotten_it) {
  many_attempts();
  attach();
  EXPECT_FALSE(ask());
  (void)sent();
  pass(2500ms);
  reconnect();
  (void)sent();
  hear_not_known(2500ms);
  expect_failure(errc::request_forgotten);
}

TEST_P(once_dialog, that_was_refused_was_not_carried_out_in_any_attempt) {
  many_attempts();
  attach();
  EXPECT_FALSE(ask());
  (void)sent();
  pass(2500ms);
  reconnect();
  (void)sent();
  state.on_message(make_error(dialect_of(GetParam()), request_fault::not_offered,
                              request_outcome::refused, "echo"),
                   now, actions);
  expect_failure(errc::not_offered);
}

TEST_P(once_dialog, that_may_run_twice_has_no_key) {
  how.idempotent = true;
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
  pass(2500ms);
  EXPECT_TRUE(actions.reopen->elsewhere);
  broker = {};
  reconnect();
  EXPECT_EQ(sent(), request());
}

}  // namespace
}  // namespace mdp
