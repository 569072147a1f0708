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
      "accepting=1 requests=2 pending=3 in_flight=4 services=5 accepted=6 repeated=7 refused=8 "
      "not_stored=9 dispatched=10 unanswered=11 interrupted=12 answered=13 given_up=14 "
      "closed=15 expired=16 read_failures=17 unreadable=18");
}

TEST_F(titanic_test, services_that_requests_wait_for_are_listed) {
  accept("echo", "1");
  accept("echo", "2");
  accept("other", "3");
  for (const auto& one : std::exchange(actions.dispatches, {})) {
    end(one.id, zmtp::message{one.body == zmtp::message{"echo"} ? "200" : "404"});
  }
  const auto all = answer_status(*state, zmtp::message{""});
  EXPECT_EQ(all, (zmtp::message{"200", report(state->status()), "echo", "pending=2 in_flight=2",
                                "other", "pending=1 in_flight=0"}));
  EXPECT_EQ(answer_status(*state, {"x", "echo"})[2], "other");
  EXPECT_EQ(answer_status(*state, {}).size(), 6U);
  EXPECT_EQ(answer_status(*state, zmtp::message{"other"}).size(), 2U);
}

TEST_F(titanic_test, a_long_list_of_services_comes_in_pieces) {
  for (int i = 0; i < 150; ++i) {
    accept("service" + std::to_string(100 + i), "body");
  }
  const auto first = answer_status(*state, zmtp::message{""});
  ASSERT_EQ(first.size(), 2U + 200U);
  const auto last = std::string{first[200]};
  EXPECT_EQ(last, "service199");
  EXPECT_EQ(answer_status(*state, zmtp::message{last}).size(), 2U + 100U);
}

}  // namespace
}  // namespace mdp::titanic
