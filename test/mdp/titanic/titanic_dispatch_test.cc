// Titanic's decisions, by scripts: the requests that services get, their number at once, and their attempts.

#include "test/mdp/titanic/titanic_fixture.h"

namespace mdp::titanic {
namespace {

TEST_F(titanic_test, a_request_waits_for_its_service_without_using_up_its_attempts) {  // TSP-15
  const auto id = accept("echo", "body");
  look_up("echo", "404");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(actions.dispatches.empty());
    pass(2s);
    look_up("echo", "404");
  }
  pass(2s);
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  store_all();
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
  EXPECT_EQ(state->status(now).counters.unanswered, 0U);
}

TEST_F(titanic_test, looks_up_a_missing_service_with_growing_pauses) {
  accept("echo", "body");
  look_up("echo", "404");
  for (const auto wait : {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms}) {
    pass(wait - 1ms);
    EXPECT_TRUE(actions.dispatches.empty());
    pass(1ms);
    look_up("echo", "404");
  }
}

TEST_F(titanic_test, a_broker_without_mmi_is_given_the_request) {
  accept("echo", "body");
  look_up("echo", "501");
  EXPECT_EQ(dispatched().service, "echo");
}

TEST_F(titanic_test, while_there_is_no_broker_nothing_is_counted) {
  accept("echo", "body");
  for (int i = 0; i < 10; ++i) {
    fail(dispatched().id, mdp::errc::not_connected);
    pass(2s);
  }
  look_up("echo", "200");
  for (int i = 0; i < 10; ++i) {
    // Lost on the way, before the deadline.
    pass(1s);
    fail(dispatched().id, mdp::errc::no_reply);
    EXPECT_TRUE(actions.operations.empty());
    pass(2s);
    look_up("echo", "200");
  }
  EXPECT_EQ(state->status(now).counters.interrupted, 10U);
  EXPECT_EQ(state->status(now).counters.unanswered, 0U);
}

// A broker of Zinc reports the loss of a worker before the deadline.
TEST_F(titanic_test, a_request_that_costs_workers_has_no_more_attempts_than_another) {
  const auto id = accept("echo", "poison");
  for (std::uint32_t i = 1; i <= 3; ++i) {
    look_up("echo", "200");
    const auto given = dispatched();
    pass(1ms);
    fail(given.id, mdp::errc::worker_lost);
    store_all();
    pass(2s);
  }
  EXPECT_EQ(state->status(now).counters.given_up, 1U);
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"500"});
}

// A worker that fails or refuses the request keeps its registration, so nothing else ends this.
TEST_F(titanic_test, a_request_that_workers_fail_or_refuse_is_given_up) {
  for (const auto why : {mdp::errc::request_failed, mdp::errc::request_refused}) {
    const auto id = accept("echo", "poison");
    for (std::uint32_t i = 1; i <= 3; ++i) {
      look_up("echo", "200");
      const auto given = dispatched();
      pass(1ms);
      fail(given.id, why);
      store_all();
      pass(2s);
    }
    EXPECT_EQ(ask_for_reply(id), zmtp::message{"500"});
  }
  EXPECT_EQ(state->status(now).counters.given_up, 2U);
  EXPECT_EQ(state->status(now).counters.interrupted, 0U);
}

TEST_F(titanic_test, a_broker_without_a_worker_that_has_time_costs_no_attempt) {
  accept("echo", "body");
  look_up("echo", "200");
  for (const auto why : {mdp::errc::not_offered, mdp::errc::not_taken}) {
    pass(1ms);
    fail(dispatched().id, why);
    EXPECT_TRUE(actions.operations.empty());
    pass(2s);
    look_up("echo", "200");
  }
  EXPECT_EQ(state->status(now).counters.interrupted, 2U);
}

TEST_F(titanic_test, after_its_last_attempt_a_request_is_given_up_and_stays_so) {
  const auto id = accept("echo", "poison");
  for (std::uint32_t i = 1; i <= 3; ++i) {
    look_up("echo", "200");
    const auto given = dispatched();
    pass(10s);
    fail(given.id, mdp::errc::no_reply);
    ASSERT_EQ(actions.operations.size(), 1U);
    EXPECT_EQ(actions.operations[0].what, i < 3 ? operation::count_attempt : operation::give_up);
    EXPECT_EQ(actions.operations[0].attempts, i);
    EXPECT_EQ(actions.operations[0].id, id);
    store_all();
    pass(2s);
  }
  EXPECT_TRUE(actions.dispatches.empty());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ask_for_reply(id), zmtp::message{"500"});
  }
  EXPECT_EQ(state->status(now).counters.given_up, 1U);
  EXPECT_EQ(close(id), zmtp::message{"200"});
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"400"});
}

TEST_F(titanic_test, limits_the_requests_in_flight_of_a_service_and_keeps_their_order) {
  for (const auto* const body : {"1", "2", "3", "4", "5"}) {
    accept("echo", body);
    if (body[0] == '1') {
      look_up("echo", "200");
    }
  }
  ASSERT_EQ(actions.dispatches.size(), 2U);
  auto given = std::exchange(actions.dispatches, {});
  EXPECT_EQ(given[0].body.front(), "1");
  EXPECT_EQ(given[1].body.front(), "2");
  EXPECT_EQ(state->status(now).in_flight, 2U);
  end(given[1].id, {"reply"});
  // Until that is stored it would run again after a crash: there are not to be more of those.
  EXPECT_TRUE(actions.dispatches.empty());
  EXPECT_EQ(state->status(now).in_flight, 2U);
  store_all();
  const auto third = dispatched();
  EXPECT_EQ(third.body.front(), "3");
  end(given[0].id, {"reply"});
  store_all();
  EXPECT_EQ(dispatched().body.front(), "4");
  end(third.id, {"reply"});
  store_all();
  EXPECT_EQ(dispatched().body.front(), "5");
}

TEST_F(titanic_test, a_service_that_is_slow_does_not_keep_others_waiting) {
  accept("slow", "1");
  look_up("slow", "200");
  accept("slow", "2");
  accept("slow", "3");
  EXPECT_EQ(std::exchange(actions.dispatches, {}).size(), 2U);
  const auto id = accept("quick", "4");
  look_up("quick", "200");
  end(dispatched().id, {"reply"});
  store_all();
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
}

TEST_F(titanic_test, a_service_has_limits_of_its_own) {
  auto options = strict_options();
  options.services["picky"] = {.in_flight = 1, .timeout = 3s, .attempts = 1};
  state.emplace(options);
  const auto id = accept("picky", "1");
  look_up("picky", "200");
  const auto given = dispatched();
  EXPECT_EQ(given.timeout, 3s);
  accept("picky", "2");
  EXPECT_TRUE(actions.dispatches.empty());
  pass(3s);
  fail(given.id, mdp::errc::no_reply);
  store_all();
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"500"});
}

TEST_F(titanic_test, a_request_that_failed_goes_behind_the_others) {
  auto options = strict_options();
  options.service.in_flight = 1;
  state.emplace(options);
  accept("echo", "poison");
  look_up("echo", "200");
  accept("echo", "food");
  const auto poison = dispatched();
  pass(10s);
  fail(poison.id, mdp::errc::no_reply);
  pass(100ms);
  look_up("echo", "200");
  EXPECT_EQ(dispatched().body.front(), "food");
}

TEST_F(titanic_test, reads_bodies_above_the_memory_limit_when_it_dispatches_them) {
  auto options = strict_options();
  options.held_bytes = 100;
  state.emplace(options);
  accept("echo", std::string(60, 'a'));
  look_up("echo", "200");
  EXPECT_EQ(dispatched().body.front(), std::string(60, 'a'));
  EXPECT_EQ(done.back().what, operation::accept);
  accept("echo", std::string(60, 'b'));
  EXPECT_EQ(done.back().what, operation::read_request);
  EXPECT_EQ(dispatched().body.front(), std::string(60, 'b'));
}

TEST_F(titanic_test, many_services_are_looked_for_a_few_at_a_time) {
  for (int i = 0; i < 100; ++i) {
    accept("service" + std::to_string(i), "body");
  }
  std::size_t asked = 0;
  while (!actions.dispatches.empty()) {
    EXPECT_LE(actions.dispatches.size(), 16U);
    for (const auto& one : std::exchange(actions.dispatches, {})) {
      ++asked;
      end(one.id, {"404"});
    }
  }
  EXPECT_EQ(asked, 100U);
  EXPECT_EQ(state->status(now).services, 100U);
}

TEST_F(titanic_test, forgets_idle_services) {
  const auto id = accept("echo", "1");
  look_up("echo", "200");
  end(dispatched().id, {"reply"});
  store_all();
  EXPECT_EQ(close(id), zmtp::message{"200"});
  EXPECT_EQ(state->status(now).services, 1U);
  pass(1s);
  EXPECT_EQ(state->status(now).services, 0U);
  EXPECT_FALSE(state->next_deadline());
}

}  // namespace
}  // namespace mdp::titanic
