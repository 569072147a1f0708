#include "zmtp/pattern/lazy_pirate_state.h"

#include <gtest/gtest.h>

#include <utility>

namespace zmtp {
namespace {

using namespace std::chrono_literals;

class lazy_pirate : public testing::Test {
public:
  void ask(lazy_pirate_state& of, std::optional<lazy_pirate_state::time_point> until = {}) {
    EXPECT_FALSE(of.ask(now, until, actions));
  }
  // Returns the actions since the last call.
  lazy_pirate_actions done() { return std::exchange(actions, {}); }
  // Advances to the next deadline, and returns the actions there.
  lazy_pirate_actions wait(lazy_pirate_state& of) {
    EXPECT_TRUE(of.next_deadline());
    now = of.next_deadline().value_or(now);
    of.on_deadline(now, actions);
    return done();
  }

  lazy_pirate_state::time_point now{1h};
  lazy_pirate_actions actions;
};

TEST_F(lazy_pirate, opens_a_socket_and_asks) {
  lazy_pirate_state state{1, {1s, 0s, 3}};
  EXPECT_FALSE(state.next_deadline());
  ask(state);
  const auto first = done();
  EXPECT_EQ(first.open, 0U);
  EXPECT_TRUE(first.send);
  EXPECT_EQ(first.asking->attempt, 1U);
  EXPECT_EQ(state.next_deadline(), now + 1s);
  state.on_answer();
  EXPECT_FALSE(state.next_deadline());
  ask(state);
  const auto second = done();
  EXPECT_FALSE(second.open) << "the socket was answered on";
  EXPECT_TRUE(second.send);
}

TEST_F(lazy_pirate, tries_again_on_a_fresh_socket_and_gives_up_in_the_end) {
  lazy_pirate_state state{1, {1s, 0s, 3}};
  ask(state);
  state.on_sent();
  static_cast<void>(done());
  for (const auto attempt : {2U, 3U}) {
    const auto again = wait(state);
    EXPECT_EQ(again.lost->attempt, attempt - 1);
    EXPECT_TRUE(again.close);
    EXPECT_EQ(again.open, 0U);
    EXPECT_EQ(again.asking->attempt, attempt);
    EXPECT_TRUE(again.send);
    EXPECT_FALSE(again.failure);
  }
  const auto last = wait(state);
  EXPECT_TRUE(last.close);
  EXPECT_FALSE(last.send);
  EXPECT_EQ(last.lost->attempt, 3U);
  EXPECT_EQ(last.failure, call_errc::no_answer);
  EXPECT_FALSE(state.next_deadline());
  // The next request starts from the beginning.
  ask(state);
  const auto next = done();
  EXPECT_EQ(next.open, 0U);
  EXPECT_EQ(next.asking->attempt, 1U);
}

TEST_F(lazy_pirate, a_request_that_no_connection_took_was_not_sent) {
  lazy_pirate_state state{1, {1s, 0s, 2}};
  ask(state);
  static_cast<void>(wait(state));
  EXPECT_EQ(wait(state).failure, call_errc::not_sent);
  // A request that was sent once may have been executed, whatever happened to later attempts.
  ask(state);
  state.on_sent();
  static_cast<void>(wait(state));
  EXPECT_EQ(wait(state).failure, call_errc::no_answer);
}

TEST_F(lazy_pirate, tries_the_servers_in_turn_and_stays_with_one_that_answers) {
  lazy_pirate_state state{3, {1s, 0s, std::nullopt}};
  ask(state);
  EXPECT_EQ(done().open, 0U);
  EXPECT_EQ(wait(state).open, 1U);
  EXPECT_EQ(wait(state).open, 2U);
  EXPECT_EQ(wait(state).open, 0U);
  EXPECT_EQ(wait(state).open, 1U);
  EXPECT_EQ(state.server(), 1U);
  state.on_answer();
  ask(state);
  EXPECT_FALSE(done().open);
  EXPECT_EQ(state.server(), 1U);
  EXPECT_EQ(wait(state).open, 2U);
}

TEST_F(lazy_pirate, pauses_between_attempts) {
  lazy_pirate_state state{2, {1s, 2s, 2}};
  ask(state);
  static_cast<void>(done());
  const auto lost = wait(state);
  EXPECT_TRUE(lost.close);
  EXPECT_FALSE(lost.open);
  EXPECT_EQ(state.next_deadline(), now + 2s);
  EXPECT_EQ(wait(state).open, 1U);
}

TEST_F(lazy_pirate, ends_in_time) {
  lazy_pirate_state state{2, {1s, 2s, std::nullopt}};
  ask(state, now + 500ms);
  state.on_sent();
  static_cast<void>(done());
  EXPECT_EQ(state.next_deadline(), now + 500ms);
  const auto late = wait(state);
  EXPECT_TRUE(late.close);
  EXPECT_EQ(late.failure, call_errc::no_answer);
  // Within a pause.
  ask(state, now + 2s);
  static_cast<void>(done());
  static_cast<void>(wait(state));
  EXPECT_EQ(state.next_deadline(), now + 1s);
  const auto paused = wait(state);
  EXPECT_EQ(paused.failure, call_errc::not_sent);
  EXPECT_FALSE(paused.open);
}

TEST_F(lazy_pirate, has_one_request_at_a_time) {
  lazy_pirate_state state{1, {1s, 0s, 3}};
  ask(state);
  static_cast<void>(done());
  EXPECT_EQ(state.ask(now, std::nullopt, actions), call_errc::call_in_flight);
  const auto nothing = done();
  EXPECT_FALSE(nothing.send || nothing.open);
}

TEST_F(lazy_pirate, is_cancelled_with_its_socket) {
  lazy_pirate_state state{1, {1s, 5s, 3}};
  ask(state);
  static_cast<void>(done());
  state.cancel(actions);
  EXPECT_TRUE(done().close);
  EXPECT_FALSE(state.next_deadline());
  state.cancel(actions);
  EXPECT_FALSE(done().close);
  ask(state);
  EXPECT_EQ(done().open, 0U);
  // Within a pause there is none.
  static_cast<void>(wait(state));
  state.cancel(actions);
  EXPECT_FALSE(done().close);
  EXPECT_FALSE(state.next_deadline());
}

TEST_F(lazy_pirate, restarts_the_timeout_after_a_pause_of_the_client) {
  lazy_pirate_state state{1, {1s, 0s, 1}};
  ask(state);
  static_cast<void>(done());
  now += 1min;
  state.on_deadline(now, actions);
  EXPECT_FALSE(done().failure);
  EXPECT_EQ(state.next_deadline(), now + 1s);
  EXPECT_TRUE(wait(state).failure);
  // Too early is nothing.
  ask(state);
  static_cast<void>(done());
  state.on_deadline(now + 999ms, actions);
  EXPECT_FALSE(done().lost);
}

}  // namespace
}  // namespace zmtp
