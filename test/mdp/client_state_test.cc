// One attempt of a request: the message, its reply, and the error that a broker sends instead.
#include "mdp/client_state.h"

#include "mdp/request_error.h"
#include "test/mdp/client_state_fixture.h"

#include <string>
#include <utility>

namespace mdp {
namespace {

INSTANTIATE_TEST_SUITE_P(versions, client_dialog, both_versions(), name_of_version);

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
  EXPECT_EQ(state.ask("echo", {"x"sv}, {.timeout = std::chrono::milliseconds::max()}, now, actions),
            errc::bad_option);
  EXPECT_EQ(
      state.ask("echo", {"x"sv}, {.total_timeout = std::chrono::milliseconds::max()}, now, actions),
      errc::bad_option);
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

struct notified {
  request_fault fault;
  request_outcome outcome;
  errc means;
};

TEST_P(client_dialog, a_broker_that_says_what_became_of_it_is_believed) {  // M6
  attach();
  for (const auto& [fault, outcome, means] :
       {notified{request_fault::not_offered, request_outcome::refused, errc::not_offered},
        notified{request_fault::waited_too_long, request_outcome::refused, errc::not_taken},
        notified{request_fault::waited_too_long, request_outcome::unknown, errc::worker_lost},
        notified{request_fault::worker_lost, request_outcome::unknown, errc::worker_lost},
        notified{request_fault::too_large, request_outcome::unknown, errc::reply_too_large}}) {
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

}  // namespace
}  // namespace mdp
