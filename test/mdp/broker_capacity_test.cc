// Workers that announce how many requests they take at once.
#include "test/mdp/broker_fixture.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace mdp {
namespace {

class broker_capacity : public broker_fixture {
public:
  using broker_fixture::broker_fixture;

  void ask_numbers(zmtp::peer_id client, int first, int last, version v = version::v02) {
    for (int i = first; i <= last; ++i) {
      ask(client, "echo", {std::to_string(i)}, v);
    }
  }
  // Returns all requests in the inbox of the worker, and empties the inbox.
  std::vector<given_request> take_all(zmtp::peer_id worker, dialect how = dialect::v02) {
    std::vector<given_request> all;
    while (!silent(worker)) {
      all.push_back(next_request(worker, how));
    }
    return all;
  }
  static std::string number(const given_request& given) { return std::string{given.body.front()}; }
};

TEST_F(broker_capacity, a_worker_gets_at_most_its_announced_number_of_requests) {
  for (const auto how : {dialect::v01, dialect::v02, dialect::v02_delimited}) {
    const auto worker = attach_worker("echo", how, "capacity=3");
    const auto client = attach();
    ask_numbers(client, 1, 5);
    auto in_flight = take_all(worker, how);
    ASSERT_EQ(in_flight.size(), 3U);
    EXPECT_EQ(broker.status().working, 3U);
    EXPECT_EQ(broker.status().waiting, 2U);
    for (int i = 1; i <= 5; ++i) {
      auto first = in_flight.front();
      in_flight.erase(in_flight.begin());
      EXPECT_EQ(number(first), std::to_string(i));
      push_worker_reply(first.body, version_of(how), true, first.address);
      if (how == dialect::v02_delimited) {
        first.body.push_front("");
      }
      say(worker, first.body);
      EXPECT_EQ(next(client), final_reply("echo", std::to_string(i)));
      for (auto& given : take_all(worker, how)) {
        in_flight.push_back(given);
      }
      EXPECT_LE(in_flight.size(), 3U);
    }
    detach(worker);
  }
}

TEST_F(broker_capacity, an_absent_or_malformed_capacity_is_one) {
  for (const std::string announced : {"", "mdp-errors", "capacity=0", "capacity=many"}) {
    const auto worker = attach_worker("echo", dialect::v02, announced);
    const auto client = attach();
    ask_numbers(client, 1, 2);
    EXPECT_EQ(take_all(worker).size(), 1U) << announced;
    detach(client);
    detach(worker);
  }
  EXPECT_EQ(counters().malformed_announcements, 2U);
}

class broker_capacity_limit : public broker_capacity {
public:
  broker_capacity_limit() : broker_capacity{{.worker_in_flight = 2}} {}
};

TEST_F(broker_capacity_limit, holds_whatever_a_worker_announces) {
  const auto worker = attach_worker("echo", dialect::v02, "capacity=18446744073709551615");
  const auto client = attach();
  ask_numbers(client, 1, 3);
  EXPECT_EQ(take_all(worker).size(), 2U);
}

TEST_F(broker_capacity, replies_come_in_any_order) {
  for (const auto v : {version::v01, version::v02}) {
    const auto worker = attach_worker("echo", dialect_of(v), "capacity=4");
    const auto first = attach();
    const auto second = attach();
    ask(first, "echo", {"1"sv}, v);
    ask(second, "echo", {"2"sv}, v);
    ask(first, "echo", {"3"sv}, v);
    ask(second, "echo", {"4"sv}, v);
    const auto given = take_all(worker, dialect_of(v));
    ASSERT_EQ(given.size(), 4U);
    const auto expect = [&](zmtp::peer_id client, std::string_view text) {
      EXPECT_EQ(next(client),
                v == version::v01 ? old_reply("echo", text) : final_reply("echo", text));
    };
    for (const std::size_t at : {3U, 0U, 2U, 1U}) {
      reply(worker, given[at].address, zmtp::message{given[at].body}, v);
    }
    expect(second, "4");
    expect(second, "2");
    expect(first, "1");
    expect(first, "3");
    EXPECT_TRUE(silent(first));
    EXPECT_TRUE(silent(second));
    EXPECT_TRUE(silent(worker));
    EXPECT_EQ(broker.status().working, 0U);
    detach(worker);
  }
}

TEST_F(broker_capacity, partial_replies_of_several_requests_are_kept_apart) {
  const auto worker = attach_worker("echo", dialect::v02, "capacity=3");
  const auto modern = attach();
  const auto old = attach();
  ask(modern, "echo", {"1"sv});
  ask(old, "echo", {"2"sv}, version::v01);
  ask(modern, "echo", {"3"sv});
  const auto given = take_all(worker);
  ASSERT_EQ(given.size(), 3U);
  reply(worker, given[2].address, {"c"sv}, version::v02, false);
  reply(worker, given[1].address, {"b"sv}, version::v02, false);
  reply(worker, given[0].address, {"a"sv}, version::v02, false);
  reply(worker, given[1].address, {"B"sv});
  reply(worker, given[2].address, {"C"sv});
  reply(worker, given[0].address, {"A"sv});
  EXPECT_EQ(next(old), (zmtp::message{""sv, "MDPC01"sv, "echo"sv, "b"sv, "B"sv}));
  EXPECT_EQ(next(modern), partial_reply("echo", "c"));
  EXPECT_EQ(next(modern), partial_reply("echo", "a"));
  EXPECT_EQ(next(modern), final_reply("echo", "C"));
  EXPECT_EQ(next(modern), final_reply("echo", "A"));
  EXPECT_TRUE(silent(modern));
  EXPECT_TRUE(silent(old));
}

TEST_F(broker_capacity, redelivers_all_requests_of_a_lost_worker_in_order) {
  const std::vector<void (*)(broker_capacity&, zmtp::peer_id)> losses{
      [](broker_capacity& t, zmtp::peer_id w) { t.detach(w); },
      [](broker_capacity& t, zmtp::peer_id w) { t.say(w, disconnect()); },
      [](broker_capacity& t, zmtp::peer_id w) { t.say(w, make_ready(version::v02, "echo")); },
      [](broker_capacity& t, zmtp::peer_id w) { t.say(w, {"garbage"sv}); },
      [](broker_capacity& t, zmtp::peer_id w) { t.reply(w, "sixteen bytes!!", {"x"sv}); },
  };
  for (const auto lose : losses) {
    const auto client = attach();
    const auto other = attach();
    const auto lost = attach_worker("echo", dialect::v02, "capacity=4");
    ask_numbers(client, 1, 6);
    ask(other, "echo", {"7"sv});
    const auto given = take_all(lost);
    ASSERT_EQ(given.size(), 4U);
    reply(lost, given[1].address, {"2"sv});  // and gets 5
    lose(*this, lost);
    const auto heir = attach_worker("echo", dialect::v02, "capacity=8");
    std::string order;
    for (auto again = take_all(heir); !again.empty(); again = take_all(heir)) {
      EXPECT_EQ(again.size(), order.size() < 4 ? 1U : 2U) << "one that was lost is by itself";
      for (const auto& one : again) {
        order += number(one);
        reply(heir, one.address, zmtp::message{one.body});
      }
    }
    // First the requests of the lost worker, in their order; then the clients in turn.
    EXPECT_EQ(order.substr(0, 3), "134");
    EXPECT_EQ(order.size(), 6U);
    std::set<std::string> answered;
    for (const auto id : {client, other}) {
      while (!silent(id)) {
        EXPECT_TRUE(answered.insert(std::string{next(id).back()}).second);
      }
    }
    EXPECT_EQ(answered.size(), 7U);
    detach(heir);
    detach(client);
    detach(other);
  }
}

TEST_F(broker_capacity, a_request_that_ends_its_workers_fails_alone) {  // M3
  const auto client = attach("mdp-errors");
  ask_numbers(client, 1, 8);
  // A worker ends as soon as it begins with 3, in any order of its requests.
  std::set<std::string> answered;
  for (int i = 0; i < 3; ++i) {
    const auto worker = attach_worker("echo", dialect::v02, "capacity=8");
    bool lost = false;
    for (auto given = take_all(worker); !lost && !given.empty(); given = take_all(worker)) {
      if (i != 0) {
        EXPECT_EQ(given.size(), 1U) << "nothing is beside a request that was lost";
      }
      lost = std::any_of(given.begin(), given.end(),
                         [](const given_request& one) { return number(one) == "3"; });
      for (auto& one : given) {
        if (!lost) {
          reply(worker, one.address, std::move(one.body));
        }
      }
    }
    EXPECT_TRUE(lost);
    detach(worker);
  }
  while (!silent(client)) {
    auto m = next(client);
    if (m[2] == "echo") {
      EXPECT_TRUE(answered.insert(std::string{m.back()}).second);
    }
  }
  const auto last = attach_worker("echo", dialect::v02, "capacity=8");
  while (!silent(last)) {
    echo(last);
    answered.insert(std::string{next(client).back()});
  }
  EXPECT_EQ(answered, (std::set<std::string>{"1", "2", "4", "5", "6", "7", "8"}));
  EXPECT_EQ(counters().exhausted, 1U);
  EXPECT_EQ(counters().errors, 1U);
}

TEST_F(broker_capacity, a_lost_request_waits_for_an_idle_worker) {
  const auto client = attach();
  const auto lost = attach_worker("echo", dialect::v02, "capacity=2");
  ask_numbers(client, 1, 1);
  const zmtp::peer_id wide[] = {attach_worker("echo", dialect::v02, "capacity=8"),
                                attach_worker("echo", dialect::v02, "capacity=8")};
  ask_numbers(client, 2, 5);
  auto first = take_all(wide[0]);
  auto second = take_all(wide[1]);
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 1U);
  detach(lost);  // it had 1 and 4, and both workers are at work
  EXPECT_TRUE(silent(wide[0]));
  EXPECT_TRUE(silent(wide[1]));
  // One worker is kept free for the lost requests. Its neighbour takes the new ones.
  ask_numbers(client, 6, 7);
  std::vector<given_request> more[] = {take_all(wide[0]), take_all(wide[1])};
  EXPECT_EQ(more[0].size() + more[1].size(), 2U);
  EXPECT_TRUE(more[0].empty() || more[1].empty());
  const int kept = more[0].empty() ? 0 : 1;
  auto& left = kept == 0 ? first : second;
  for (auto& one : left) {
    EXPECT_TRUE(silent(wide[kept]));
    reply(wide[kept], one.address, std::move(one.body));
  }
  for (const auto* const expected : {"1", "4"}) {
    auto alone = take_all(wide[kept]);
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(number(alone[0]), expected);
    ask_numbers(client, 8, 8);
    EXPECT_TRUE(silent(wide[kept])) << "nothing beside it";
    reply(wide[kept], alone[0].address, std::move(alone[0].body));
    (void)take_all(wide[1 - kept]);
  }
  // Then it takes several again.
  ask_numbers(client, 9, 11);
  EXPECT_GE(take_all(wide[kept]).size(), 2U);
}

TEST_F(broker_capacity, a_reserved_worker_gets_others_when_the_lost_request_ends) {
  const auto leaves = attach();
  const auto stays = attach();
  const auto lost = attach_worker("echo", dialect::v02, "capacity=2");
  ask_numbers(leaves, 1, 1);
  const auto wide = attach_worker("echo", dialect::v02, "capacity=3");
  ask_numbers(stays, 2, 2);
  EXPECT_EQ(take_all(wide).size(), 1U);
  detach(lost);
  ask_numbers(stays, 3, 3);
  EXPECT_TRUE(silent(wide));
  detach(leaves);
  EXPECT_EQ(number(next_request(wide)), "3");
  ask_numbers(stays, 4, 4);
  EXPECT_EQ(number(next_request(wide)), "4");
}

TEST_F(broker_capacity, each_request_has_its_own_attempts) {
  const auto client = attach();
  ask_numbers(client, 1, 1);
  for (int i = 0; i < 2; ++i) {
    const auto worker = attach_worker("echo", dialect::v02, "capacity=2");
    detach(worker);
  }
  const auto worker = attach_worker("echo", dialect::v02, "capacity=2");
  const auto wide = attach_worker("echo", dialect::v02, "capacity=2");
  ask_numbers(client, 2, 2);
  EXPECT_EQ(take_all(worker).size(), 1U);
  EXPECT_EQ(take_all(wide).size(), 1U);
  detach(worker);
  EXPECT_EQ(counters().exhausted, 1U);
  detach(wide);
  const auto last = attach_worker("echo", dialect::v02, "capacity=2");
  const auto given = take_all(last);
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(number(given[0]), "2");
  EXPECT_EQ(counters().exhausted, 1U);
}

TEST_F(broker_capacity, a_second_reply_is_dropped) {  // MDP-30
  const auto client = attach();
  const auto worker = attach_worker("echo", dialect::v02, "capacity=2");
  ask_numbers(client, 1, 2);
  const auto given = take_all(worker);
  reply(worker, given[0].address, {"once"sv});
  reply(worker, given[0].address, {"twice"sv});
  EXPECT_EQ(next(client), final_reply("echo", "once"));
  EXPECT_TRUE(silent(client));
  EXPECT_EQ(next(worker), disconnect());
  const auto honest = attach_worker("echo");
  EXPECT_EQ(number(next_request(honest)), "2");
}

TEST_F(broker_capacity, rejects_the_address_of_another_workers_request) {  // M2
  const auto victim = attach_worker("echo", dialect::v02, "capacity=2");
  const auto thief = attach_worker("echo", dialect::v02, "capacity=2");
  const auto client = attach();
  ask_numbers(client, 1, 2);
  const auto given = next_request(victim);
  reply(thief, given.address, {"stolen"sv});
  EXPECT_EQ(next(thief).back(), "2");
  EXPECT_EQ(next(thief), disconnect());
  reply(victim, given.address, {"true"sv});
  EXPECT_EQ(next(client), final_reply("echo", "true"));
}

TEST_F(broker_capacity, idle_workers_come_before_those_at_work) {
  const auto wide = attach_worker("echo", dialect::v02, "capacity=8");
  const auto stock = attach_worker("echo");
  const auto client = attach();
  ask_numbers(client, 1, 2);
  EXPECT_EQ(number(next_request(wide)), "1");
  const auto given = next_request(stock);
  EXPECT_EQ(number(given), "2");
  ask_numbers(client, 3, 3);
  EXPECT_EQ(number(next_request(wide)), "3");
  reply(stock, given.address, {"2"sv});
  ask_numbers(client, 4, 4);
  EXPECT_EQ(number(next_request(stock)), "4");
}

TEST_F(broker_capacity, workers_with_room_take_turns) {
  const zmtp::peer_id workers[] = {attach_worker("echo", dialect::v02, "capacity=3"),
                                   attach_worker("echo", dialect::v02, "capacity=2")};
  const auto client = attach();
  ask_numbers(client, 1, 6);
  std::string order[2];
  for (int i = 0; i < 2; ++i) {
    for (const auto& given : take_all(workers[i])) {
      order[i] += number(given);
    }
  }
  EXPECT_EQ(order[0], "135");
  EXPECT_EQ(order[1], "24");
}

TEST_F(broker_capacity, a_client_that_leaves_frees_nothing_before_the_reply) {
  const auto worker = attach_worker("echo", dialect::v02, "capacity=2");
  const auto client = attach();
  ask_numbers(client, 1, 3);
  const auto given = take_all(worker);
  ASSERT_EQ(given.size(), 2U);
  detach(client);
  const auto other = attach();
  ask_numbers(other, 4, 4);
  EXPECT_TRUE(silent(worker));
  reply(worker, given[1].address, {"2"sv});
  EXPECT_EQ(counters().unwanted_replies, 1U);
  EXPECT_EQ(number(next_request(worker)), "4");
}

TEST_F(broker_capacity, a_request_that_was_not_sent_does_not_count_as_an_attempt) {
  const auto client = attach();
  const auto stalled = attach_worker("echo", dialect::v02, "capacity=2");
  ask_numbers(client, 1, 2);
  auto first = next(stalled);
  auto second = next(stalled);
  (void)first;
  broker.on_not_taken(stalled, second, now, actions);
  carry_out();
  EXPECT_EQ(closed.count(stalled), 1U);
  EXPECT_EQ(counters().workers_not_reading, 1U);
  EXPECT_EQ(counters().requeued, 2U);
}

TEST_F(broker_capacity, a_busy_worker_gets_heartbeats_and_does_not_expire) {
  const auto worker = attach_worker("echo", dialect::v02, "capacity=2");
  const auto client = attach();
  ask_numbers(client, 1, 2);
  const auto given = take_all(worker);
  pass(25s);
  std::size_t heartbeats = 0;
  for (; next(worker) == heartbeat(); ++heartbeats) {
  }
  EXPECT_EQ(heartbeats, 10U);
  reply(worker, given[0].address, {"1"sv});
  pass(1h);  // one request is still in flight
  EXPECT_EQ(broker.status().workers, 1U);
  reply(worker, given[1].address, {"2"sv});
  pass(7499ms);
  EXPECT_EQ(broker.status().workers, 1U);
  pass(1ms);
  EXPECT_EQ(broker.status().workers, 0U);
}

class broker_capacity_busy_expiry : public broker_capacity {
public:
  broker_capacity_busy_expiry() : broker_capacity{{.services = {.busy_expiry = 1s}}} {}
};

TEST_F(broker_capacity_busy_expiry, silence_counts_from_the_first_request_and_not_from_the_latest) {
  const auto frozen = attach_worker("echo", dialect::v02, "capacity=8");
  const auto client = attach();
  ask_numbers(client, 1, 1);
  pass(600ms);
  ask_numbers(client, 2, 2);
  pass(399ms);
  EXPECT_EQ(broker.status().workers, 1U);
  pass(1ms);
  EXPECT_EQ(broker.status().workers, 0U);
  const auto heir = attach_worker("echo", dialect::v02, "capacity=8");
  const auto given = take_all(heir);
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(number(given[0]), "1");
  (void)frozen;
}

TEST_F(broker_capacity_busy_expiry, a_reply_is_a_sign_of_life) {
  const auto worker = attach_worker("echo", dialect::v02, "capacity=8");
  const auto client = attach();
  ask_numbers(client, 1, 3);
  const auto given = take_all(worker);
  for (const auto& one : given) {
    pass(900ms);
    reply(worker, one.address, zmtp::message{one.body});
    EXPECT_EQ(broker.status().workers, 1U);
  }
  EXPECT_EQ(counters().replies, 3U);
  // Then the worker is idle. It is busy again from the next request on.
  pass(2s);
  say(worker, heartbeat());
  pass(900ms);
  ask_numbers(client, 4, 4);
  pass(999ms);
  EXPECT_EQ(broker.status().workers, 1U);
  pass(1ms);
  EXPECT_EQ(broker.status().workers, 0U);
}

}  // namespace
}  // namespace mdp
