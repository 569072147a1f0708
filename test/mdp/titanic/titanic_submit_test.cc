// Titanic's decisions, by scripts: requests that are submitted under an id of the client's.

#include "test/mdp/titanic/titanic_fixture.h"

#include <set>

namespace mdp::titanic {
namespace {

TEST_F(titanic_test, a_repeated_submission_is_the_same_request_until_it_is_closed) {
  const auto id = id_of(77);
  const zmtp::message stored{ok, id.to_string()};
  const auto again = [&](int times = 1) {
    for (int i = 0; i < times; ++i) {
      submit(id, "another body");
      EXPECT_TRUE(actions.operations.empty());
      EXPECT_TRUE(actions.dispatches.empty());
      EXPECT_EQ(answer(), stored);
    }
  };
  submit(id, "body");
  ASSERT_EQ(actions.operations.size(), 1U);
  EXPECT_EQ(actions.operations[0].id, id);
  EXPECT_EQ(actions.operations[0].service, "echo");
  EXPECT_EQ(actions.operations[0].body, zmtp::message{"body"});
  store_all();
  EXPECT_EQ(answer(), stored);
  const auto asked = dispatched();
  again();
  end(asked.id, {"200"});
  const auto given = dispatched();
  EXPECT_EQ(given.body, zmtp::message{"body"});
  again(3);
  end(given.id, {"reply"});
  auto outcome = std::exchange(actions.operations, {});
  again();
  actions.operations = std::move(outcome);
  store_all();
  again();
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
  EXPECT_EQ(state->status(now).counters.accepted, 1U);
  EXPECT_EQ(state->status(now).counters.repeated, 6U);
  EXPECT_EQ(state->status(now).counters.dispatched, 1U);
  // Once it is closed the id is free.
  EXPECT_EQ(close(id), zmtp::message{"200"});
  submit(id, "a new one");
  store_all();
  EXPECT_EQ(answer(), stored);
  EXPECT_EQ(dispatched().body, zmtp::message{"a new one"});
}

TEST_F(titanic_test, a_submission_repeated_while_being_stored_gets_the_same_answer) {
  for (const auto fault : {zmtp::storage_errc{}, zmtp::storage_errc::store_full}) {
    SCOPED_TRACE(static_cast<int>(fault));
    const auto id = id_of(77);
    std::set<std::uint64_t> asking;
    for (int i = 0; i < 3; ++i) {
      submit(id, "body");
      asking.insert(caller);
    }
    EXPECT_TRUE(actions.answers.empty());
    EXPECT_EQ(actions.operations.size(), 1U);
    const auto before = state->status(now).counters;
    fault == zmtp::storage_errc{} ? store_all() : fail_all(fault);
    const auto expected =
        fault == zmtp::storage_errc{} ? zmtp::message{ok, id.to_string()} : zmtp::message{broken};
    for (const auto& one : std::exchange(actions.answers, {})) {
      EXPECT_EQ(asking.erase(one.caller), 1U);
      EXPECT_EQ(one.body, expected);
    }
    EXPECT_TRUE(asking.empty());
    const auto after = state->status(now);
    EXPECT_EQ(after.counters.repeated - before.repeated, fault == zmtp::storage_errc{} ? 2U : 0U);
    EXPECT_EQ(after.counters.not_stored - before.not_stored,
              fault == zmtp::storage_errc{} ? 0U : 3U);
    EXPECT_EQ(after.requests, fault == zmtp::storage_errc{} ? 1U : 0U);
    if (fault == zmtp::storage_errc{}) {
      EXPECT_EQ(close(id), zmtp::message{ok});
      actions.clear();
    }
  }
}

TEST_F(titanic_test, a_submission_repeated_after_a_restart_is_known) {
  requests = {{}, {"body"}};
  restart({{.number = 1, .accepted = 7, .id = id_of(7), .service = "echo"},
           {.number = 2,
            .accepted = 8,
            .id = id_of(8),
            .state = outcome::given_up,
            .service = "echo"}});
  actions.dispatches.clear();
  for (const auto known : {std::uint8_t{7}, std::uint8_t{8}}) {
    submit(id_of(known), "body");
    EXPECT_EQ(answer(), (zmtp::message{ok, id_of(known).to_string()}));
  }
  EXPECT_TRUE(actions.operations.empty());
}

TEST_F(titanic_test, a_full_store_still_recognizes_its_requests) {
  auto options = strict_options();
  options.max_requests = 1;
  state.emplace(options);
  submit(id_of(77), "body");
  store_all();
  actions.clear();
  submit(id_of(78), "body");
  EXPECT_EQ(answer(), zmtp::message{"500"});
  submit(id_of(77), "body");
  EXPECT_EQ(answer(), (zmtp::message{ok, id_of(77).to_string()}));
}

TEST_F(titanic_test, does_not_accept_an_id_that_is_being_closed) {
  const auto id = accept("echo", "1");
  actions.clear();
  state->on_close(++caller, zmtp::message{id.to_string()}, now, actions);
  auto closing = std::exchange(actions.operations, {});
  submit(id, "body");
  EXPECT_TRUE(actions.operations.empty());
  EXPECT_EQ(answer(), zmtp::message{"500"});
}

TEST_F(titanic_test, a_malformed_submission_is_refused_and_not_stored) {
  const auto id = id_of(77).to_string();
  const std::vector<zmtp::message> wrong{{"echo", "body"},
                                         {id, "echo"},
                                         {id, "", "body"},
                                         {id + "0", "echo", "body"},
                                         {"../../../../../../../../etc/pass", "echo", "body"}};
  for (const auto& m : wrong) {
    auto asked = m;
    state->on_submit(++caller, std::move(asked), actions);
    EXPECT_TRUE(actions.operations.empty());
    EXPECT_EQ(answer(), zmtp::message{"400"});
  }
  EXPECT_EQ(state->status(now).counters.refused, wrong.size());
}

}  // namespace
}  // namespace mdp::titanic
