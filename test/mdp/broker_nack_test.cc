// Workers that refuse or fail a request, or take no more; and a broker that stops.
#include "mdp/request_error.h"
#include "test/mdp/broker_fixture.h"

#include <optional>
#include <string>
#include <vector>

namespace mdp {
namespace {

class broker_nack : public broker_fixture {
public:
  using broker_fixture::broker_fixture;

  zmtp::peer_id wide_worker(std::size_t capacity = 4) {
    return attach_worker("echo", dialect::v02, "capacity=" + std::to_string(capacity));
  }
  void nack(zmtp::peer_id worker, const given_request& given, nack_reason reason,
            version v = version::v02) {
    say(worker, make_nack(v, reason, given.address));
  }
  // The error that the client got instead of a reply. Nothing if the next message is not an error.
  std::optional<std::string> next_error(zmtp::peer_id client) {
    auto m = next(client);
    const auto reply = parse_for_client(m, version::v02);
    if (!reply || reply->service != error_service) {
      return std::nullopt;
    }
    return std::string{m[1]} + ' ' + std::string{m[2]};
  }
};

TEST_F(broker_nack, a_failed_request_costs_its_worker_nothing) {
  const auto ours = attach("mdp-errors");
  const auto stock = attach();
  const auto worker = wide_worker();
  const auto other = wide_worker();
  for (const auto id : {ours, stock, ours}) {
    ask(id, "echo", {"m"sv});
  }
  const auto first = next_request(worker);
  const auto second = next_request(other);
  const auto third = next_request(worker);
  nack(worker, first, nack_reason::failed);
  nack(other, second, nack_reason::failed);
  EXPECT_EQ(next_error(ours), "500 unknown");
  EXPECT_TRUE(silent(stock)) << "7/MDP and 18/MDP have no such reply";
  EXPECT_TRUE(silent(worker));
  EXPECT_TRUE(silent(other)) << "it was executed, and is not given to another";
  EXPECT_EQ(counters().failed, 2U);
  EXPECT_EQ(counters().errors, 1U);
  EXPECT_EQ(broker.status().workers, 2U);
  reply(worker, third.address, {"done"sv});
  EXPECT_EQ(next(ours), final_reply("echo", "done"));
  // Both take the next requests.
  ask(stock, "echo", {"n"sv});
  ask(stock, "echo", {"n"sv});
  EXPECT_FALSE(silent(worker));
  EXPECT_FALSE(silent(other));
}

TEST_F(broker_nack, a_refused_request_goes_to_another_worker_at_once) {
  for (const auto v : {version::v01, version::v02}) {
    const auto client = attach();
    const auto worker = attach_worker("echo", dialect_of(v));
    const auto other = attach_worker("echo", dialect_of(v));
    ask(client, "echo", {"m"sv});
    nack(worker, next_request(worker, dialect_of(v)), nack_reason::refused, v);
    EXPECT_TRUE(silent(worker));
    const auto again = next_request(other, dialect_of(v));
    EXPECT_EQ(again.body, zmtp::message{"m"sv});
    reply(other, again.address, {"done"sv}, v);
    EXPECT_EQ(next(client), final_reply("echo", "done"));
    detach(worker);
    detach(other);
  }
  EXPECT_EQ(counters().requeued, 2U);
}

TEST_F(broker_nack, a_refusal_does_not_count_as_an_attempt) {
  const auto client = attach("mdp-errors");
  const auto lost = wide_worker();
  ask(client, "echo", {"m"sv});
  detach(lost);  // one attempt of three
  const zmtp::peer_id workers[] = {wide_worker(), wide_worker(), wide_worker()};
  nack(workers[0], next_request(workers[0]), nack_reason::refused);
  nack(workers[1], next_request(workers[1]), nack_reason::refused);
  (void)next_request(workers[2]);
  detach(workers[2]);  // the second
  const auto last = next_request(workers[0]);
  reply(workers[0], last.address, {"done"sv});
  EXPECT_EQ(next(client), final_reply("echo", "done"));
}

TEST_F(broker_nack, a_request_that_every_worker_refuses_ends) {
  const auto client = attach("mdp-errors");
  const zmtp::peer_id workers[] = {wide_worker(), wide_worker(), wide_worker()};
  ask(client, "echo", {"m"sv});
  for (const auto id : workers) {
    EXPECT_TRUE(silent(client));
    nack(id, next_request(id), nack_reason::refused);
  }
  EXPECT_EQ(next_error(client), "406 refused");
  EXPECT_EQ(counters().declined, 1U);
  for (const auto id : workers) {
    EXPECT_TRUE(silent(id));
  }
}

TEST_F(broker_nack, a_refused_request_waits_for_another_worker) {
  const auto client = attach("mdp-errors");
  const auto refuses = attach_worker("echo");
  const auto busy = attach_worker("echo");
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  const auto given = next_request(busy);
  nack(refuses, next_request(refuses), nack_reason::refused);
  EXPECT_TRUE(silent(refuses)) << "it is idle, and has just refused it";
  EXPECT_TRUE(silent(client));
  ask(client, "echo", {"3"sv});
  EXPECT_EQ(next_request(refuses).body, zmtp::message{"3"sv});
  reply(busy, given.address, {"2"sv});
  EXPECT_EQ(next(client), final_reply("echo", "2"));
  EXPECT_EQ(next_request(busy).body, zmtp::message{"1"sv});
}

TEST_F(broker_nack, a_refused_request_ends_when_no_other_worker_is_left) {
  for (const bool lost_before : {false, true}) {
    const auto client = attach("mdp-errors");
    if (lost_before) {
      const auto lost = attach_worker("echo");
      ask(client, "echo", {"1"sv});
      detach(lost);
    }
    const auto refuses = attach_worker("echo");
    const auto busy = attach_worker("echo");
    if (!lost_before) {
      ask(client, "echo", {"1"sv});
    }
    ask(client, "echo", {"2"sv});
    (void)next_request(busy);
    nack(refuses, next_request(refuses), nack_reason::refused);
    EXPECT_TRUE(silent(client));
    detach(busy);
    const auto given = next_request(refuses);
    EXPECT_EQ(given.body, zmtp::message{"2"sv});
    reply(refuses, given.address, {"2"sv});
    EXPECT_EQ(next_error(client), lost_before ? "406 unknown" : "406 refused");
    EXPECT_EQ(next(client), final_reply("echo", "2"));
    EXPECT_TRUE(silent(refuses));
    detach(refuses);
    detach(client);
  }
}

class broker_nack_once : public broker_nack {
public:
  broker_nack_once() : broker_nack{{.services = {.idempotent = false}}} {}
};

TEST_F(broker_nack_once, a_request_that_must_not_run_twice_may_be_refused) {
  const auto client = attach("mdp-errors");
  const auto worker = wide_worker();
  const auto other = wide_worker();
  ask(client, "echo", {"m"sv});
  nack(worker, next_request(worker), nack_reason::refused);
  const auto again = next_request(other);
  detach(other);
  EXPECT_EQ(next_error(client), "502 unknown")
      << "it was given to one worker that did not refuse it";
}

TEST_F(broker_nack, a_refusal_after_a_part_of_the_reply_cuts_the_reply_short) {
  const auto client = attach("mdp-errors");
  const auto worker = wide_worker();
  const auto other = wide_worker();
  ask(client, "echo", {"m"sv});
  const auto given = next_request(worker);
  reply(worker, given.address, {"part"sv}, version::v02, false);
  EXPECT_EQ(next(client), partial_reply("echo", "part"));
  nack(worker, given, nack_reason::refused);
  EXPECT_EQ(next_error(client), "502 unknown");
  EXPECT_TRUE(silent(other));
}

TEST_F(broker_nack, a_request_not_held_is_answered_by_disconnect) {
  const auto worker = wide_worker();
  say(worker, make_nack(version::v02, nack_reason::failed, "sixteen bytes!!"));
  EXPECT_EQ(next(worker), disconnect());
  EXPECT_EQ(broker.status().workers, 0U);
  const auto fresh = attach();
  say(fresh, make_nack(version::v02, nack_reason::failed, "sixteen bytes!!"));
  EXPECT_EQ(next(fresh), disconnect());
  const auto client = attach();
  ask(client, "echo", {"m"sv});
  say(client, make_drain(version::v02));
  EXPECT_EQ(invalid(errc::role_changed), 1U);
}

TEST_F(broker_nack, a_request_without_a_client_frees_the_worker) {
  const auto client = attach();
  const auto worker = attach_worker("echo");
  ask(client, "echo", {"m"sv});
  auto given = next_request(worker);
  detach(client);
  nack(worker, given, nack_reason::refused);
  const auto other = attach();
  ask(other, "echo", {"n"sv});
  given = next_request(worker);
  detach(other);
  nack(worker, given, nack_reason::failed);
  EXPECT_EQ(broker.status().working, 0U);
  EXPECT_EQ(counters().failed, 0U);
}

TEST_F(broker_nack, a_draining_worker_finishes_and_is_sent_disconnect) {
  const auto client = attach();
  const auto leaving = wide_worker(2);
  ask(client, "echo", {"1"sv});
  ask(client, "echo", {"2"sv});
  const auto first = next_request(leaving);
  const auto second = next_request(leaving);
  ask(client, "echo", {"3"sv});
  say(leaving, make_drain(version::v02));
  say(leaving, make_drain(version::v02));
  EXPECT_TRUE(silent(leaving));
  EXPECT_EQ(broker.services()[0].workers, 0U);
  reply(leaving, first.address, {"1"sv});
  EXPECT_EQ(next(client), final_reply("echo", "1"));
  EXPECT_TRUE(silent(leaving)) << "3 is not for it";
  const auto other = wide_worker();
  EXPECT_EQ(next_request(other).body, zmtp::message{"3"sv});
  nack(leaving, second, nack_reason::refused);
  EXPECT_EQ(next(leaving), disconnect());
  EXPECT_EQ(next_request(other).body, zmtp::message{"2"sv});
  EXPECT_EQ(broker.status().workers, 1U);
  // The broker ignores the worker, which may register on a new connection.
  say(leaving, heartbeat());
  EXPECT_EQ(counters().ignored_messages, 1U);
}

TEST_F(broker_nack, a_drain_that_crosses_a_request_costs_the_request_nothing) {
  const auto client = attach("mdp-errors");
  std::vector<zmtp::peer_id> gone;
  // More often than there are attempts; each worker is the only one.
  for (int i = 0; i < 5; ++i) {
    gone.push_back(attach_worker("echo"));
    if (i == 0) {
      ask(client, "echo", {"m"sv});
    }
    const auto given = next_request(gone.back());
    say(gone.back(), make_drain(version::v02));
    nack(gone.back(), given, nack_reason::refused);
    EXPECT_EQ(next(gone.back()), disconnect());
  }
  EXPECT_TRUE(silent(client));
  const auto stays = attach_worker("echo");
  echo(stays);
  EXPECT_EQ(next(client), final_reply("echo", "m"));
}

TEST_F(broker_nack, an_idle_worker_that_drains_is_sent_disconnect_at_once) {
  const auto worker = attach_worker("echo", dialect::v01);
  say(worker, make_drain(version::v01));
  EXPECT_EQ(next(worker), disconnect(dialect::v01));
  EXPECT_EQ(broker.status().services, 0U);
}

TEST_F(broker_nack, a_worker_that_is_lost_while_it_drains_is_forgotten) {
  const auto client = attach();
  const auto leaving = wide_worker();
  ask(client, "echo", {"m"sv});
  (void)next_request(leaving);
  say(leaving, make_drain(version::v02));
  detach(leaving);
  const auto other = attach_worker("echo");
  echo(other);
  EXPECT_EQ(next(client), final_reply("echo", "m"));
  detach(other);
  EXPECT_EQ(broker.status().services, 0U);
}

TEST_F(broker_nack, a_stopping_broker_answers_what_it_has_accepted) {
  const auto ours = attach("mdp-errors");
  const auto stock = attach();
  const auto worker = attach_worker("echo");
  ask(ours, "echo", {"1"sv});
  ask(stock, "echo", {"2"sv});
  ask(ours, "nobody", {"3"sv});
  EXPECT_EQ(broker.unanswered(), 3U);
  broker.drain(now, actions);
  carry_out();
  EXPECT_EQ(next_error(ours), "503 refused") << "no worker is there for it";
  ask(ours, "echo", {"4"sv});
  EXPECT_EQ(next_error(ours), "503 refused");
  ask(stock, "echo", {"5"sv});
  EXPECT_EQ(broker.unanswered(), 2U);
  echo(worker);
  EXPECT_EQ(next(ours), final_reply("echo", "1"));
  echo(worker);
  EXPECT_EQ(next(stock), final_reply("echo", "2"));
  EXPECT_EQ(broker.unanswered(), 0U);
  EXPECT_TRUE(silent(stock));
  EXPECT_EQ(counters().stopped, 1U);
  EXPECT_EQ(counters().refused, 2U);
}

TEST_F(broker_nack, a_stopping_broker_does_not_wait_for_new_workers) {
  const auto ours = attach("mdp-errors");
  const auto worker = attach_worker("echo");
  ask(ours, "echo", {"1"sv});
  ask(ours, "echo", {"2"sv});
  (void)next_request(worker);
  broker.drain(now, actions);
  carry_out();
  detach(worker);
  EXPECT_EQ(broker.unanswered(), 0U);
  EXPECT_EQ(counters().stopped, 2U);
  std::multiset<std::string> notified{next_error(ours).value_or(""), next_error(ours).value_or("")};
  EXPECT_EQ(notified, (std::multiset<std::string>{"503 refused", "503 unknown"}));
}

TEST_F(broker_nack, a_broker_that_gives_up_reports_known_outcomes) {
  const auto ours = attach("mdp-errors");
  const auto stock = attach();
  const auto worker = attach_worker("echo");
  ask(ours, "echo", {"1"sv});
  ask(ours, "echo", {"2"sv});
  ask(stock, "echo", {"3"sv});
  const auto given = next_request(worker);
  broker.drain(now, actions);
  broker.give_up(now, actions);
  carry_out();
  EXPECT_EQ(next_error(ours), "503 unknown");
  EXPECT_EQ(next_error(ours), "503 refused");
  EXPECT_TRUE(silent(stock));
  EXPECT_EQ(broker.unanswered(), 0U);
  EXPECT_EQ(counters().stopped, 3U);
  reply(worker, given.address, {"late"sv});
  EXPECT_TRUE(silent(ours));
  EXPECT_EQ(counters().unwanted_replies, 1U);
}

}  // namespace
}  // namespace mdp
