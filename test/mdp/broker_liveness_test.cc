// Heartbeats, expiry, and the requests of lost workers.
#include "test/mdp/broker_fixture.h"

#include <vector>

namespace mdp {
namespace {

class broker_liveness : public broker_fixture {
public:
  using broker_fixture::broker_fixture;

  std::size_t heartbeats(zmtp::peer_id worker, dialect how = dialect::v02) {
    std::size_t count = 0;
    for (auto m = next(worker); !m.empty(); m = next(worker)) {
      EXPECT_EQ(m, heartbeat(how));
      ++count;
    }
    return count;
  }
  // Time passes, and the workers say that they live.
  void live(std::initializer_list<zmtp::peer_id> workers, std::chrono::milliseconds time) {
    for (auto rest = time; rest > 0ms; rest -= 500ms) {
      pass(500ms);
      for (const auto worker : workers) {
        say(worker, heartbeat());
      }
    }
  }
};

TEST_F(broker_liveness, an_idle_worker_gets_a_heartbeat_each_interval) {  // MDP-40
  const auto worker = attach_worker("echo");
  live({worker}, 25s);
  EXPECT_EQ(heartbeats(worker), 10U);
}

TEST_F(broker_liveness, heartbeats_are_in_the_workers_dialect) {
  for (const auto how : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    const auto worker = attach_worker("echo", how);
    pass(2500ms);
    EXPECT_EQ(heartbeats(worker, how), 1U);
    detach(worker);
  }
}

TEST_F(broker_liveness, a_busy_worker_gets_heartbeats_too) {  // C3-4, MDP-37
  const auto worker = attach_worker("echo");
  const auto client = attach();
  ask(client, "echo", {"1"sv});
  const auto given = next_request(worker);
  pass(25s);
  EXPECT_EQ(heartbeats(worker), 10U);
  say(worker, heartbeat());
  reply(worker, given.address, {"slow"sv});
  EXPECT_EQ(next(client), final_reply("echo", "slow"));
}

TEST_F(broker_liveness, no_heartbeat_within_an_interval_of_a_request) {  // MDP-39
  const auto worker = attach_worker("echo");
  const auto client = attach();
  for (int i = 0; i < 20; ++i) {
    pass(2s);
    ask(client, "echo", {"1"sv});
    echo(worker);
  }
  EXPECT_EQ(heartbeats(worker), 0U);
  pass(2499ms);
  EXPECT_EQ(heartbeats(worker), 0U);
  pass(1ms);
  EXPECT_EQ(heartbeats(worker), 1U);
}

TEST_F(broker_liveness, clients_and_unknown_peers_get_no_heartbeats) {  // MDP-29
  const auto client = attach();
  const auto stranger = attach();
  ask(client, "echo", {"1"sv});
  pass(30s);
  EXPECT_TRUE(silent(client));
  EXPECT_TRUE(silent(stranger));
}

TEST_F(broker_liveness,
       an_unresponsive_idle_worker_expires_after_three_to_five_intervals) {  // MDP-41, 43
  const auto worker = attach_worker("echo");
  pass(7499ms);
  EXPECT_EQ(broker.status().workers, 1U);
  pass(5s);
  EXPECT_EQ(broker.status().workers, 0U);
  EXPECT_EQ(counters().workers_expired, 1U);
  (void)heartbeats(worker);
  const auto client = attach();
  ask(client, "echo", {"1"sv});
  pass(30s);
  EXPECT_TRUE(silent(worker));
}

TEST_F(broker_liveness, each_worker_has_a_deadline_of_its_own) {  // C3-14
  const auto lively = attach_worker("echo");
  const auto dead = attach_worker("echo");
  live({lively}, 10s);
  EXPECT_EQ(broker.status().workers, 1U);
  const auto client = attach();
  ask(client, "echo", {"1"sv});
  EXPECT_EQ(heartbeats(dead), 2U);
  EXPECT_FALSE(silent(lively));
}

TEST_F(broker_liveness, any_command_counts_as_heartbeat) {  // MDP-38
  const auto worker = attach_worker("echo");
  const auto client = attach();
  for (int i = 0; i < 10; ++i) {
    ask(client, "echo", {"1"sv});
    auto m = next(worker);
    while (m == heartbeat()) {
      m = next(worker);
    }
    reply(worker, m[2], {"x"sv});
    pass(7s);
    EXPECT_EQ(broker.status().workers, 1U);
  }
}

TEST_F(broker_liveness, an_expired_worker_that_sends_again_is_disconnected) {
  const auto answer = zmtp::message{"MDPW02"sv, "\x04"sv, "a"sv, ""sv, "b"sv};
  for (const auto& m : {heartbeat(), make_ready(version::v02, "echo"), answer}) {
    const auto worker = attach_worker("echo");
    pass(10s);
    (void)heartbeats(worker);
    say(worker, m);
    EXPECT_EQ(next(worker), disconnect());
    say(worker, m);
    EXPECT_TRUE(silent(worker));
  }
}

TEST_F(broker_liveness, a_silent_busy_worker_does_not_expire) {  // C3-4
  const auto worker = attach_worker("echo");
  const auto client = attach();
  ask(client, "echo", {"1"sv});
  const auto given = next_request(worker);
  pass(1h);
  reply(worker, given.address, {"at last"sv});
  EXPECT_EQ(next(client), final_reply("echo", "at last"));
  (void)heartbeats(worker);
  // Idle again, it has the whole time.
  pass(7499ms);
  EXPECT_EQ(broker.status().workers, 1U);
  pass(1ms);
  EXPECT_EQ(broker.status().workers, 0U);
}

class broker_busy_expiry : public broker_liveness {
public:
  broker_busy_expiry() : broker_liveness{{.services = {.busy_expiry = 1s}}} {}
};

TEST_F(broker_busy_expiry, a_silent_busy_worker_expires_if_configured) {
  const auto frozen = attach_worker("echo");
  const auto client = attach();
  ask(client, "echo", {"1"sv});
  const auto given = next_request(frozen);
  pass(999ms);
  say(frozen, heartbeat());
  pass(999ms);
  EXPECT_EQ(broker.status().workers, 1U);
  const auto second = attach_worker("echo");
  EXPECT_TRUE(silent(second));
  pass(1ms);
  echo(second);
  EXPECT_EQ(next(client), final_reply("echo", "1"));
  reply(frozen, given.address, {"too late"sv});
  EXPECT_EQ(next(frozen), disconnect());
  EXPECT_TRUE(silent(client));
}

TEST_F(broker_liveness, request_of_a_lost_worker_goes_to_another) {  // MDP-44, C3-5, M3
  const std::vector<void (*)(broker_liveness&, zmtp::peer_id)> losses{
      [](broker_liveness& t, zmtp::peer_id w) { t.detach(w); },
      [](broker_liveness& t, zmtp::peer_id w) { t.say(w, disconnect()); },
      [](broker_liveness& t, zmtp::peer_id w) { t.say(w, make_ready(version::v02, "echo")); },
      [](broker_liveness& t, zmtp::peer_id w) { t.say(w, {"garbage"sv}); },
      [](broker_liveness& t, zmtp::peer_id w) { t.reply(w, "no mark of ours", {"x"sv}); },
  };
  for (const auto lose : losses) {
    const auto client = attach();
    const auto first = attach_worker("echo");
    ask(client, "echo", {"same"sv, "body"sv});
    const auto given = next_request(first);
    const auto second = attach_worker("echo");
    lose(*this, first);
    const auto again = next_request(second);
    EXPECT_EQ(again.body, given.body);
    EXPECT_NE(again.address, given.address);
    reply(second, again.address, {"x"sv});
    EXPECT_EQ(next(client), final_reply("echo", "x"));
    EXPECT_TRUE(silent(client));
    detach(second);
  }
}

TEST_F(broker_liveness, request_of_a_lost_worker_goes_first) {  // C3-5
  const auto first = attach_worker("echo");
  const auto client = attach();
  const auto other = attach();
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  ask(other, "echo", {"3"sv});
  detach(first);
  const auto second = attach_worker("echo");
  EXPECT_EQ(next_request(second).body, zmtp::message{"1"sv});
}

TEST_F(broker_liveness, deadly_request_is_dropped_after_three_attempts) {  // M3
  const auto client = attach();
  ask(client, "echo", {"poison"sv});
  for (int i = 0; i < 3; ++i) {
    const auto worker = attach_worker("echo");
    EXPECT_EQ(next_request(worker).body, zmtp::message{"poison"sv});
    detach(worker);
  }
  const auto worker = attach_worker("echo");
  EXPECT_TRUE(silent(worker));
  EXPECT_TRUE(silent(client));
  EXPECT_EQ(counters().exhausted, 1U);
  EXPECT_EQ(counters().requeued, 2U);
  ask(client, "echo", {"fine"sv});
  echo(worker);
  EXPECT_EQ(next(client), final_reply("echo", "fine"));
}

TEST_F(broker_liveness, a_reply_that_has_begun_is_not_restarted) {  // B20
  const auto client = attach();
  const auto first = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  const auto given = next_request(first);
  reply(first, given.address, {"part"sv}, version::v02, false);
  EXPECT_EQ(next(client), partial_reply("echo", "part"));
  const auto second = attach_worker("echo");
  detach(first);
  EXPECT_TRUE(silent(second));
  EXPECT_EQ(counters().cut_short, 1U);
  EXPECT_EQ(broker.status().working, 0U);
}

TEST_F(broker_liveness, redelivers_a_request_whose_gathered_reply_was_not_sent) {
  const auto client = attach();
  const auto first = attach_worker("echo");
  ask(client, "echo", {"1"sv}, version::v01);
  const auto given = next_request(first);
  reply(first, given.address, {"part of the first"sv}, version::v02, false);
  const auto second = attach_worker("echo");
  detach(first);
  echo(second);
  EXPECT_EQ(next(client), old_reply("echo", "1"));
}

TEST_F(broker_liveness, requests_of_a_client_that_left_are_dropped) {  // B20
  const auto client = attach();
  const auto other = attach();
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  ask(other, "echo", {"3"sv});
  detach(client);
  const auto worker = attach_worker("echo");
  EXPECT_EQ(next_request(worker).body, zmtp::message{"3"sv});
  EXPECT_EQ(counters().abandoned, 2U);
}

TEST_F(broker_liveness, a_reply_to_a_disconnected_client_is_dropped) {
  const auto client = attach();
  const auto worker = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  detach(client);
  const auto given = next_request(worker);
  reply(worker, given.address, {"part"sv}, version::v02, false);
  reply(worker, given.address, {"x"sv});
  EXPECT_TRUE(silent(worker));
  EXPECT_EQ(counters().unwanted_replies, 2U);
  const auto second = attach();
  ask(second, "echo", {"2"sv});
  echo(worker);
  EXPECT_EQ(next(second), final_reply("echo", "2"));
  // The request is not given to another worker either.
  ask(second, "echo", {"3"sv});
  detach(second);
  detach(worker);
  EXPECT_TRUE(silent(attach_worker("echo")));
}

TEST_F(broker_liveness, requests_for_an_absent_service_expire) {  // MDP-14, C3-6
  const auto client = attach();
  ask(client, "late", {"1"sv});
  pass(30s);
  ask(client, "late", {"2"sv});
  pass(30s);
  EXPECT_EQ(counters().expired, 1U);
  const auto worker = attach_worker("late");
  EXPECT_EQ(next_request(worker).body, zmtp::message{"2"sv});
  EXPECT_TRUE(silent(client));
}

TEST_F(broker_liveness, requests_that_wait_for_busy_workers_do_not_expire) {
  const auto client = attach();
  const auto worker = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  const auto given = next_request(worker);
  pass(1h);
  detach(worker);
  // The time counts from the loss of the last worker.
  pass(59s);
  EXPECT_EQ(broker.status().waiting, 2U);
  pass(1s);
  EXPECT_EQ(broker.status().waiting, 0U);
  EXPECT_EQ(broker.status().services, 0U);
  EXPECT_EQ(counters().expired, 2U);
}

TEST_F(broker_liveness, a_paused_broker_reads_pending_messages_before_it_expires_workers) {  // M4
  const auto worker = attach_worker("echo");
  const auto client = attach();
  ask(client, "late", {"1"sv});
  now += 70s;  // SIGSTOP
  broker.on_deadline(now, actions);
  carry_out();
  EXPECT_EQ(broker.status().workers, 1U);
  EXPECT_EQ(broker.status().waiting, 1U);
  EXPECT_EQ(heartbeats(worker), 1U);
  say(worker, heartbeat());
  pass(2500ms);
  EXPECT_EQ(broker.status().workers, 1U);
  // A worker that was silent all the time is judged an interval later.
  EXPECT_EQ(counters().expired, 1U);
}

TEST_F(broker_liveness, a_worker_that_stays_silent_after_the_pause_expires) {  // M4
  (void)attach_worker("echo");
  now += 70s;
  broker.on_deadline(now, actions);
  carry_out();
  pass(2499ms);
  EXPECT_EQ(broker.status().workers, 1U);
  pass(1ms);
  EXPECT_EQ(broker.status().workers, 0U);
}

TEST_F(broker_liveness, without_workers_and_requests_there_is_no_deadline) {
  EXPECT_FALSE(broker.next_deadline());
  const auto worker = attach_worker("echo");
  EXPECT_EQ(broker.next_deadline(), now + 2500ms);
  detach(worker);
  EXPECT_FALSE(broker.next_deadline());
  const auto client = attach();
  ask(client, "late", {"1"sv});
  EXPECT_EQ(broker.next_deadline(), now + 60s);
  detach(client);
  EXPECT_FALSE(broker.next_deadline());
}

TEST_F(broker_liveness, many_workers_on_one_clock) {  // MDP-40 for each of them
  std::vector<zmtp::peer_id> workers;
  for (int i = 0; i < 300; ++i) {
    workers.push_back(attach_worker("service" + std::to_string(i % 7)));
    pass(std::chrono::milliseconds{i * 7 % 13});
  }
  for (int second = 0; second < 100; ++second) {
    pass(1s);
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (i % 3 != 0 && (second + static_cast<int>(i)) % 5 == 0) {
        say(workers[i], heartbeat());
      }
    }
  }
  EXPECT_EQ(broker.status().workers, 200U);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const auto count = heartbeats(workers[i]);
    if (i % 3 == 0) {
      EXPECT_LE(count, 3U);
    } else {
      EXPECT_NEAR(static_cast<double>(count), 40.5, 1);
    }
  }
}

}  // namespace
}  // namespace mdp
