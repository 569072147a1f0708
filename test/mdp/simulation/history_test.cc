// The history of calls, and that of Titanic, notice each contradiction: histories written by hand.
#include "test/mdp/simulation/history.h"

#include "test/mdp/simulation/parcel.h"
#include "test/mdp/simulation/titanic_history.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

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

class titanic_histories : public histories {
protected:
  using operation = titanic::operation;

  // A request for `call_`, which Titanic has stored in slot 1.
  void store() {
    call_ = calls_.begin_call(echo_);
    perform({.what = operation::accept,
             .number = 1,
             .accepted = 1,
             .id = id_,
             .service = "echo",
             .body = wrap_call(call_, 10)});
  }
  void perform(const titanic::store_operation& one) {
    stored_.on_operation(one);
    stored_.on_result(one, true);
  }
  void answer() { perform({.what = operation::answer, .number = 1, .id = id_}); }
  void close() { perform({.what = operation::close, .number = 1}); }
  // Titanic starts again, and finds this.
  void restart(const std::vector<titanic::stored_request>& slots) {
    stored_.on_crash({});
    stored_.on_recovered(slots);
  }
  [[nodiscard]] titanic::stored_request slot(titanic::outcome state) const {
    return {.number = 1, .accepted = 1, .id = id_, .state = state};
  }

  titanic_history stored_{calls_, 2, 1};
  titanic::request_id id_{{1}};
  std::uint32_t call_ = 0;
};

TEST_F(titanic_histories, agree_with_a_request_that_is_answered_and_closed) {
  store();
  stored_.on_dispatched(id_);
  answer();
  stored_.on_reply(id_, wrap_piece({call_, 1, 0, 1}));
  restart({slot(titanic::outcome::answered)});
  close();
  restart({});
  stored_.on_unknown(id_);
  stored_.check_rest({});
  expect_none();
}

TEST_F(titanic_histories, allow_a_repetition_after_a_crash) {
  store();
  stored_.on_dispatched(id_);
  restart({slot(titanic::outcome::pending)});
  stored_.on_dispatched(id_);
  stored_.check_rest({});
  expect_none();
}

TEST_F(titanic_histories, notice_a_forgotten_request) {
  store();
  restart({});
  expect_only(violation::forgotten);
}

TEST_F(titanic_histories, notice_a_request_that_is_unknown) {
  store();
  stored_.on_unknown(id_);
  expect_only(violation::forgotten);
}

TEST_F(titanic_histories, notice_a_forgotten_reply) {
  store();
  answer();
  restart({slot(titanic::outcome::pending)});
  expect_only(violation::forgotten);
}

TEST_F(titanic_histories, notice_a_closed_request_that_reappears) {
  store();
  close();
  restart({slot(titanic::outcome::pending)});
  expect_only(violation::came_back);
}

TEST_F(titanic_histories, notice_a_reply_to_a_closed_request) {
  store();
  answer();
  close();
  stored_.on_reply(id_, wrap_piece({call_, 1, 0, 1}));
  expect_only(violation::came_back);
}

TEST_F(titanic_histories, notice_a_reply_that_has_changed) {
  store();
  stored_.on_reply(id_, wrap_piece({call_, 1, 0, 1}));
  stored_.on_reply(id_, wrap_piece({call_, 2, 0, 1}));
  expect_only(violation::changed);
}

TEST_F(titanic_histories, notice_the_reply_to_another_request) {
  store();
  stored_.on_reply(id_, wrap_piece({call_ + 1, 1, 0, 1}));
  expect_only(violation::wrong_answer);
}

TEST_F(titanic_histories, notice_two_attempts_without_a_failure) {
  store();
  stored_.on_dispatched(id_);
  stored_.on_dispatched(id_);
  stored_.check_rest({});
  expect_only(violation::dispatched_again);
}

TEST_F(titanic_histories, notice_an_attempt_after_the_reply) {
  store();
  stored_.on_dispatched(id_);
  answer();
  stored_.on_dispatched(id_);
  expect_only(violation::dispatched_again);
}

TEST_F(titanic_histories, notice_a_request_that_is_given_up_too_early) {
  store();
  stored_.on_dispatched(id_);
  perform({.what = operation::give_up, .number = 1, .id = id_});
  expect_only(violation::lost);
}

TEST_F(titanic_histories, notice_a_failure_that_titanic_does_not_have) {
  store();
  stored_.on_failed(id_);
  expect_only(violation::lost);
}

TEST_F(titanic_histories, notice_that_requests_never_end) {
  titanic::titanic_status s;
  s.pending = 1;
  stored_.check_rest(s);
  expect_only(violation::stuck);
}

}  // namespace
}  // namespace mdp::simulation
