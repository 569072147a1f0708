#include "zmtp/pattern/pirate_worker_state.h"

#include "zmtp/pattern/call_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using kind = pirate_worker_event::kind;

class pirate_workers : public testing::TestWithParam<pirate_protocol> {
public:
  void attach() { state.on_attached(now, actions); }
  void hear(message m) {
    if (GetParam() == pirate_protocol::simple) {
      m.push_front({});
    }
    state.on_message(std::move(m), now, actions);
  }
  pirate_worker_actions done() { return std::exchange(actions, {}); }
  // The one request that came.
  pirate_worker_actions::request request() {
    auto all = done().requests;
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? pirate_worker_actions::request{} : std::move(all.front());
  }
  boost::system::error_code reply(std::uint64_t id, std::string_view body) {
    return state.reply(id, message{body}, now, actions);
  }
  // Lets time pass, and returns all actions meanwhile.
  pirate_worker_actions pass(std::chrono::milliseconds time) {
    const auto end = now + time;
    while (state.next_deadline() && *state.next_deadline() <= end) {
      now = std::max(now, *state.next_deadline());
      state.on_deadline(now, actions);
    }
    now = end;
    return done();
  }

  pirate_worker_state::time_point now{1h};
  pirate_worker_state state{{.protocol = GetParam()}, now};
  pirate_worker_actions actions;
};

INSTANTIATE_TEST_SUITE_P(protocols, pirate_workers,
                         testing::Values(pirate_protocol::simple, pirate_protocol::paranoid),
                         [](const auto& tested) {
                           return tested.param == pirate_protocol::simple ? "simple" : "paranoid";
                         });

// PPP-1
TEST_P(pirate_workers, send_ready_first_on_each_connection) {
  for (int i = 0; i < 2; ++i) {
    attach();
    const auto began = done();
    EXPECT_EQ(began.sends, std::vector{make_ready(GetParam())});
    EXPECT_EQ(began.events.front().what, kind::ready);
    state.on_detached(actions);
    EXPECT_EQ(done().reopen, 0ms);
  }
  state.on_detached(actions);
  EXPECT_FALSE(done().reopen);
}

// PPP-3, PPP-4
TEST_P(pirate_workers, answer_once_with_the_address_stack_of_the_request) {
  attach();
  static_cast<void>(done());
  hear({"a"sv, "b"sv, ""sv, "1"sv, "2"sv});
  const auto asked = request();
  EXPECT_EQ(asked.body, (message{"1"sv, "2"sv}));
  EXPECT_TRUE(state.busy());
  EXPECT_FALSE(reply(asked.id, "reply"));
  message expected{"a"sv, "b"sv, ""sv, "reply"sv};
  if (GetParam() == pirate_protocol::simple) {
    expected.push_front({});
  }
  EXPECT_EQ(done().sends, std::vector{expected});
  EXPECT_EQ(reply(asked.id, "again"), call_errc::no_request);
  EXPECT_TRUE(done().sends.empty());
}

TEST_P(pirate_workers, accept_one_request_and_ignore_more) {
  attach();
  hear({"a"sv, ""sv, "1"sv});
  const auto asked = request();
  hear({"b"sv, ""sv, "2"sv});
  const auto above = done();
  EXPECT_TRUE(above.requests.empty());
  EXPECT_EQ(above.events.front().what, kind::surplus);
  EXPECT_FALSE(reply(asked.id, "reply"));
  hear({"c"sv, ""sv, "3"sv});
  EXPECT_NE(request().id, asked.id);
}

TEST_P(pirate_workers, a_request_in_flight_is_lost_with_the_connection) {
  attach();
  hear({"a"sv, ""sv, "1"sv});
  const auto asked = request();
  state.on_detached(actions);
  EXPECT_EQ(reply(asked.id, "late"), call_errc::no_request);
  attach();
  EXPECT_EQ(reply(asked.id, "late"), call_errc::no_request);
}

TEST_P(pirate_workers, send_ready_after_they_drop_a_request) {
  attach();
  hear({"a"sv, ""sv, "1"sv});
  const auto asked = request();
  state.drop(asked.id, now, actions);
  EXPECT_EQ(done().sends, std::vector{make_ready(GetParam())});
  EXPECT_FALSE(state.busy());
  state.drop(asked.id, now, actions);
  EXPECT_TRUE(done().sends.empty());
}

TEST_P(pirate_workers, ignore_malformed_messages) {
  attach();
  static_cast<void>(done());
  for (const auto& bad :
       {message{"\3"sv}, message{"\1"sv}, message{"a"sv, "b"sv}, message{"a"sv, "b"sv, "c"sv}}) {
    hear(bad);
    const auto after = done();
    EXPECT_TRUE(after.requests.empty());
    EXPECT_TRUE(after.sends.empty());
    EXPECT_EQ(after.events.front().what, kind::invalid);
  }
}

class paranoid_worker : public pirate_workers {};
INSTANTIATE_TEST_SUITE_P(protocols, paranoid_worker, testing::Values(pirate_protocol::paranoid));

// PPP-5
TEST_P(paranoid_worker, sends_heartbeats_while_idle_and_none_while_busy) {
  attach();
  static_cast<void>(done());
  for (int i = 0; i < 5; ++i) {
    hear(make_heartbeat());
    EXPECT_EQ(pass(1s).sends, std::vector{make_heartbeat()});
  }
  hear({"a"sv, ""sv, "1"sv});
  const auto asked = request();
  EXPECT_FALSE(state.next_deadline());
  const auto meanwhile = pass(1h);
  EXPECT_TRUE(meanwhile.sends.empty());
  EXPECT_FALSE(meanwhile.reopen) << "a queue says nothing to who is busy";
  EXPECT_FALSE(reply(asked.id, "reply"));
  static_cast<void>(done());
  EXPECT_EQ(pass(1s).sends, std::vector{make_heartbeat()});
}

// PPP-6, PPP-7
TEST_P(paranoid_worker, reconnects_after_an_unresponsive_queue_with_growing_delays) {
  attach();
  static_cast<void>(done());
  auto expected = 1s;
  for (int i = 0; i < 7; ++i) {
    EXPECT_FALSE(pass(2'999ms).reopen);
    const auto lost = pass(1ms);
    EXPECT_EQ(lost.reopen, expected);
    EXPECT_EQ(lost.events.back().what, kind::lost);
    EXPECT_EQ(lost.events.back().delay, expected);
    EXPECT_FALSE(state.in_conversation());
    hear({"a"sv, ""sv, "of the old connection"sv});
    EXPECT_TRUE(done().requests.empty());
    EXPECT_FALSE(pass(expected).reopen);
    attach();
    EXPECT_EQ(done().sends, std::vector{make_ready(GetParam())});
    expected = std::min(expected * 2, 32s);
  }
  EXPECT_EQ(expected, 32s);
  // Any message of the queue shows that it is alive.
  hear(make_heartbeat());
  EXPECT_EQ(pass(3s).reopen, 1s);
}

TEST_P(paranoid_worker, treats_an_absent_queue_as_unresponsive) {
  EXPECT_EQ(pass(3s).reopen, 1s);
  EXPECT_EQ(pass(4s).reopen, 2s);
  EXPECT_EQ(pass(5s).reopen, 4s);
}

TEST_P(paranoid_worker, does_not_declare_the_queue_dead_after_a_pause_of_its_own) {
  attach();
  static_cast<void>(done());
  now += 1min;
  state.on_deadline(now, actions);
  EXPECT_FALSE(done().reopen);
  EXPECT_FALSE(pass(999ms).reopen);
  EXPECT_EQ(pass(1ms).reopen, 1s);
}

class simple_worker : public pirate_workers {};
INSTANTIATE_TEST_SUITE_P(protocols, simple_worker, testing::Values(pirate_protocol::simple));

TEST_P(simple_worker, has_no_heartbeats) {
  attach();
  EXPECT_FALSE(state.next_deadline());
  state.on_deadline(now + 1h, actions);
  EXPECT_FALSE(done().reopen);
}

}  // namespace
}  // namespace zmtp
