// The history of calls notices each contradiction: histories written by hand.
#include "test/mdp/simulation/history.h"

#include "test/mdp/simulation/parcel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace mdp::simulation {
namespace {

using namespace std::chrono_literals;
using zmtp::simulation::run_state;

class histories : public testing::Test {
protected:
  // A call of `asked` that this worker got under the address "a".
  std::uint32_t given_call(const trade& asked, const std::string& worker = "broker/1/w") {
    const auto call = calls_.begin_call(asked);
    calls_.on_sent(call);
    calls_.on_given(call, worker, "a");
    return call;
  }
  std::uint32_t run_of(std::uint32_t call, unsigned pieces = 1) {
    const auto run = calls_.begin_run(call, "a");
    calls_.say_in(run, pieces);
    return run;
  }
  void expect_none() const {
    EXPECT_TRUE(calls_.findings().empty()) << calls_.findings().front().text;
  }
  void expect_only(violation what) const {
    ASSERT_EQ(calls_.findings().size(), 1U);
    EXPECT_EQ(calls_.findings().front().what, what) << calls_.findings().front().text;
  }

  run_state world_{1};
  history calls_{world_};
  const trade echo_{.name = "echo"};
  const trade once_{.name = "once", .idempotent = false};
};

TEST_F(histories, agree_with_a_call_that_is_answered_once) {
  const auto call = given_call(echo_);
  calls_.on_reply(call, wrap_piece({call, run_of(call), 0, 1}));
  calls_.check_all_ended();
  calls_.expect_answer(call);
  expect_none();
}

TEST_F(histories, notice_a_second_answer) {
  const auto call = given_call(echo_);
  const auto reply = wrap_piece({call, run_of(call), 0, 1});
  calls_.on_reply(call, reply);
  calls_.on_reply(call, reply);
  expect_only(violation::answered_twice);
}

TEST_F(histories, notice_a_reply_to_another_call) {
  const auto call = given_call(echo_);
  const auto other = given_call(echo_);
  static_cast<void>(run_of(call));
  calls_.on_reply(call, wrap_piece({other, run_of(other), 0, 1}));
  expect_only(violation::wrong_answer);
}

TEST_F(histories, notice_a_reply_of_two_workers) {
  const auto call = given_call(echo_);
  calls_.on_sent(call);
  calls_.on_given(call, "broker/1/v", "a");
  const auto one = run_of(call, 2);
  const auto other = run_of(call, 2);
  calls_.on_part(call, wrap_piece({call, one, 0, 2}));
  calls_.on_reply(call, wrap_piece({call, other, 1, 2}));
  expect_only(violation::mingled);
}

TEST_F(histories, notice_a_missing_piece) {
  const auto call = given_call(echo_);
  calls_.on_reply(call, wrap_piece({call, run_of(call, 2), 0, 2}));
  expect_only(violation::mingled);
}

TEST_F(histories, notice_an_answer_without_work) {
  const auto call = given_call(echo_);
  calls_.on_reply(call, wrap_piece({call, 1, 0, 1}));
  expect_only(violation::never_run);
}

TEST_F(histories, notice_a_request_that_two_workers_have) {
  const auto call = given_call(echo_);
  calls_.on_given(call, "broker/1/v", "b");
  expect_only(violation::given_twice);
}

TEST_F(histories, allow_another_worker_after_a_refusal) {
  const auto call = given_call(echo_);
  calls_.on_handed_back("a", "broker/1/w");
  calls_.on_given(call, "broker/1/v", "b");
  expect_none();
}

TEST_F(histories, allow_another_worker_after_the_end_of_one) {
  const auto call = given_call(echo_);
  calls_.on_gone("broker/1/w");
  calls_.on_given(call, "broker/1/v", "b");
  expect_none();
}

TEST_F(histories, notice_a_worker_that_works_twice) {
  const auto call = given_call(echo_);
  static_cast<void>(run_of(call));
  static_cast<void>(run_of(call));
  expect_only(violation::run_twice);
}

TEST_F(histories, notice_a_request_that_runs_again_and_must_not) {
  const auto call = given_call(once_);
  calls_.on_gone("broker/1/w");
  calls_.on_given(call, "broker/1/v", "a");
  static_cast<void>(run_of(call));
  static_cast<void>(run_of(call));
  expect_only(violation::run_again);
}

TEST_F(histories, notice_a_refused_call_that_was_run) {
  const auto call = given_call(once_);
  static_cast<void>(run_of(call));
  calls_.on_failure(call, outcome::refused);
  expect_only(violation::refused_yet_run);
}

TEST_F(histories, notice_a_refused_call_that_is_run_later) {
  const auto call = given_call(once_);
  calls_.on_failure(call, outcome::not_sent);
  static_cast<void>(run_of(call));
  expect_only(violation::refused_yet_run);
}

TEST_F(histories, notice_a_call_that_ends_too_late) {
  const auto call = calls_.begin_call(echo_, world_.events.now() + 1s);
  world_.events.run_until(world_.events.now() + 2s);
  calls_.on_failure(call, outcome::unknown);
  expect_only(violation::late);
}

TEST_F(histories, notice_a_call_without_an_end) {
  static_cast<void>(given_call(echo_));
  calls_.check_all_ended();
  expect_only(violation::stuck);
}

TEST_F(histories, notice_a_call_without_an_answer) {
  const auto call = given_call(echo_);
  calls_.on_failure(call, outcome::unknown);
  calls_.expect_answer(call);
  expect_only(violation::starved);
}

TEST_F(histories, notice_counters_that_do_not_add_up) {
  broker_status s;
  s.counters.requests = 2;
  s.counters.replies = 1;
  calls_.check_rest("broker", s);
  expect_only(violation::miscounted);
}

TEST_F(histories, notice_a_request_that_stays_with_its_worker) {
  broker_status s;
  s.working = 1;
  calls_.check_rest("broker", s);
  expect_only(violation::lost);
}

}  // namespace
}  // namespace mdp::simulation
