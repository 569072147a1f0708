// Requests that may run twice: when a client repeats a request, on which connection, and when it gives up.
#include "test/mdp/client_state_fixture.h"

#include <utility>

namespace mdp {
namespace {

using client_attempts = client_dialog;

INSTANTIATE_TEST_SUITE_P(versions, client_attempts, both_versions(), name_of_version);

TEST_P(client_attempts, end_if_the_broker_always_closes_on_the_request) {
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

TEST_P(client_attempts, an_unanswered_request_is_repeated_on_a_new_connection) {  // MDP-11
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
  for (int attempt = 2; attempt <= 3; ++attempt) {
    pass(2499ms);
    EXPECT_FALSE(actions.reopen);
    pass(1ms);
    EXPECT_TRUE(actions.sends.empty());
    hear({"late"sv});  // on the old connection
    EXPECT_FALSE(actions.reply);
    reconnect();
    EXPECT_EQ(sent(), request());
  }
  hear({"reply"sv});
  expect_reply({"reply"sv});
}

TEST_P(client_attempts, the_outcome_is_unknown_after_three_attempts) {  // MDP-11, M6
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

TEST_P(client_attempts, a_late_reply_is_not_taken_for_the_next) {  // M6, D3
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

TEST_P(client_attempts, without_a_connection_it_was_not_sent) {  // M6
  EXPECT_FALSE(ask());
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_FALSE(actions.failure);
    pass(2500ms);
  }
  EXPECT_EQ(actions.failure, make_error_code(errc::not_connected));
}

TEST_P(client_attempts, a_lost_connection_repeats_the_request_at_once) {
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
  pass(1s);
  state.on_detached(actions);
  reconnect();
  EXPECT_EQ(sent(), request());
  EXPECT_EQ(state.next_deadline(), now + 1500ms);  // the attempt is the same
  hear({"reply"sv});
  expect_reply({"reply"sv});
  state.on_detached(actions);
  EXPECT_TRUE(actions.reopen);
}

TEST_P(client_attempts, a_reply_that_has_begun_is_not_begun_again) {  // B20
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

TEST_P(client_attempts, a_process_that_was_stopped_listens_before_it_judges) {  // M4
  attach();
  EXPECT_FALSE(ask());
  (void)sent();
  pass(60s);
  EXPECT_FALSE(actions.reopen);
  hear({"it was there already"sv});
  expect_reply({"it was there already"sv});
}

TEST_P(client_attempts, calling_early_does_nothing) {
  attach();
  state.on_deadline(now, actions);
  EXPECT_FALSE(ask());
  state.on_deadline(now + 1s, actions);
  EXPECT_FALSE(actions.reopen);
}

TEST_P(client_attempts, pauses_grow_between_attempts) {  // M6
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
    EXPECT_LE(pause, about);
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

TEST_P(client_attempts, a_request_has_its_own_attempts_and_time) {
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

TEST_P(client_attempts, a_request_ends_in_all_with_what_is_known) {  // M6
  how.total_timeout = 3s;
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
  // The process was paused, but the time for the whole request is over.
  pass(60s);
  EXPECT_EQ(actions.failure, make_error_code(errc::no_reply));
}

TEST_P(client_attempts, go_to_the_next_broker_after_a_disconnect_or_timeout) {
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

}  // namespace
}  // namespace mdp
