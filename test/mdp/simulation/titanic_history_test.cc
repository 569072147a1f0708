// The history of Titanic notices each contradiction: histories written by hand.
#include "test/mdp/simulation/titanic_history.h"

#include "test/mdp/simulation/history.h"
#include "test/mdp/simulation/parcel.h"

#include <gtest/gtest.h>

#include <vector>

namespace mdp::simulation {
namespace {

class titanic_histories : public testing::Test {
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

  void expect_none() const {
    EXPECT_TRUE(calls_.findings().empty()) << calls_.findings().front().text;
  }
  void expect_only(violation what) const {
    ASSERT_EQ(calls_.findings().size(), 1U);
    EXPECT_EQ(calls_.findings().front().what, what) << calls_.findings().front().text;
  }

  zmtp::simulation::run_state world_{1};
  history calls_{world_};
  const trade echo_{.name = "echo"};
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
  stored_.on_asked(id_);
  stored_.on_reply(id_, wrap_piece({call_, 1, 0, 1}));
  expect_only(violation::came_back);
}

// A request to close can be late. Titanic may have read the reply before.
TEST_F(titanic_histories, allow_a_reply_that_the_client_asked_for_before_the_close) {
  store();
  answer();
  stored_.on_asked(id_);
  close();
  stored_.on_reply(id_, wrap_piece({call_, 1, 0, 1}));
  expect_none();
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
