// A service that does not answer, a client that sends as much as ten, a broker that was paused: the effects on
// others. Reliability tests 24 and 25 without sockets.
#include "test/mdp/broker_fixture.h"

#include <map>
#include <string>
#include <vector>

namespace mdp {
namespace {

class broker_isolation : public broker_fixture {};

TEST_F(broker_isolation, a_hundred_thousand_stuck_requests_do_not_delay_other_services) {  // M5, D4
  const auto stuck_worker = attach_worker("stuck");
  std::vector<zmtp::peer_id> stuck;
  for (int i = 0; i < 101; ++i) {
    stuck.push_back(attach());
    while (paused.count(stuck.back()) == 0) {
      ask(stuck.back(), "stuck", {"x"sv});
    }
  }
  EXPECT_EQ(broker.status().waiting + broker.status().working, 101'000U);
  const auto client = attach();
  const auto worker = attach_worker("fine");
  for (int i = 0; i < 1000; ++i) {
    // In one step to the worker and in one back, whatever waits elsewhere.
    ask(client, "fine", {"x"sv});
    echo(worker);
    ASSERT_EQ(next(client), final_reply("fine", "x"));
  }
  EXPECT_EQ(paused.count(client), 0U);
  EXPECT_EQ(broker.status().paused_clients, 101U);
  for (const auto id : stuck) {
    EXPECT_TRUE(silent(id));
    detach(id);
  }
  EXPECT_EQ(broker.status().waiting, 0U);
  EXPECT_FALSE(silent(stuck_worker));
}

TEST_F(broker_isolation, a_full_service_delays_only_its_own_clients) {  // M5
  std::vector<zmtp::peer_id> full;
  const std::string body(1024 * 1024, 'b');
  while (broker.status().paused_clients == 0) {
    full.push_back(attach());
    for (int i = 0; i < 10; ++i) {
      ask(full.back(), "full", {body});
    }
  }
  EXPECT_EQ(full.size(), 7U);  // 64 MiB
  const auto late = attach();
  ask(late, "full", {body});
  EXPECT_EQ(paused.count(late), 1U);
  const auto worker = attach_worker("fine");
  // Also those that have requests there from before it was full.
  for (const auto client : {full.front(), attach()}) {
    for (int i = 0; i < 100; ++i) {
      ask(client, "fine", {"x"sv});
      echo(worker);
      ASSERT_EQ(next(client), final_reply("fine", "x"));
    }
    EXPECT_EQ(paused.count(client), 0U);
  }
}

TEST_F(broker_isolation, a_flooding_client_gets_only_its_turn) {  // MDP-2, D4
  const auto greedy = attach();
  std::vector<zmtp::peer_id> modest;
  for (int i = 0; i < 9; ++i) {
    modest.push_back(attach());
    ask(modest.back(), "echo", {"modest"sv});
  }
  const auto worker = attach_worker("echo");
  std::map<zmtp::peer_id, int> answered;
  for (int served = 0; served < 10'000; ++served) {
    while (paused.count(greedy) == 0) {
      ask(greedy, "echo", {"greedy"sv});
    }
    echo(worker);
    while (!silent(greedy)) {
      (void)next(greedy);
      ++answered[greedy];
    }
    for (const auto client : modest) {
      while (!silent(client)) {
        (void)next(client);
        ++answered[client];
        ask(client, "echo", {"modest"sv});
      }
    }
  }
  // A client with one request at a time is not in the queue while its request is in flight. This costs the
  // client little.
  for (const auto client : modest) {
    EXPECT_GE(answered[client], 950);
  }
  EXPECT_LE(answered[greedy], 1200);
}

TEST_F(broker_isolation, requests_of_lost_workers_do_not_change_the_order_of_clients) {
  const auto greedy = attach();
  const auto modest = attach();
  for (int i = 0; i < 900; ++i) {
    ask(greedy, "echo", {"greedy"sv});
  }
  int of_modest = 0;
  for (int round = 0; round < 200; ++round) {
    ask(modest, "echo", {"modest"sv});
    const auto lost = attach_worker("echo", dialect::v02, "capacity=2");
    detach(lost);
    const auto worker = attach_worker("echo", dialect::v02, "capacity=2");
    for (int i = 0; i < 2; ++i) {
      echo(worker);
    }
    while (!silent(modest)) {
      (void)next(modest);
      ++of_modest;
    }
    detach(worker);
  }
  EXPECT_GE(of_modest, 180);
  EXPECT_EQ(counters().exhausted, 0U);
}

// 500 workers, half of them busy, which all received and sent a message just before the broker was paused.
class stopped_broker : public broker_setting {
public:
  stopped_broker() : broker_setting{{.services = {.attempts = 1'000, .busy_expiry = 10s}}} {
    for (int i = 0; i < 250; ++i) {
      const auto busy = attach_worker("busy");
      const auto client = attach();
      ask(client, "busy", {"x"sv});
      given_.push_back({busy, client, next_request(busy).address});
      idle_.push_back(attach_worker("idle"));
    }
  }

  void look_at_the_time() {
    broker.on_deadline(now, actions);
    carry_out();
  }
  // Messages that peers sent meanwhile and that the broker has not read yet.
  void read_from_the_busy() {
    for (const auto& [worker, client, address] : given_) {
      say(worker, heartbeat());
      reply(worker, address, {"done"sv});
    }
  }
  void read_from_the_idle() {
    for (const auto worker : idle_) {
      say(worker, heartbeat());
    }
  }
  void expect_that_nothing_was_lost() {
    pass(2499ms);
    EXPECT_EQ(broker.status().workers, 500U);
    EXPECT_EQ(counters().workers_expired, 0U);
    EXPECT_EQ(counters().requeued, 0U);
    for (const auto& [worker, client, address] : given_) {
      EXPECT_EQ(next(client), final_reply("busy", "done"));
      EXPECT_TRUE(silent(client));
    }
  }

private:
  struct in_flight {
    zmtp::peer_id worker;
    zmtp::peer_id client;
    std::string address;
  };
  std::vector<in_flight> given_;
  std::vector<zmtp::peer_id> idle_;
};

TEST(broker_stopped, a_paused_broker_keeps_all_workers_in_any_order_of_events) {  // M4
  for (const auto stop : {10s, 15s, 3600s}) {
    for (int looks_at = 0; looks_at < 3; ++looks_at) {
      SCOPED_TRACE(std::to_string(stop.count()) + " s, " + std::to_string(looks_at));
      stopped_broker stopped;
      stopped.now += stop;
      if (looks_at == 0) {
        stopped.look_at_the_time();
      }
      stopped.read_from_the_busy();
      if (looks_at == 1) {
        stopped.look_at_the_time();
      }
      stopped.read_from_the_idle();
      if (looks_at == 2) {
        stopped.look_at_the_time();
      }
      stopped.expect_that_nothing_was_lost();
    }
  }
}

TEST(broker_stopped, a_broker_paused_repeatedly_still_detects_dead_workers) {  // M4
  stopped_broker stopped;
  for (int i = 0; i < 5; ++i) {
    stopped.now += 20s;
    stopped.look_at_the_time();
    stopped.read_from_the_idle();
    EXPECT_EQ(stopped.broker.status().workers, 500U);
  }
  // The busy workers were silent all the time. The broker expires them after it has run for an interval.
  stopped.pass(2500ms);
  EXPECT_EQ(stopped.broker.status().workers, 250U);
  EXPECT_EQ(stopped.counters().workers_expired, 250U);
  EXPECT_EQ(stopped.counters().requeued, 250U);
}

}  // namespace
}  // namespace mdp
