#include "zmtp/pattern/pirate_queue_state.h"

#include "zmtp/metadata.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

using peers = std::vector<peer_id>;
using happenings = std::vector<std::pair<pirate_event, peer_id>>;

class queue_run {
public:
  explicit queue_run(const pirate_queue_options& options)
      : how_{options.protocol}, state{options, 7} {}

  void attach(peer_id worker, bool ours = true) {
    metadata properties;
    announce_extensions(
        properties, ours ? std::vector{std::string{multipart_name}} : std::vector<std::string>{});
    state.on_worker_attached(worker, properties);
  }
  void say(peer_id worker, message m) {
    state.on_worker_message(worker, std::move(m), now, actions);
  }
  void ready(peer_id worker) { say(worker, make_ready(how_)); }
  void join(peer_id worker, bool ours = true) {
    attach(worker, ours);
    ready(worker);
  }
  void heartbeat(peer_id worker) { say(worker, make_heartbeat()); }
  void ask(peer_id client, message m) {
    state.on_client_message(client, std::move(m), now, actions);
  }
  // Returns the first message that the test has not checked yet.
  pirate_queue_actions::addressed to_worker() { return take(actions.to_workers); }
  pirate_queue_actions::addressed to_client() { return take(actions.to_clients); }
  bool nothing_sent() const { return actions.to_workers.empty() && actions.to_clients.empty(); }
  // Events since they were asked for last.
  std::vector<std::pair<pirate_event, peer_id>> events() {
    return std::exchange(actions.events, {});
  }
  // Clients that were paused, or resumed, since they were asked for last, by number.
  std::vector<peer_id> paused() { return sorted(std::exchange(actions.pause, {})); }
  std::vector<peer_id> resumed() { return sorted(std::exchange(actions.resume, {})); }
  // Lets time pass, while workers send heartbeats.
  void pass(std::chrono::milliseconds time, std::vector<peer_id> alive = {}) {
    const auto end = now + time;
    while (state.next_deadline() && *state.next_deadline() <= end) {
      now = std::max(now, *state.next_deadline());
      for (const auto worker : alive) {
        heartbeat(worker);
      }
      state.on_deadline(now, actions);
    }
    now = end;
  }

private:
  static std::vector<peer_id> sorted(std::vector<peer_id> all) {
    std::sort(all.begin(), all.end());
    return all;
  }
  static pirate_queue_actions::addressed take(std::vector<pirate_queue_actions::addressed>& from) {
    if (from.empty()) {
      ADD_FAILURE() << "nothing was sent";
      return {};
    }
    auto first = std::move(from.front());
    from.erase(from.begin());
    return first;
  }

  pirate_protocol how_;

public:
  pirate_queue_state state;
  pirate_queue_actions actions;
  pirate_queue_state::time_point now{1h};
};

constexpr peer_id worker_a{1, 1};
constexpr peer_id worker_b{2, 1};
constexpr peer_id client_a{1, 9};
constexpr peer_id client_b{2, 9};

class pirate_queues : public testing::TestWithParam<pirate_protocol> {
public:
  bool simple() const { return GetParam() == pirate_protocol::simple; }
  // Without the simple kind's empty frame.
  message inner(message m) const {
    if (simple()) {
      EXPECT_EQ(m.front(), ""sv);
      m.pop_front();
    }
    return m;
  }
  message outer(message m) const {
    if (simple()) {
      m.push_front({});
    }
    return m;
  }
  // Returns the answer of a worker to its request.
  message answer(const message& request, std::string_view body) {
    const auto inside = inner(request);
    return outer({inside.front(), ""sv, body});
  }

  queue_run run{{.protocol = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(protocols, pirate_queues,
                         testing::Values(pirate_protocol::simple, pirate_protocol::paranoid),
                         [](const auto& tested) {
                           return tested.param == pirate_protocol::simple ? "simple" : "paranoid";
                         });

// PPP-3, PPP-4
TEST_P(pirate_queues, give_a_request_to_a_worker_and_its_reply_to_the_client) {
  run.join(worker_a);
  run.ask(client_a, {""sv, "request"sv});
  const auto [to, sent] = run.to_worker();
  EXPECT_EQ(to, worker_a);
  const auto inside = inner(sent);
  EXPECT_EQ(inside.size(), 3U);
  EXPECT_EQ(inside[1], ""sv);
  EXPECT_EQ(inside[2], "request"sv);
  EXPECT_NE(inside[0].front(), '\1');
  run.say(worker_a, answer(sent, "reply"));
  EXPECT_EQ(run.to_client(), (pirate_queue_actions::addressed{client_a, {""sv, "reply"sv}}));
  // Once.
  run.say(worker_a, answer(sent, "again"));
  EXPECT_TRUE(run.nothing_sent());
  EXPECT_EQ(run.state.counters().late_replies, 1U);
  EXPECT_EQ(run.state.idle_workers(), 1U);
}

TEST_P(pirate_queues, the_envelope_of_a_request_precedes_its_reply) {
  run.join(worker_a);
  run.ask(client_a, {"far"sv, "near"sv, ""sv, "request"sv});
  const auto sent = run.to_worker().second;
  EXPECT_EQ(inner(sent).size(), 3U) << "a worker of the Guide takes no more";
  run.say(worker_a, answer(sent, "reply"));
  EXPECT_EQ(run.to_client().second, (message{"far"sv, "near"sv, ""sv, "reply"sv}));
}

TEST_P(pirate_queues, the_longest_idle_worker_is_next) {
  run.join(worker_a);
  run.join(worker_b);
  run.ask(client_a, {""sv, "1"sv});
  const auto [first, sent] = run.to_worker();
  EXPECT_EQ(first, worker_a);
  run.say(worker_a, answer(sent, "1"));
  run.ask(client_a, {""sv, "2"sv});
  EXPECT_EQ(run.to_worker().first, worker_b);
  run.ask(client_a, {""sv, "3"sv});
  EXPECT_EQ(run.to_worker().first, worker_a);
}

TEST_P(pirate_queues, requests_wait_for_a_worker_and_end_with_their_client) {
  run.ask(client_a, {""sv, "1"sv});
  run.ask(client_b, {""sv, "2"sv});
  run.ask(client_a, {""sv, "3"sv});
  EXPECT_TRUE(run.nothing_sent());
  EXPECT_EQ(run.state.waiting(), 3U);
  run.state.on_client_detached(client_a, run.actions);
  EXPECT_EQ(run.state.waiting(), 1U);
  EXPECT_EQ(run.state.counters().abandoned, 2U);
  run.join(worker_a);
  EXPECT_EQ(inner(run.to_worker().second)[2], "2"sv);
  EXPECT_EQ(run.state.waiting(), 0U);
}

TEST_P(pirate_queues, pause_a_client_that_sends_above_the_limit) {
  queue_run few{{.protocol = GetParam(), .waiting = 4}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(few.paused(), peers{});
    few.ask(client_a, {""sv, "a"sv});
  }
  EXPECT_EQ(few.paused(), peers{client_a});
  // Another one may have one there.
  few.ask(client_b, {""sv, "b"sv});
  EXPECT_EQ(few.paused(), peers{client_b});
  few.join(worker_a);
  few.join(worker_b);
  EXPECT_EQ(few.resumed(), peers{}) << "three wait: not a quarter is free";
  few.ready(worker_a);
  EXPECT_EQ(few.resumed(), (peers{client_a, client_b}));
  EXPECT_EQ(few.state.waiting(), 2U);
}

TEST_P(pirate_queues, pause_a_client_above_the_limit_of_bytes) {
  queue_run small{{.protocol = GetParam(), .waiting_bytes = 1'000}};
  small.ask(client_a, {""sv, std::string(2'000, 'x')});
  EXPECT_EQ(small.paused(), peers{client_a});
  small.ask(client_b, {""sv, "b"sv});
  EXPECT_EQ(small.paused(), peers{client_b});
  // Nothing is left of the requests that were assigned.
  small.join(worker_a);
  EXPECT_EQ(small.resumed(), (peers{client_a, client_b}));
}

TEST_P(pirate_queues, without_a_queue_each_client_has_one_pending_request) {
  queue_run none{{.protocol = GetParam(), .waiting = 0}};
  none.ask(client_a, {""sv, "a"sv});
  none.ask(client_b, {""sv, "b"sv});
  EXPECT_EQ(none.paused(), (peers{client_a, client_b}));
  none.join(worker_a);
  EXPECT_EQ(none.resumed(), peers{client_a});
  none.join(worker_b);
  EXPECT_EQ(none.resumed(), peers{client_b});
}

TEST_P(pirate_queues, a_client_that_disconnects_frees_space_for_others) {
  queue_run few{{.protocol = GetParam(), .waiting = 4}};
  for (int i = 0; i < 4; ++i) {
    few.ask(client_a, {""sv, "a"sv, "of two parts"sv});
  }
  few.ask(client_b, {""sv, "b"sv});
  EXPECT_EQ(few.paused(), (peers{client_a, client_b}));
  few.state.on_client_detached(client_a, few.actions);
  EXPECT_EQ(few.resumed(), peers{client_b}) << "and not who is gone";
  EXPECT_EQ(few.state.waiting(), 1U);
  EXPECT_EQ(few.state.counters().abandoned, 4U);
}

TEST_P(pirate_queues, a_request_expires_while_no_worker_is_there) {
  queue_run brief{{.protocol = GetParam(), .waiting = 1, .unserved_timeout = 10s}};
  brief.ask(client_a, {""sv, "1"sv});
  EXPECT_EQ(brief.paused(), peers{client_a});
  brief.pass(9'999ms);
  EXPECT_EQ(brief.state.waiting(), 1U);
  brief.pass(1ms);
  EXPECT_EQ(brief.state.waiting(), 0U);
  EXPECT_EQ(brief.state.counters().expired, 1U);
  EXPECT_EQ(brief.resumed(), peers{client_a});
  EXPECT_EQ(brief.events(), (happenings{{pirate_event::request_unserved, client_a}}));
  EXPECT_FALSE(brief.state.next_deadline());
}

TEST_P(pirate_queues, only_the_time_without_a_worker_counts_for_the_expiry) {
  queue_run brief{{.protocol = GetParam(), .unserved_timeout = 10s}};
  brief.join(worker_a);
  brief.ask(client_a, {""sv, "1"sv});
  brief.ask(client_a, {""sv, "2"sv});
  brief.pass(1h);
  EXPECT_EQ(brief.state.waiting(), 1U) << "the worker is busy";
  brief.state.on_worker_detached(worker_a, brief.now, brief.actions);
  brief.pass(9'999ms);
  EXPECT_EQ(brief.state.waiting(), 1U);
  brief.pass(1ms);
  EXPECT_EQ(brief.state.counters().expired, 1U);
}

TEST_P(pirate_queues, a_lost_worker_gets_no_request_and_its_request_is_lost) {
  run.join(worker_a);
  run.join(worker_b);
  run.state.on_worker_detached(worker_a, run.now, run.actions);
  run.ask(client_a, {""sv, "1"sv});
  EXPECT_EQ(run.to_worker().first, worker_b);
  run.state.on_worker_detached(worker_b, run.now, run.actions);
  EXPECT_EQ(run.state.workers(), 0U);
  EXPECT_EQ(run.state.counters().lost, 1U);
  run.ask(client_a, {""sv, "2"sv});
  EXPECT_TRUE(run.nothing_sent());
  using enum pirate_event;
  EXPECT_EQ(run.events(), (std::vector<std::pair<pirate_event, peer_id>>{{worker_ready, worker_a},
                                                                         {worker_ready, worker_b},
                                                                         {worker_lost, worker_a},
                                                                         {worker_lost, worker_b}}));
}

TEST_P(pirate_queues, a_request_that_a_worker_does_not_take_goes_to_another) {
  run.join(worker_a);
  run.join(worker_b);
  run.ask(client_a, {"far"sv, ""sv, "1"sv});
  auto refused = run.to_worker();
  run.state.on_not_taken(worker_a, std::move(refused.second), run.now, run.actions);
  auto [other, again] = run.to_worker();
  EXPECT_EQ(other, worker_b);
  EXPECT_EQ(inner(again)[2], "1"sv);
  run.say(worker_b, answer(again, "reply"));
  EXPECT_EQ(run.to_client().second, (message{"far"sv, ""sv, "reply"sv}));
  // If there is no other worker, the request waits.
  run.ask(client_a, {""sv, "2"sv});
  auto last = run.to_worker();
  run.state.on_not_taken(worker_b, std::move(last.second), run.now, run.actions);
  EXPECT_EQ(run.state.waiting(), 1U);
  run.ready(worker_a);
  EXPECT_EQ(inner(run.to_worker().second)[2], "2"sv);
  EXPECT_EQ(run.state.counters().lost, 0U);
}

TEST_P(pirate_queues, a_busy_worker_that_sends_ready_starts_from_the_beginning) {
  run.join(worker_a);
  run.ask(client_a, {""sv, "1"sv});
  const auto first = run.to_worker().second;
  run.ready(worker_a);
  EXPECT_EQ(run.state.counters().lost, 1U);
  run.ask(client_b, {""sv, "2"sv});
  const auto second = run.to_worker().second;
  // The queue drops the answer to the first request.
  run.say(worker_a, answer(first, "late"));
  EXPECT_TRUE(run.nothing_sent());
  run.say(worker_a, answer(second, "reply"));
  EXPECT_EQ(run.to_client(), (pirate_queue_actions::addressed{client_b, {""sv, "reply"sv}}));
}

TEST_P(pirate_queues, count_malformed_messages) {
  run.ask(client_a, {"no empty frame"sv});
  run.ask(client_a, {""sv});
  run.ask(client_a, {"a"sv, "b"sv});
  EXPECT_EQ(run.state.counters().invalid_requests, 3U);
  run.attach(worker_a);
  run.say(worker_a, {"nonsense"sv});
  run.say(worker_a, {""sv, "\1\1"sv});
  EXPECT_EQ(run.state.counters().invalid_messages, 2U);
  EXPECT_EQ(run.events().size(), 2U);
  EXPECT_EQ(run.state.workers(), 0U);
  // A reply with more in front than it was given frees the worker.
  run.ready(worker_a);
  run.ask(client_a, {""sv, "1"sv});
  const auto sent = inner(run.to_worker().second);
  run.say(worker_a, outer({sent.front(), "odd"sv, ""sv, "reply"sv}));
  EXPECT_EQ(run.state.counters().invalid_messages, 3U);
  EXPECT_EQ(run.state.idle_workers(), 1U);
  EXPECT_TRUE(run.nothing_sent());
  run.say({5, 5}, make_ready(GetParam()));
  EXPECT_EQ(run.state.workers(), 1U) << "from a peer that is not attached";
}

TEST_P(pirate_queues, have_a_limit_of_workers) {
  queue_run one{{.protocol = GetParam(), .workers = 1}};
  one.join(worker_a);
  one.join(worker_b);
  EXPECT_EQ(one.state.workers(), 1U);
  EXPECT_EQ(one.state.counters().workers_refused, 1U);
  one.state.on_worker_detached(worker_a, one.now, one.actions);
  one.ready(worker_b);
  EXPECT_EQ(one.state.workers(), 1U);
}

TEST_P(pirate_queues, remove_a_worker_that_exceeds_the_busy_deadline) {
  queue_run run_with_deadline{{.protocol = GetParam(), .busy_timeout = 10s}};
  auto& with = run_with_deadline;
  with.join(worker_a);
  with.ask(client_a, {""sv, "1"sv});
  const auto sent = with.to_worker().second;
  with.pass(9s);
  EXPECT_EQ(with.state.workers(), 1U);
  with.pass(1s);
  EXPECT_EQ(with.state.workers(), 0U);
  EXPECT_EQ(with.state.counters().workers_expired, 1U);
  // A late answer shows that the worker is alive, but the queue drops it.
  with.say(worker_a, answer(sent, "late"));
  EXPECT_EQ(with.state.idle_workers(), 1U);
  EXPECT_TRUE(with.nothing_sent());
}

TEST(simple_pirate_queue, has_no_deadlines) {
  queue_run run{{.protocol = pirate_protocol::simple}};
  run.join(worker_a);
  EXPECT_FALSE(run.state.next_deadline());
}

class paranoid_queue : public testing::Test {
public:
  queue_run run{{.protocol = pirate_protocol::paranoid}};
};

// PPP-5
TEST_F(paranoid_queue, sends_heartbeats_to_idle_workers) {
  run.join(worker_a);
  run.join(worker_b);
  run.ask(client_a, {""sv, "1"sv});
  EXPECT_EQ(run.to_worker().first, worker_a);
  for (int i = 0; i < 5; ++i) {
    run.pass(1s, {worker_a, worker_b});
    EXPECT_EQ(run.to_worker(), (pirate_queue_actions::addressed{worker_b, make_heartbeat()}));
    EXPECT_TRUE(run.nothing_sent());
  }
}

// PPP-6, PPP-8
TEST_F(paranoid_queue, removes_a_worker_that_is_unresponsive_for_three_intervals) {
  run.join(worker_a);
  run.join(worker_b);
  run.pass(2'999ms, {worker_b});
  EXPECT_EQ(run.state.workers(), 2U);
  run.pass(1ms, {worker_b});
  EXPECT_EQ(run.state.workers(), 1U);
  run.actions.clear();
  run.ask(client_a, {""sv, "1"sv});
  EXPECT_EQ(run.to_worker().first, worker_b);
  run.pass(10s);
  EXPECT_TRUE(run.nothing_sent());
  // The worker is alive and becomes idle again.
  run.heartbeat(worker_a);
  EXPECT_EQ(run.state.idle_workers(), 1U);
}

TEST_F(paranoid_queue, a_heartbeat_does_not_make_a_busy_worker_idle) {
  run.join(worker_a);
  run.ask(client_a, {""sv, "1"sv});
  const auto sent = run.to_worker().second;
  run.heartbeat(worker_a);
  EXPECT_EQ(run.state.idle_workers(), 0U);
  run.ask(client_b, {""sv, "2"sv});
  EXPECT_TRUE(run.nothing_sent());
  run.say(worker_a, {sent.front(), ""sv, "reply"sv});
  EXPECT_EQ(run.to_client().first, client_a);
  EXPECT_EQ(run.to_worker().second[2], "2"sv);
}

TEST_F(paranoid_queue, a_busy_worker_need_not_send_heartbeats) {
  run.join(worker_a);
  run.ask(client_a, {""sv, "1"sv});
  const auto sent = run.to_worker().second;
  run.pass(1h);
  EXPECT_EQ(run.state.workers(), 1U);
  run.say(worker_a, {sent.front(), ""sv, "reply"sv});
  EXPECT_EQ(run.to_client().first, client_a);
  run.pass(3s);
  EXPECT_EQ(run.state.workers(), 0U);
}

TEST_F(paranoid_queue, any_message_of_a_worker_registers_it) {
  run.attach(worker_a);
  run.heartbeat(worker_a);
  EXPECT_EQ(run.state.idle_workers(), 1U);
  run.attach(worker_b);
  run.say(worker_b, {"of another queue"sv, ""sv, "reply"sv});
  EXPECT_EQ(run.state.idle_workers(), 2U);
  EXPECT_TRUE(run.actions.to_clients.empty());
}

// PPP-1
TEST_F(paranoid_queue, in_strict_mode_only_ready_registers_a_worker) {
  queue_run strict{{.protocol = pirate_protocol::paranoid, .strict_ready = true}};
  strict.attach(worker_a);
  strict.heartbeat(worker_a);
  EXPECT_EQ(strict.state.workers(), 0U);
  strict.ready(worker_a);
  EXPECT_EQ(strict.state.workers(), 1U);
}

TEST_F(paranoid_queue, assigns_several_parts_only_to_workers_that_accept_them) {
  run.join(worker_a, false);
  run.ask(client_a, {""sv, "1"sv, "2"sv});
  EXPECT_TRUE(run.nothing_sent());
  run.ask(client_b, {""sv, "one"sv});
  EXPECT_EQ(run.to_worker().first, worker_a) << "this request can go to any worker";
  run.join(worker_b);
  const auto [to, sent] = run.to_worker();
  EXPECT_EQ(to, worker_b);
  EXPECT_EQ(sent.size(), 4U);

  queue_run all{{.protocol = pirate_protocol::paranoid, .multipart_for_all = true}};
  all.join(worker_a, false);
  all.ask(client_a, {""sv, "1"sv, "2"sv});
  EXPECT_EQ(all.to_worker().first, worker_a);
}

TEST_F(paranoid_queue, requests_that_no_worker_accepts_do_not_block_other_clients) {
  constexpr std::size_t limit = 1'000;
  run.join(worker_a, false);
  for (std::size_t i = 0; i < limit; ++i) {
    run.ask(client_a, {""sv, "two"sv, "parts"sv});
  }
  EXPECT_EQ(run.paused(), peers{client_a});
  for (int i = 0; i < 3; ++i) {
    run.ask(client_b, {""sv, "1"sv});
    const auto sent = run.to_worker().second;
    run.say(worker_a, {sent.front(), ""sv, "reply"sv});
    EXPECT_EQ(run.to_client().first, client_b);
  }
  // While the worker is busy, too.
  run.ask(client_b, {""sv, "1"sv});
  run.ask(client_b, {""sv, "2"sv});
  EXPECT_EQ(run.paused(), peers{client_b});
  const auto sent = run.to_worker().second;
  run.say(worker_a, {sent.front(), ""sv, "reply"sv});
  EXPECT_EQ(run.to_worker().second[2], "2"sv);
  EXPECT_EQ(run.resumed(), peers{client_b});
}

TEST_F(paranoid_queue, a_request_that_no_present_worker_takes_expires_with_a_reason) {
  queue_run brief{{.protocol = pirate_protocol::paranoid, .unserved_timeout = 10s}};
  brief.join(worker_a, false);
  (void)brief.events();
  brief.ask(client_a, {""sv, "two"sv, "parts"sv});
  brief.pass(9'999ms, {worker_a});
  EXPECT_EQ(brief.state.waiting(), 1U);
  brief.pass(1ms, {worker_a});
  EXPECT_EQ(brief.events(), (happenings{{pirate_event::request_unsuitable, client_a}}));
  EXPECT_EQ(brief.state.counters().expired, 1U);
  // A worker that takes them comes in time for the next.
  brief.ask(client_a, {""sv, "two"sv, "parts"sv});
  brief.actions.to_workers.clear();
  brief.join(worker_b);
  EXPECT_EQ(brief.to_worker().second.size(), 4U);
}

TEST_F(paranoid_queue, expires_no_request_after_a_pause_of_its_own) {
  run.ask(client_a, {""sv, "1"sv});
  run.now += 1h;
  run.state.on_deadline(run.now, run.actions);
  EXPECT_EQ(run.state.waiting(), 1U) << "a worker may wait in the kernel";
  run.pass(1s);
  EXPECT_EQ(run.state.waiting(), 0U);
}

TEST_F(paranoid_queue, declares_no_worker_dead_after_a_pause_of_its_own) {
  run.join(worker_a);
  run.now += 1min;
  run.state.on_deadline(run.now, run.actions);
  EXPECT_EQ(run.state.workers(), 1U);
  run.heartbeat(worker_a);
  run.pass(2'999ms, {});
  EXPECT_EQ(run.state.workers(), 1U);
  run.pass(1ms);
  EXPECT_EQ(run.state.workers(), 0U);
}

}  // namespace
}  // namespace zmtp
