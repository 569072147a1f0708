// Requests with an idempotency key: a repeat gets the outcome of the first attempt.
#include "mdp/request_error.h"
#include "test/mdp/broker_fixture.h"

#include <optional>
#include <string>
#include <vector>

namespace mdp {
namespace {

class broker_idempotency : public broker_setting, public testing::TestWithParam<version> {
public:
  broker_idempotency()
      : broker_setting{{.gathered_limit = {.bytes = 4'000, .parts = 100},
                        .outcome_limit = {.requests = 2, .time = 30s},
                        .services = {.attempts = 2},
                        .rules = {{"hasty", {.queue_timeout = 10s}},
                                  {"drop", {.attempts = 1, .poison = poison_policy::drop}}}}} {}

  static constexpr request_key key{'k', 'e', 'y'};

  zmtp::peer_id attach_client() { return attach("mdp-errors"); }
  void attempt(zmtp::peer_id client, std::uint32_t number, bool may_begin = false,
               std::string_view service = "pay", const request_key& with = key) {
    zmtp::message body{"body"sv};
    push_client_request(body, GetParam(), service, keyed_attempt{with, number, may_begin});
    say(client, std::move(body));
  }
  // A client that makes an attempt over a connection of its own.
  zmtp::peer_id attempt(std::uint32_t number, bool may_begin = false,
                        std::string_view service = "pay") {
    const auto client = attach_client();
    attempt(client, number, may_begin, service);
    return client;
  }
  void first(zmtp::peer_id client, std::string_view service = "pay",
             const request_key& with = key) {
    attempt(client, 1, true, service, with);
  }
  static dialect how() { return dialect_of(GetParam()); }
  zmtp::message reply_to(zmtp::message body, bool final = true) {
    push_client_reply(body, how(), final, "pay");
    return body;
  }
  void expect_reply(zmtp::peer_id client, zmtp::message body) {
    EXPECT_EQ(next(client), reply_to(std::move(body)));
  }
  void expect_error(zmtp::peer_id client, request_fault fault, request_outcome outcome,
                    std::string_view service = "pay") {
    EXPECT_EQ(next(client), make_error(how(), fault, outcome, service));
    EXPECT_TRUE(silent(client));
  }
};

// Behaviour towards clients of 0.1 alone.
class broker_idempotency_v01 : public broker_idempotency {};
INSTANTIATE_TEST_SUITE_P(version, broker_idempotency_v01, testing::Values(version::v01));

INSTANTIATE_TEST_SUITE_P(versions, broker_idempotency, testing::Values(version::v01, version::v02),
                         [](const auto& tested) {
                           return tested.param == version::v01 ? "v01" : "v02";
                         });

TEST_P(broker_idempotency, the_worker_does_not_see_the_key) {
  const auto worker = attach_worker("pay");
  const auto client = attempt(1, true);
  const auto given = next_request(worker);
  EXPECT_EQ(given.body, zmtp::message{"body"sv});
  reply(worker, given.address, {"done"sv});
  expect_reply(client, {"done"sv});
}

TEST_P(broker_idempotency, a_repeat_waits_for_the_request_that_is_in_progress) {
  const auto worker = attach_worker("pay");
  const auto other = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  detach(before);
  const auto after = attempt(2);
  EXPECT_TRUE(silent(worker));
  EXPECT_TRUE(silent(other));
  reply(worker, given.address, {"done"sv});
  expect_reply(after, {"done"sv});
  const auto c = counters();
  EXPECT_EQ(c.requests, 1U);
  EXPECT_EQ(c.repeats, 1U);
  EXPECT_EQ(c.replies, 1U);
  EXPECT_EQ(c.abandoned, 0U);
}

TEST_P(broker_idempotency, a_repeat_takes_over_from_a_live_connection) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  const auto after = attempt(2);
  reply(worker, given.address, {"done"sv});
  expect_reply(after, {"done"sv});
  EXPECT_TRUE(silent(before));
  // Nothing of it is left in the account of the first connection.
  detach(before);
  EXPECT_EQ(counters().abandoned, 0U);
}

TEST_P(broker_idempotency, a_repeat_takes_over_a_request_that_waits) {
  const auto before = attempt(1, true);
  const auto after = attempt(2);
  detach(before);
  const auto worker = attach_worker("pay");
  echo(worker);
  EXPECT_TRUE(silent(worker));
  expect_reply(after, {"body"sv});
}

TEST_P(broker_idempotency, an_overtaken_attempt_does_not_take_over) {
  const auto worker = attach_worker("pay");
  const auto third = attach_client();
  attempt(third, 3, true);
  const auto given = next_request(worker);
  // Connections that were read late.
  attempt(1, true);
  attempt(2, false);
  EXPECT_TRUE(silent(worker));
  reply(worker, given.address, {"done"sv});
  expect_reply(third, {"done"sv});
}

TEST_P(broker_idempotency, a_repeat_of_an_answered_request_gets_the_same_reply) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  reply(worker, given.address, {"done"sv, ""sv, "at noon"sv});
  expect_reply(before, {"done"sv, ""sv, "at noon"sv});
  for (std::uint32_t number = 2; number < 5; ++number) {
    expect_reply(attempt(number), {"done"sv, ""sv, "at noon"sv});
  }
  EXPECT_TRUE(silent(worker));
  EXPECT_EQ(counters().replies, 1U);
}

TEST_P(broker_idempotency, a_reply_that_no_client_waited_for_is_kept) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  detach(before);
  reply(worker, given.address, {"done"sv});
  EXPECT_EQ(counters().abandoned, 1U);
  EXPECT_EQ(counters().unwanted_replies, 0U);
  expect_reply(attempt(2), {"done"sv});
  EXPECT_TRUE(silent(worker));
}

TEST_P(broker_idempotency, a_reply_in_parts_comes_whole) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  reply(worker, given.address, {"1"sv}, version::v02, false);
  detach(before);
  reply(worker, given.address, {"2"sv}, version::v02, false);
  const auto during = attempt(2);
  reply(worker, given.address, {"3"sv}, version::v02, false);
  reply(worker, given.address, {"4"sv});
  for (const auto client : {during, attempt(3)}) {
    if (GetParam() == version::v01) {
      expect_reply(client, {"1"sv, "2"sv, "3"sv, "4"sv});
    } else {
      for (const auto part : {"1"sv, "2"sv, "3"sv}) {
        EXPECT_EQ(next(client), reply_to({part}, false));
      }
      expect_reply(client, {"4"sv});
    }
    EXPECT_TRUE(silent(client));
  }
}

TEST_P(broker_idempotency, a_repeat_is_told_of_parts_that_were_too_large_to_keep) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  detach(before);
  reply(worker, given.address, zmtp::message{std::string(5'000, 'x')}, version::v02, false);
  expect_error(attempt(2), request_fault::too_large, request_outcome::unknown);
  reply(worker, given.address, {"end"sv});
  expect_error(attempt(3), request_fault::too_large, request_outcome::unknown);
  EXPECT_EQ(broker.status().waiting + broker.status().working, 0U);
}

TEST_P(broker_idempotency, a_large_reply_is_passed_on_but_not_kept) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  const zmtp::message large{std::string(5'000, 'x')};
  reply(worker, given.address, large);
  expect_reply(before, large);
  expect_error(attempt(2), request_fault::too_large, request_outcome::unknown);
  EXPECT_TRUE(silent(worker));
}

TEST_P(broker_idempotency, a_request_that_lost_its_worker_goes_on_for_its_repeat) {
  const auto before = attempt(1, true);
  auto worker = attach_worker("pay");
  (void)next_request(worker);
  detach(before);
  const auto after = attempt(2);
  detach(worker);
  worker = attach_worker("pay");
  echo(worker);
  expect_reply(after, {"body"sv});
}

// A client of 0.2 has got the parts of the first worker, so its request does not go to another one.
TEST_P(broker_idempotency_v01, a_reply_has_no_parts_of_a_lost_worker) {
  for (const bool repeats_meanwhile : {false, true}) {
    const request_key own{repeats_meanwhile ? 'a' : 'b'};
    auto client = attach_client();
    first(client, "pay", own);
    auto worker = attach_worker("pay");
    reply(worker, next_request(worker).address, {"lost"sv}, version::v02, false);
    detach(worker);
    if (repeats_meanwhile) {
      client = attach_client();
      attempt(client, 2, false, "pay", own);
    }
    worker = attach_worker("pay");
    const auto given = next_request(worker);
    reply(worker, given.address, {"1"sv}, version::v02, false);
    reply(worker, given.address, {"2"sv});
    expect_reply(client, {"1"sv, "2"sv});
    const auto late = attach_client();
    attempt(late, 3, false, "pay", own);
    expect_reply(late, {"1"sv, "2"sv});
    detach(worker);
  }
}

TEST_P(broker_idempotency, a_lost_worker_leaves_an_unknown_outcome_without_a_client) {
  const auto before = attempt(1, true);
  const auto worker = attach_worker("pay");
  (void)next_request(worker);
  detach(before);
  detach(worker);
  EXPECT_EQ(counters().abandoned, 1U);
  const auto next_worker = attach_worker("pay");
  expect_error(attempt(2), request_fault::worker_lost, request_outcome::unknown);
  EXPECT_TRUE(silent(next_worker));
}

TEST_P(broker_idempotency, a_repeat_gets_the_failure_of_the_request) {
  const auto before = attempt(1, true, "hasty");
  attach_worker("hasty");
  const auto waits = attach_client();
  first(waits, "hasty", {'o', 't', 'h', 'e', 'r'});
  pass(10s);
  expect_error(waits, request_fault::waited_too_long, request_outcome::refused, "hasty");
  const auto again = attach_client();
  attempt(again, 2, false, "hasty", {'o', 't', 'h', 'e', 'r'});
  expect_error(again, request_fault::waited_too_long, request_outcome::refused, "hasty");
  EXPECT_TRUE(silent(before));
}

TEST_P(broker_idempotency, a_failure_that_is_not_reported_is_kept) {
  const auto before = attempt(1, true, "drop");
  detach(attach_worker("drop"));
  EXPECT_TRUE(silent(before));
  const auto worker = attach_worker("drop");
  expect_error(attempt(2, false, "drop"), request_fault::worker_lost, request_outcome::unknown,
               "drop");
  EXPECT_TRUE(silent(worker));
}

TEST_P(broker_idempotency, forgets_a_waiting_request_without_a_client) {
  detach(attempt(1, true));
  EXPECT_EQ(counters().abandoned, 1U);
  EXPECT_EQ(broker.status().keyed_requests, 0U);
  const auto worker = attach_worker("pay");
  EXPECT_TRUE(silent(worker));
  // The repeat is asked whether it may begin.
  const auto again = attempt(2);
  EXPECT_EQ(next(again), make_not_known(how(), "pay", std::chrono::milliseconds::max()));
  attempt(again, 3, true);
  echo(worker);
  expect_reply(again, {"body"sv});
}

TEST_P(broker_idempotency, a_forgotten_request_does_not_run_again) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  echo(worker);
  expect_reply(before, {"body"sv});
  pass(29'999ms);
  expect_reply(attempt(2), {"body"sv});
  pass(1ms);
  EXPECT_EQ(broker.status().keyed_requests, 0U);
  EXPECT_EQ(broker.status().keyed_bytes, 0U);
  EXPECT_EQ(next(attempt(3)), make_not_known(how(), "pay", 30s));
  EXPECT_EQ(counters().requests, 1U);
  EXPECT_EQ(counters().errors, 0U) << "the request had its reply";
}

TEST_P(broker_idempotency, more_outcomes_than_allowed_push_out_the_oldest) {
  const auto worker = attach_worker("pay");
  const auto client = attach_client();
  for (const char name : {'a', 'b', 'c'}) {
    first(client, "pay", {name});
    echo(worker);
    expect_reply(client, {"body"sv});
    now += 1s;
  }
  attempt(client, 2, false, "pay", {'a'});
  EXPECT_EQ(next(client), make_not_known(how(), "pay", 3s));
  attempt(client, 2, false, "pay", {'b'});
  expect_reply(client, {"body"sv});
  EXPECT_TRUE(silent(worker));
}

TEST_P(broker_idempotency, a_client_without_error_support_gets_no_reply) {
  const auto stock = attach();
  attempt(stock, 2);
  EXPECT_TRUE(silent(stock));
}

TEST_P(broker_idempotency, keys_count_for_one_service) {
  const auto pay = attach_worker("pay");
  const auto book = attach_worker("book");
  const auto client = attach_client();
  first(client, "pay");
  first(client, "book");
  EXPECT_FALSE(silent(pay));
  EXPECT_FALSE(silent(book));
}

TEST_P(broker_idempotency, requests_without_a_key_are_all_different) {
  const auto worker = attach_worker("pay", dialect::v02, "capacity=5");
  const auto client = attach_client();
  for (int i = 0; i < 3; ++i) {
    ask(client, "pay", {"body"sv}, GetParam());
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(silent(worker));
    (void)next_request(worker);
  }
  EXPECT_EQ(broker.status().keyed_requests, 0U);
}

TEST_P(broker_idempotency, the_broker_s_own_services_take_a_key) {
  const auto client = attach_client();
  attempt(client, 1, true, "mmi.service");
  zmtp::message answer{"404"sv};
  push_client_reply(answer, how(), true, "mmi.service");
  EXPECT_EQ(next(client), answer);
  EXPECT_EQ(broker.status().keyed_requests, 0U);
}

TEST_P(broker_idempotency, the_client_s_quota_counts_the_repeat_and_not_the_first) {
  const auto worker = attach_worker("pay");
  const auto before = attempt(1, true);
  const auto given = next_request(worker);
  const auto after = attempt(2);
  EXPECT_EQ(broker.status().working, 1U);
  reply(worker, given.address, {"done"sv});
  expect_reply(after, {"done"sv});
  for (const auto& one : broker.services()) {
    EXPECT_EQ(one.bytes, 0U) << one.name;
  }
  detach(before);
  detach(after);
  EXPECT_EQ(counters().abandoned, 0U);
}

}  // namespace
}  // namespace mdp
