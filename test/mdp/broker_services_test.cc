// Services with options of their own, and the errors of failed requests that clients receive.
#include "test/mdp/broker_fixture.h"

#include <vector>

namespace mdp {
namespace {

class broker_services : public broker_fixture {
public:
  broker_services()
      : broker_fixture{
            {.unknown_services = 2,
             .services = {.attempts = 2},
             .rules = {{"once", {.idempotent = false}},
                       {"drop", {.attempts = 2, .poison = poison_policy::drop}},
                       {"drop.once", {.idempotent = false, .poison = poison_policy::drop}},
                       {"raw*", {.raw_client_address = true}},
                       {"stubborn", {.attempts = 5}},
                       {"hasty", {.unserved_timeout = 2s, .queue_timeout = 10s}},
                       {"watched", {.busy_expiry = 1s}},
                       {"punctual", {.busy_timeout = 60s}},
                       {"narrow", {.limit = {.requests = 8}}}}}} {}

  zmtp::peer_id attach_reader() { return attach("mdp-errors"); }
  static zmtp::message error(std::string_view code, std::string_view outcome,
                             std::string_view service) {
    return {"MDPC02"sv, "\x03"sv, "mmi.error"sv, code, outcome, service};
  }
  // How many workers take the request, one after the other, before it has failed.
  unsigned attempts_of(std::string_view service, zmtp::peer_id client) {
    ask(client, service, {"poison"sv});
    for (unsigned count = 0;; ++count) {
      const auto worker = attach_worker(service);
      const auto given = !silent(worker);
      detach(worker);
      if (!given) {
        return count;
      }
    }
  }
  request_counters of(std::string_view service) {
    for (const auto& one : broker.services()) {
      if (one.name == service) {
        return one.counters;
      }
    }
    ADD_FAILURE() << "no service " << service;
    return {};
  }
};

TEST_F(broker_services, requests_have_the_attempts_of_their_service) {  // M3
  const auto client = attach();
  EXPECT_EQ(attempts_of("any", client), 2U);
  EXPECT_EQ(attempts_of("stubborn", client), 5U);
  EXPECT_EQ(attempts_of("once", client), 1U);
  EXPECT_TRUE(silent(client));  // it did not say that it understands errors
  EXPECT_EQ(counters().exhausted, 3U);
  EXPECT_EQ(counters().errors, 0U);
}

TEST_F(broker_services, a_request_that_must_not_run_twice_is_given_once) {  // M3, D2
  const std::vector<void (*)(broker_services&, zmtp::peer_id)> losses{
      [](broker_services& t, zmtp::peer_id w) { t.detach(w); },
      [](broker_services& t, zmtp::peer_id w) { t.say(w, disconnect()); },
      [](broker_services& t, zmtp::peer_id w) { t.say(w, make_ready(version::v02, "once")); },
      [](broker_services& t, zmtp::peer_id w) { t.say(w, {"garbage"sv}); },
      [](broker_services& t, zmtp::peer_id w) { t.reply(w, "sixteen bytes!!", {"x"sv}); },
  };
  for (const auto lose : losses) {
    const auto client = attach_reader();
    const auto first = attach_worker("once", dialect::v02, "capacity=3");
    const auto second = attach_worker("once");
    for (const auto body : {"1"sv, "2"sv, "3"sv}) {
      ask(client, "once", {body});
    }
    lose(*this, first);
    // Requests of the other worker continue. Those of the lost worker have failed, and may have been executed.
    EXPECT_EQ(next(client), error("502", "unknown", "once"));
    EXPECT_EQ(next(client), error("502", "unknown", "once"));
    EXPECT_TRUE(silent(client));
    echo(second);
    EXPECT_EQ(next(client).size(), 4U);
    EXPECT_TRUE(silent(second));
    detach(second);
    detach(client);
  }
  EXPECT_EQ(counters().requeued, 0U);
  EXPECT_EQ(of("once").exhausted, 10U);
  EXPECT_EQ(of("once").errors, 10U);
}

TEST_F(broker_services, redelivers_a_non_idempotent_request_that_was_not_sent) {
  const auto client = attach_reader();
  const auto stalled = attach_worker("once");
  const auto worker = attach_worker("once");
  ask(client, "once", {"1"sv});
  broker.on_not_taken(stalled, next(stalled), now, actions);
  carry_out();
  echo(worker);
  EXPECT_EQ(next(client), final_reply("once", "1"));
}

TEST_F(broker_services, poison_is_answered_or_dropped) {  // M3
  const auto client = attach_reader();
  EXPECT_EQ(attempts_of("any", client), 2U);
  EXPECT_EQ(next(client), error("502", "unknown", "any"));
  EXPECT_EQ(attempts_of("drop", client), 2U);
  EXPECT_EQ(attempts_of("drop.once", client), 1U);
  EXPECT_TRUE(silent(client));
  EXPECT_EQ(counters().exhausted, 3U);
  EXPECT_EQ(counters().errors, 1U);
  EXPECT_EQ(of("drop").exhausted, 1U);
  // The request does not count as unanswered any more.
  EXPECT_EQ(broker.status().waiting + broker.status().working, 0U);
}

TEST_F(broker_services, errors_are_in_the_dialect_of_the_client) {  // M6
  const auto client = attach_reader();
  for (const bool old : {true, false}) {
    zmtp::message m{old ? zmtp::message{""sv, "MDPC01"sv, "once"sv, "x"sv}
                        : zmtp::message{""sv, "MDPC02"sv, "\x01"sv, "once"sv, "x"sv}};
    say(client, std::move(m));
    detach(attach_worker("once"));
    EXPECT_EQ(next(client),
              old ? (zmtp::message{""sv, "MDPC01"sv, "mmi.error"sv, "502"sv, "unknown"sv, "once"sv})
                  : (zmtp::message{""sv, "MDPC02"sv, "\x03"sv, "mmi.error"sv, "502"sv, "unknown"sv,
                                   "once"sv}));
  }
}

TEST_F(broker_services, a_reply_that_was_begun_ends_with_an_error) {
  const auto client = attach_reader();
  const auto worker = attach_worker("any");
  ask(client, "any", {"x"sv});
  reply(worker, next_request(worker).address, {"part"sv}, version::v02, false);
  EXPECT_EQ(next(client), partial_reply("any", "part"));
  detach(worker);
  EXPECT_EQ(next(client), error("502", "unknown", "any"));
  EXPECT_EQ(counters().cut_short, 1U);
}

TEST_F(broker_services, a_reply_too_large_to_be_gathered_is_an_error) {
  const auto client = attach_reader();
  const auto worker = attach_worker("any");
  ask(client, "any", {"x"sv}, version::v01);
  const auto given = next_request(worker);
  for (int i = 0; i < 1024; ++i) {
    reply(worker, given.address, {"part"sv}, version::v02, false);
  }
  EXPECT_TRUE(silent(client));
  reply(worker, given.address, {"one too many"sv});
  EXPECT_EQ(next(client),
            (zmtp::message{""sv, "MDPC01"sv, "mmi.error"sv, "413"sv, "unknown"sv, "any"sv}));
  EXPECT_TRUE(silent(client));
}

TEST_F(broker_services, refuses_requests_for_services_without_workers) {  // C3-6, M6
  const auto client = attach_reader();
  ask(client, "a", {"x"sv});
  pass(59s);
  EXPECT_TRUE(silent(client));
  pass(1s);
  EXPECT_EQ(next(client), error("404", "refused", "a"));
  // After an attempt the outcome is unknown.
  ask(client, "a", {"x"sv});
  detach(attach_worker("a"));
  pass(60s);
  EXPECT_EQ(next(client), error("404", "unknown", "a"));
  EXPECT_EQ(counters().expired, 2U);
  // One service more than there may be.
  for (const auto name : {"a"sv, "b"sv, "c"sv}) {
    ask(client, name, {"x"sv});
  }
  EXPECT_EQ(next(client), error("404", "refused", "c"));
  EXPECT_EQ(counters().refused, 1U);
  EXPECT_EQ(counters().errors, 3U);
  // Services that the operator has named are known.
  ask(client, "stubborn", {"x"sv});
  EXPECT_TRUE(silent(client));
  EXPECT_EQ(broker.status().unknown_services, 2U);
}

TEST_F(broker_services, each_service_has_its_expiry_with_and_without_workers) {
  const auto client = attach_reader();
  ask(client, "hasty", {"1"sv});
  pass(2s);
  EXPECT_EQ(next(client), error("404", "refused", "hasty"));
  const auto worker = attach_worker("hasty");
  for (const auto body : {"2"sv, "3"sv}) {
    ask(client, "hasty", {body});
  }
  const auto given = next_request(worker);
  pass(9999ms);
  EXPECT_TRUE(silent(client));
  pass(1ms);
  EXPECT_EQ(next(client), error("408", "refused", "hasty"));
  EXPECT_EQ(of("hasty").expired, 2U);
  // A request in flight does not expire.
  pass(1h);
  reply(worker, given.address, {"2"sv});
  EXPECT_EQ(next(client), final_reply("hasty", "2"));
  EXPECT_EQ(broker.status().waiting, 0U);
}

TEST_F(broker_services, a_request_that_was_served_in_time_leaves_no_expiry_behind) {
  const auto client = attach_reader();
  const auto worker = attach_worker("hasty");
  ask(client, "hasty", {"1"sv});
  const auto given = next_request(worker);
  ask(client, "hasty", {"2"sv});
  pass(5s);
  ask(client, "hasty", {"3"sv});
  while (!silent(worker)) {
    (void)next(worker);  // heartbeats
  }
  reply(worker, given.address, {"1"sv});
  EXPECT_EQ(next(client), final_reply("hasty", "1"));
  const auto second = next_request(worker);
  // 2 is at work and does not expire; 3 does, ten seconds after it came.
  pass(9999ms);
  EXPECT_TRUE(silent(client));
  pass(1ms);
  EXPECT_EQ(next(client), error("408", "refused", "hasty"));
  say(worker, heartbeat());
  reply(worker, second.address, {"2"sv});
  EXPECT_EQ(next(client), final_reply("hasty", "2"));
  detach(worker);
  EXPECT_FALSE(broker.next_deadline());
}

TEST_F(broker_services, applies_the_busy_expiry_of_the_service_of_a_worker) {
  const auto client = attach();
  const auto watched = attach_worker("watched");
  const auto trusted = attach_worker("any");
  ask(client, "watched", {"1"sv});
  ask(client, "any", {"1"sv});
  pass(1s);
  EXPECT_EQ(broker.status().workers, 1U);
  EXPECT_EQ(of("watched").requeued, 1U);
  pass(1h);
  EXPECT_EQ(broker.status().workers, 1U);
  EXPECT_FALSE(silent(watched));
  EXPECT_FALSE(silent(trusted));
}

TEST_F(broker_services, a_worker_that_hangs_expires_despite_its_heartbeats) {  // M3
  const auto client = attach();
  const auto worker = attach_worker("punctual", dialect::v02, "capacity=2");
  const auto lives_for = [&](std::chrono::milliseconds time) {
    for (auto rest = time; rest > 0ms; rest -= 1s) {
      pass(1s);
      say(worker, heartbeat());
    }
  };
  const auto ask_punctual = [&](std::string_view body) {
    ask(client, "punctual", {body});
    while (inbox.at(worker).size() > 1) {
      (void)next(worker);  // heartbeats
    }
    return next_request(worker);
  };
  // Each request has its own time, and one that is answered has none.
  const auto first = ask_punctual("1");
  lives_for(40s);
  const auto second = ask_punctual("2");
  lives_for(19s);
  reply(worker, first.address, {"1"sv});
  EXPECT_EQ(next(client), final_reply("punctual", "1"));
  lives_for(40s);
  EXPECT_EQ(broker.status().workers, 1U);
  pass(1s);
  EXPECT_EQ(broker.status().workers, 0U);
  EXPECT_EQ(of("punctual").requeued, 1U);
  while (!silent(worker)) {
    (void)next(worker);
  }
  reply(worker, second.address, {"2"sv});
  EXPECT_EQ(next(worker), disconnect());
  EXPECT_TRUE(silent(client));
  const auto other = attach_worker("punctual");
  echo(other);
  EXPECT_EQ(next(client), final_reply("punctual", "2"));
  // Without a request in flight, the worker has the deadline of any other worker.
  pass(7s);
  EXPECT_EQ(broker.status().workers, 1U);
  EXPECT_EQ(of("punctual").requeued, 1U);
}

TEST_F(broker_services, pauses_a_client_of_a_service_with_too_many_requests) {  // M5
  std::vector<zmtp::peer_id> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(attach());
    ask(clients.back(), "narrow", {"x"sv});
  }
  EXPECT_EQ(paused, std::set<zmtp::peer_id>{clients.back()});
  const auto other = attach();
  const auto other_worker = attach_worker("any");
  for (int i = 0; i < 20; ++i) {
    ask(other, "any", {"x"sv});
    echo(other_worker);
  }
  EXPECT_EQ(paused.size(), 1U);
  // The clients stay paused until a quarter of the limit is free.
  const auto worker = attach_worker("narrow");
  echo(worker);
  echo(worker);
  EXPECT_EQ(paused.size(), 1U);
  echo(worker);
  EXPECT_TRUE(paused.empty());
}

TEST_F(broker_services, workers_may_see_the_clients_own_address) {  // M2
  for (const auto how : {dialect::v01, dialect::v02}) {
    const auto worker = attach_worker("raw", how, "capacity=8");
    const auto clients = std::vector{attach(), attach()};
    for (const auto body : {"1"sv, "2"sv}) {
      for (const auto client : clients) {
        ask(client, "raw", {body});
      }
    }
    // One at a time, whatever the worker takes: the address does not tell two requests apart.
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(inbox.at(worker).size(), 1U);
      const auto given = next_request(worker, how);
      const auto& client = clients[static_cast<std::size_t>(i % 2)];
      EXPECT_EQ(given.address, "id" + std::to_string(client.slot));
      reply(worker, given.address, zmtp::message{given.body}, version_of(how));
      EXPECT_EQ(next(client), final_reply("raw", i < 2 ? "1" : "2"));
    }
    detach(worker);
  }
}

TEST_F(broker_services, a_raw_address_is_compared_as_well) {  // M2, D3
  const auto client = attach();
  const auto other = attach();
  const auto worker = attach_worker("raw.x");
  ask(client, "raw.x", {"1"sv});
  ask(other, "raw.x", {"2"sv});
  (void)next_request(worker);
  reply(worker, "id" + std::to_string(other.slot), {"of another"sv});
  EXPECT_EQ(next(worker), disconnect());
  EXPECT_TRUE(silent(client));
  EXPECT_TRUE(silent(other));
  // A client that disconnects while a worker answers it.
  const auto second = attach_worker("raw.x");
  const auto given = next_request(second);
  EXPECT_EQ(given.address, "id" + std::to_string(client.slot));
  detach(client);
  reply(second, given.address, {"late"sv});
  EXPECT_EQ(counters().unwanted_replies, 1U);
  echo(second);
  EXPECT_EQ(next(other), final_reply("raw.x", "2"));
  reply(second, given.address, {"to nothing"sv});
  EXPECT_EQ(next(second), disconnect());
}

TEST_F(broker_services, a_client_without_a_raw_address_gets_a_generated_one) {
  const auto worker = attach_worker("raw");
  const zmtp::peer_id client{1000, 1};
  inbox[client];
  broker.on_attached(client, {}, {}, now, actions);
  ask(client, "raw", {"1"sv});
  const auto given = next_request(worker);
  EXPECT_EQ(given.address.size(), 16U);
  reply(worker, given.address, {"1"sv});
  EXPECT_EQ(next(client), final_reply("raw", "1"));
}

TEST_F(broker_services, configured_services_exist_with_their_counters) {
  const auto before = broker.services();
  EXPECT_EQ(before.size(), 8U);
  EXPECT_EQ(before.front().name, "drop");
  EXPECT_EQ(before.back().name, "watched");
  const auto client = attach();
  const auto worker = attach_worker("once");
  ask(client, "once", {"x"sv});
  EXPECT_EQ(broker.services("narrow", 1).front().working, 1U);
  echo(worker);
  detach(worker);
  EXPECT_EQ(of("once").requests, 1U);
  EXPECT_EQ(of("once").replies, 1U);
  EXPECT_EQ(broker.status().services, 8U);
  EXPECT_EQ(broker.status().unknown_services, 0U);
}

// New options for services while the broker runs.
class broker_services_changed : public broker_services {
public:
  void change(std::vector<service_rule> rules, service_options others = {}) {
    broker.change_services({.services = std::move(others), .rules = std::move(rules)}, now,
                           actions);
    carry_out();
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const auto& one : broker.services()) {
      all.push_back(one.name);
    }
    return all;
  }
};

TEST_F(broker_services_changed, applies_to_new_and_to_queued_requests) {
  const auto client = attach();
  EXPECT_EQ(attempts_of("stubborn", client), 5U);
  EXPECT_EQ(attempts_of("any", client), 2U);
  // Waits since before.
  ask(client, "waiting", {"poison"sv});
  change({{"stubborn", {.attempts = 3}}, {"waiting", {.attempts = 4}}}, {.attempts = 1});
  EXPECT_EQ(attempts_of("stubborn", client), 3U);
  EXPECT_EQ(attempts_of("once", client), 1U);
  EXPECT_EQ(attempts_of("any", client), 1U);
  unsigned attempts = 0;
  for (;; ++attempts) {
    const auto worker = attach_worker("waiting");
    const auto given = !silent(worker);
    detach(worker);
    if (!given) {
      break;
    }
  }
  EXPECT_EQ(attempts, 4U);
}

TEST_F(broker_services_changed, does_not_redeliver_a_request_that_became_non_idempotent) {
  const auto client = attach_reader();
  ask(client, "waiting", {"had"sv});
  detach(attach_worker("waiting"));
  ask(client, "waiting", {"not had"sv});
  change({{"waiting", {.idempotent = false}}});
  EXPECT_TRUE(silent(client));
  const auto worker = attach_worker("waiting");
  EXPECT_EQ(next(client), error("502", "unknown", "waiting"));
  EXPECT_EQ(next(worker).back(), "not had");
  EXPECT_EQ(of("waiting").exhausted, 1U);
}

TEST_F(broker_services_changed, names_come_and_go) {
  using list = std::vector<std::string>;
  EXPECT_EQ(names(), (list{"drop", "drop.once", "hasty", "narrow", "once", "punctual", "stubborn",
                           "watched"}));
  const auto client = attach_reader();
  const auto worker = attach_worker("hasty");
  ask(client, "narrow", {"1"sv});
  change({{"new", {}}, {"once", {}}});
  EXPECT_EQ(names(), (list{"hasty", "narrow", "new", "once"}));
  // A service without a rule is unknown like any other, and two of those are allowed.
  EXPECT_EQ(broker.status().unknown_services, 1U);
  detach(worker);
  EXPECT_EQ(names(), (list{"narrow", "new", "once"}));
  ask(client, "second", {"1"sv});
  ask(client, "third", {"1"sv});
  EXPECT_EQ(next(client), error("404", "refused", "third"));
  ask(client, "new", {"1"sv});
  EXPECT_TRUE(silent(client));
  // And the other way round.
  change({{"narrow", {}}, {"second", {}}});
  EXPECT_EQ(broker.status().unknown_services, 1U);
  EXPECT_EQ(names(), (list{"narrow", "new", "second"}));
  EXPECT_EQ(of("narrow").requests, 1U);
}

TEST_F(broker_services_changed, a_higher_limit_resumes_paused_clients) {
  const auto client = attach();
  for (int i = 0; i < 8; ++i) {
    ask(client, "narrow", {"x"sv});
  }
  EXPECT_EQ(paused.count(client), 1U);
  change({{"narrow", {.limit = {.requests = 9}}}});
  EXPECT_EQ(paused.count(client), 1U);  // a quarter has to be free
  change({{"narrow", {.limit = {.requests = 20}}}});
  EXPECT_TRUE(paused.empty());
  change({{"narrow", {.limit = {.requests = 8}}}});
  ask(client, "narrow", {"x"sv});
  EXPECT_EQ(paused.count(client), 1U);
  change({});
  EXPECT_TRUE(paused.empty());
}

TEST_F(broker_services_changed, new_times_apply_to_waiting_requests_and_busy_workers) {
  const auto client = attach_reader();
  ask(client, "slow", {"x"sv});
  const auto hanging = attach_worker("hanging");
  ask(client, "hanging", {"x"sv});
  pass(5s);
  EXPECT_TRUE(silent(client));
  change(
      {{"slow", {.unserved_timeout = 6s}}, {"hanging", {.idempotent = false, .busy_timeout = 7s}}});
  pass(900ms);
  EXPECT_TRUE(silent(client));
  pass(100ms);
  EXPECT_EQ(next(client), error("404", "refused", "slow"));
  pass(900ms);
  EXPECT_TRUE(silent(client));
  pass(100ms);
  EXPECT_EQ(next(client), error("502", "unknown", "hanging"));
  EXPECT_EQ(closed.count(hanging), 0U);
}

TEST_F(broker_services_changed, workers_still_see_the_addresses_that_they_saw) {
  const auto client = attach();
  const auto before = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  change({{"echo", {.raw_client_address = true}}});
  const auto given = next_request(before);
  EXPECT_EQ(given.address.size(), 16U);
  reply(before, given.address, {"1"sv});
  EXPECT_EQ(next(client), final_reply("echo", "1"));
  ask(client, "echo", {"2"sv});
  EXPECT_EQ(next_request(before).address.size(), 16U);
  detach(before);
  const auto after = attach_worker("echo");
  const auto raw = next_request(after);
  EXPECT_EQ(raw.address, "id" + std::to_string(client.slot));
  change({});
  reply(after, raw.address, {"2"sv});
  EXPECT_EQ(next(client), final_reply("echo", "2"));
}

}  // namespace
}  // namespace mdp
