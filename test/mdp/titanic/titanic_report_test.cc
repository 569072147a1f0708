// The reports of Titanic about itself.

#include "mdp/titanic/titanic_report.h"

#include "test/mdp/titanic/titanic_fixture.h"

#include <string>

namespace mdp::titanic {
namespace {

TEST_F(titanic_test, reports_its_state_as_a_line_of_numbers) {
  titanic_status s;
  s.accepting = true;
  s.requests = 2;
  s.pending = 3;
  s.in_flight = 4;
  s.services = 5;
  s.oldest = std::chrono::seconds{19};
  s.counters = {.accepted = 6,
                .repeated = 7,
                .refused = 8,
                .not_stored = 9,
                .dispatched = 10,
                .unanswered = 11,
                .interrupted = 12,
                .answered = 13,
                .given_up = 14,
                .closed = 15,
                .expired = 16,
                .read_failures = 17,
                .unreadable = 18};
  EXPECT_EQ(
      report(s),
      "accepting=1 requests=2 pending=3 in_flight=4 services=5 oldest=19 accepted=6 repeated=7 "
      "refused=8 not_stored=9 dispatched=10 unanswered=11 interrupted=12 answered=13 given_up=14 "
      "closed=15 expired=16 read_failures=17 unreadable=18");
}

TEST_F(titanic_test, services_that_requests_wait_for_are_listed) {
  accept("echo", "1");
  accept("echo", "2");
  accept("other", "3");
  for (const auto& one : std::exchange(actions.dispatches, {})) {
    end(one.id, zmtp::message{one.body == zmtp::message{"echo"} ? "200" : "404"});
  }
  const auto all = answer_status(*state, state->status(now), zmtp::message{""});
  EXPECT_EQ(all, (zmtp::message{"200", report(state->status(now)), "echo", "pending=2 in_flight=2",
                                "other", "pending=1 in_flight=0"}));
  EXPECT_EQ(answer_status(*state, state->status(now), {"x", "echo"})[2], "other");
  EXPECT_EQ(answer_status(*state, state->status(now), {}).size(), 6U);
  EXPECT_EQ(answer_status(*state, state->status(now), zmtp::message{"other"}).size(), 2U);
}

TEST_F(titanic_test, a_long_list_of_services_comes_in_pieces) {
  for (int i = 0; i < 150; ++i) {
    accept("service" + std::to_string(100 + i), "body");
  }
  const auto first = answer_status(*state, state->status(now), zmtp::message{""});
  ASSERT_EQ(first.size(), 2U + 200U);
  const auto last = std::string{first[200]};
  EXPECT_EQ(last, "service199");
  EXPECT_EQ(answer_status(*state, state->status(now), zmtp::message{last}).size(), 2U + 100U);
}

TEST_F(titanic_test, the_oldest_pending_request_has_an_age) {
  EXPECT_EQ(state->status(now).oldest, 0s);
  const auto first = accept("echo", "1");
  now += 10s;
  const auto second = accept("other", "2");
  now += 5s;
  EXPECT_EQ(state->status(now).oldest, 15s);
  const auto all = state->pending(10, now);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, first);
  EXPECT_EQ(all[0].service, "echo");
  EXPECT_EQ(all[0].age, 15s);
  EXPECT_FALSE(all[0].in_flight);
  EXPECT_EQ(all[1].id, second);
  EXPECT_EQ(state->pending(1, now).size(), 1U);
  close(first);
  store_all();
  EXPECT_EQ(state->status(now).oldest, 5s);
  close(second);
  store_all();
  EXPECT_EQ(state->status(now).oldest, 0s);
  EXPECT_TRUE(state->pending(10, now).empty());
}

TEST(pending_order, forgets_requests_behind_one_that_never_ends) {
  pending_order order;
  const auto is_pending = [](const pending_order::place& one) { return one.number == 1; };
  for (std::uint64_t number = 1; number <= 10'000; ++number) {
    order.add({.number = number, .accepted = number, .since = {}}, 1, is_pending);
    EXPECT_LE(order.size(), 2 + pending_order::spare + 1);
  }
  std::size_t seen = 0;
  order.for_each(is_pending, [&](const auto& one) {
    EXPECT_EQ(one.number, 1U);
    ++seen;
    return true;
  });
  EXPECT_EQ(seen, 1U);
}

}  // namespace
}  // namespace mdp::titanic
