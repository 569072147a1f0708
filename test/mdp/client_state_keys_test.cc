// Requests that must not run twice: a client repeats such a request only with its idempotency key, and only to the
// broker that got the first attempt.
#include "mdp/request_error.h"
#include "test/mdp/client_state_fixture.h"

namespace mdp {
namespace {

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

INSTANTIATE_TEST_SUITE_P(versions, once_dialog, both_versions(), name_of_version);

TEST_P(once_dialog, is_the_default_and_is_asked_once) {
  client_state plain{{.protocol = GetParam()}};
  plain.on_attached(broker, now, actions);
  EXPECT_FALSE(plain.ask("echo", {"Hello"sv}, {}, now, actions));
  EXPECT_EQ(sent(), request()) << "what is sent once needs no key";
  now += 2500ms;
  plain.on_deadline(now, actions);
  expect_failure(errc::no_reply);
}

TEST_P(once_dialog, represents_a_principal_at_a_broker_that_takes_principals) {
  how.on_behalf_of = "alice";
  attach();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request()) << "another broker would take the frame for a service";
  hear({"reply"sv});
  expect_reply({"reply"sv});

  broker.principals = true;
  attach();
  EXPECT_FALSE(ask());
  zmtp::message represented{"Hello"sv};
  push_client_request(represented, GetParam(), "echo", {}, "alice");
  EXPECT_EQ(sent(), represented);
  hear({"reply"sv});
  expect_reply({"reply"sv});

  how.on_behalf_of.reset();
  EXPECT_FALSE(ask());
  EXPECT_EQ(sent(), request());
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
