// Requests that have their outcome and that no client closes.

#include "test/mdp/titanic/titanic_fixture.h"

namespace mdp::titanic {
namespace {

constexpr std::chrono::hours week{7 * 24};

class titanic_retention : public titanic_test {
protected:
  void keep(std::optional<std::chrono::seconds> time) {
    auto options = strict_options();
    options.keep = time;
    state.emplace(options);
  }
  request_id answered(std::string_view body) {
    const auto id = accept("echo", body);
    if (!actions.dispatches.empty() && actions.dispatches.back().service == "mmi.service") {
      look_up("echo", "200");
    }
    end(dispatched().id, {"reply"});
    store_all();
    return id;
  }
};

TEST_F(titanic_retention, an_answered_request_is_removed_after_keep) {
  const auto id = answered("1");
  pass(week - 1s);
  EXPECT_TRUE(actions.operations.empty());
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
  pass(1s);
  ASSERT_EQ(actions.operations.size(), 1U);
  EXPECT_EQ(actions.operations[0].what, operation::close);
  store_all();
  EXPECT_TRUE(actions.answers.empty()) << "no client asked";
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"400"});
  EXPECT_EQ(state->status(now).requests, 0U);
  EXPECT_EQ(state->status(now).counters.expired, 1U);
  EXPECT_EQ(state->status(now).counters.closed, 0U);
  EXPECT_FALSE(state->next_deadline());
  accept("echo", "2");
  EXPECT_EQ(done.back().number, 1U) << "the slot is used again";
}

TEST_F(titanic_retention, a_given_up_request_is_removed_after_keep) {
  const auto id = accept("echo", "1");
  for (unsigned i = 0; i < strict_options().service.attempts; ++i) {
    look_up("echo", "200");
    now += strict_options().service.timeout;
    fail(dispatched().id, mdp::errc::no_reply);
    store_all();
    pass(3s);
  }
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"500"});
  pass(week);
  store_all();
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"400"});
}

TEST_F(titanic_retention, a_waiting_request_is_never_removed) {
  const auto id = accept("nobody", "1");
  look_up("nobody", "404");
  for (int i = 0; i < 100; ++i) {
    pass(1h);
    actions.dispatches.clear();
  }
  now += 100 * week;
  state->on_deadline(now, actions);
  EXPECT_TRUE(actions.operations.empty());
  EXPECT_EQ(ask_for_reply(id), zmtp::message{"300"});
}

TEST_F(titanic_retention, a_closed_request_does_not_expire) {
  const auto first = answered("1");
  EXPECT_EQ(close(first), zmtp::message{"200"});
  pass(1h);
  // In the same slot.
  const auto second = answered("2");
  pass(week - 1h);
  EXPECT_TRUE(actions.operations.empty());
  EXPECT_EQ(ask_for_reply(second), (zmtp::message{"200", "reply"}));
  pass(1h);
  store_all();
  EXPECT_EQ(ask_for_reply(second), zmtp::message{"400"});
  EXPECT_EQ(state->status(now).counters.expired, 1U);
}

TEST_F(titanic_retention, a_client_closes_a_request_while_it_expires) {
  const auto id = answered("1");
  pass(week);
  ASSERT_EQ(actions.operations.size(), 1U);
  EXPECT_EQ(close(id), zmtp::message{"200"});
  EXPECT_EQ(state->status(now).requests, 0U);
  pass(week);
  EXPECT_TRUE(actions.operations.empty());
}

TEST_F(titanic_retention, a_removal_that_failed_is_repeated) {
  answered("1");
  pass(week);
  for (int i = 0; i < 3; ++i) {
    fail_all(zmtp::storage_errc::store_full);
    EXPECT_EQ(state->status(now).requests, 1U);
    pass(1min);
    ASSERT_EQ(actions.operations.size(), 1U);
  }
  store_all();
  EXPECT_EQ(state->status(now).requests, 0U);
  EXPECT_EQ(state->status(now).counters.expired, 1U);
}

TEST_F(titanic_retention, a_thousand_requests_expire_at_a_time) {
  std::vector<stored_request> slots;
  for (std::uint64_t n = 1; n <= 2'500; ++n) {
    stored_request one{
        .number = n, .accepted = n, .id = {}, .state = outcome::answered, .service = "echo"};
    std::memcpy(one.id.bytes.data(), &n, sizeof n);
    one.age = 10 * week;
    slots.push_back(one);
  }
  restart(slots);
  EXPECT_EQ(state->next_deadline(), now + 1h) << "an hour for clients to fetch replies";
  pass(1h);
  for (const auto some : {std::size_t{1'000}, std::size_t{1'000}, std::size_t{500}}) {
    ASSERT_EQ(actions.operations.size(), some);
    const auto next = state->next_deadline();
    EXPECT_TRUE(some != 1'000 || !next) << "1,000 are being removed";
    for (auto& one : std::exchange(actions.operations, {})) {
      store_one(one);
    }
    state->on_deadline(now, actions);
  }
  EXPECT_EQ(state->status(now).requests, 0U);
}

TEST_F(titanic_retention, without_keep_no_request_expires) {
  keep(std::nullopt);
  const auto id = answered("1");
  pass(100 * week);
  EXPECT_EQ(ask_for_reply(id), (zmtp::message{"200", "reply"}));
}

TEST_F(titanic_retention, a_draining_titanic_removes_no_request) {
  answered("1");
  state->drain();
  pass(2 * week);
  EXPECT_TRUE(actions.operations.empty());
}

}  // namespace
}  // namespace mdp::titanic
