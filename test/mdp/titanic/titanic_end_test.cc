// A draining Titanic completes its operations and begins no others.

#include "test/mdp/titanic/titanic_fixture.h"

namespace mdp::titanic {
namespace {

TEST_F(titanic_test, a_drain_without_requests_ends_at_once) {
  state->drain();
  EXPECT_TRUE(state->drained());
}

TEST_F(titanic_test, a_drain_waits_until_a_request_is_stored) {
  ask("echo", "1");
  state->drain();
  EXPECT_FALSE(state->drained());
  store_all();
  EXPECT_EQ(answer()[0], "200");
  EXPECT_TRUE(state->drained());
  pass(1h);
  EXPECT_TRUE(actions.dispatches.empty()) << "the request waits for the next start";
  EXPECT_EQ(ask_for_reply(id_of(1)), zmtp::message{"300"});
}

TEST_F(titanic_test, a_drain_waits_for_services_and_stores_their_replies) {
  const auto first = accept("echo", "1");
  const auto second = accept("echo", "2");
  const auto third = accept("echo", "3");
  look_up("echo", "200");
  ASSERT_EQ(actions.dispatches.size(), 2U) << "the limit in flight";
  const auto given = std::exchange(actions.dispatches, {});
  state->drain();
  EXPECT_FALSE(state->drained());
  end(given[0].id, {"one"});
  store_all();
  EXPECT_FALSE(state->drained()) << "the second attempt has no reply";
  end(given[1].id, {"two"});
  EXPECT_FALSE(state->drained()) << "the reply is not stored";
  store_all();
  EXPECT_TRUE(state->drained());
  EXPECT_TRUE(actions.dispatches.empty());
  EXPECT_EQ(ask_for_reply(first), (zmtp::message{"200", "one"}));
  EXPECT_EQ(ask_for_reply(second), (zmtp::message{"200", "two"}));
  EXPECT_EQ(ask_for_reply(third), zmtp::message{"300"});
}

TEST_F(titanic_test, a_drain_does_not_repeat_a_failed_attempt) {
  accept("echo", "1");
  look_up("echo", "200");
  const auto given = dispatched();
  state->drain();
  pass(10s);
  fail(given.id, mdp::errc::no_reply);
  ASSERT_EQ(actions.operations.size(), 1U);
  EXPECT_EQ(actions.operations[0].what, operation::count_attempt);
  EXPECT_FALSE(state->drained());
  store_all();
  EXPECT_TRUE(state->drained());
  pass(1h);
  EXPECT_TRUE(actions.dispatches.empty());
}

TEST_F(titanic_test, a_drain_does_not_wait_for_a_lookup) {
  accept("echo", "1");
  const auto asked = dispatched();
  state->drain();
  EXPECT_TRUE(state->drained());
  end(asked.id, {"200"});
  EXPECT_TRUE(actions.dispatches.empty());
}

TEST_F(titanic_test, a_drain_waits_for_room_for_a_reply) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  state->drain();
  fail_all(zmtp::storage_errc::store_full);
  EXPECT_FALSE(state->drained());
  pass(2s);
  store_all();
  EXPECT_TRUE(state->drained());
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
}

}  // namespace
}  // namespace mdp::titanic
