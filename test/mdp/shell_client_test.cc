// Clients on real sockets: which broker they ask, how often, and what they report about a request that failed.

#include "test/mdp/shell_fixture.h"

#include <boost/system/system_error.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mdp {
namespace {

using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

class shell_client : public shell_versions_test {};

INSTANTIATE_TEST_SUITE_P(mdp, shell_client, all_versions(), name_of_versions);

TEST_P(shell_client, passes_over_brokers_that_do_not_answer) {
  start_broker();
  const auto echo = echo_worker(workers());
  await_workers(1);
  client snapshot_client{executor(), std::vector{reserve(), reserve(), at_},
                         patient_client(clients())};
  int answered = 0;
  for (int i = 0; i < 5; ++i) {
    snapshot_client.async_request("echo", message{"m"}, [&](error_code ec, const message&) {
      EXPECT_FALSE(ec);
      EXPECT_EQ(outcome_of(ec), outcome::answered);
      ++answered;
    });
  }
  run_until([&] { return answered == 5; });
}

TEST_P(shell_client, asks_the_next_broker_when_one_is_lost) {
  broker next{executor(), impatient_broker()};
  const auto there = next.bind("tcp://127.0.0.1:*").to_string();
  const worker other{executor(), there, impatient_worker(workers()), [](worker_request request) {
                       EXPECT_FALSE(request.reply(message{"of the next"}));
                     }};
  start_broker();
  std::vector<worker_request> in_flight;
  const worker silent{executor(), at_, impatient_worker(workers()),
                      [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  await_workers(1);
  auto options = patient_client(clients());
  options.idempotent = true;
  client snapshot_client{executor(), std::vector{at_, there}, options};
  message reply;
  snapshot_client.async_request("echo", message{"m"}, [&](error_code ec, message m) {
    EXPECT_FALSE(ec);
    reply = std::move(m);
  });
  run_until([&] { return in_flight.size() == 1; });
  broker_.reset();
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, message{"of the next"});
}

TEST_P(shell_client, reports_a_service_without_workers) {
  auto options = impatient_broker();
  options.services.unserved_timeout = 10ms;
  start_broker(options);
  client snapshot_client{executor(), at_, patient_client(clients())};
  std::optional<error_code> end;
  snapshot_client.async_request("nobody", message{"m"},
                                [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, errc::not_offered);
  EXPECT_EQ(outcome_of(*end), outcome::refused);
}

TEST_P(shell_client, rejects_an_empty_list_and_malformed_endpoints) {
  EXPECT_THROW((client{executor(), std::vector<std::string>{}}), boost::system::system_error);
  EXPECT_THROW((client{executor(), std::vector<std::string>{"tcp://127.0.0.1:1", "nonsense"}}),
               boost::system::system_error);
}

TEST_P(shell_client, reports_the_outcome_of_a_failed_request) {
  client nobody{executor(), reserve(), patient_client(clients())};
  std::optional<error_code> end;
  nobody.async_request("echo", message{"m"}, request_options{.total_timeout = 20ms},
                       [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, errc::not_connected);
  EXPECT_EQ(outcome_of(*end), outcome::not_sent);
  EXPECT_EQ(outcome_of(make_error_code(errc::no_body)), outcome::not_sent);
  EXPECT_EQ(outcome_of(make_error_code(errc::no_reply)), outcome::unknown);
  for (const auto maybe : {errc::reply_cut_short, errc::worker_lost, errc::reply_too_large,
                           errc::broker_replaced, errc::request_forgotten}) {
    EXPECT_EQ(outcome_of(make_error_code(maybe)), outcome::unknown);
  }
  EXPECT_EQ(outcome_of(make_error_code(errc::not_taken)), outcome::refused);
}

// Calls a service that must not run twice. Its worker holds the requests until the test answers.
class shells_once : public shell_client {
protected:
  void start_worker() {
    auto options = impatient_worker(workers());
    options.in_flight = 1'000;
    worker_.emplace(executor(), at_, options,
                    [this](worker_request request) { in_flight_.push_back(std::move(request)); });
    await_workers(1);
  }
  static client_options repeating_client() {
    auto options = patient_client(clients());
    options.timeout = 50ms;
    options.backoff = options.longest_backoff = 1ms;
    options.attempts = 1'000;
    return options;
  }
  void ask(client& snapshot_client) {
    snapshot_client.async_request("echo", message{"m"}, [this](error_code ec, message m) {
      end_ = ec;
      reply_ = std::move(m);
    });
  }

  std::vector<worker_request> in_flight_;
  std::optional<worker> worker_;
  std::optional<error_code> end_;
  message reply_;
};

INSTANTIATE_TEST_SUITE_P(mdp, shells_once, all_versions(), name_of_versions);

TEST_P(shells_once, is_asked_once_unless_more_is_wanted) {
  start_broker();
  start_worker();
  auto options = patient_client(clients());
  options.timeout = 1s;  // enough to send the request on a busy machine
  client snapshot_client{executor(), at_, options};
  ask(snapshot_client);
  run_until([&] { return end_.has_value(); });
  EXPECT_EQ(end_, errc::no_reply);
  EXPECT_EQ(outcome_of(*end_), outcome::unknown);
  EXPECT_EQ(broker_->status().counters.requests + broker_->status().counters.repeats, 1U);
}

TEST_P(shells_once, runs_once_over_all_attempts) {
  start_broker();
  start_worker();
  client snapshot_client{executor(), at_, repeating_client()};
  ask(snapshot_client);
  run_until([&] { return broker_->status().counters.repeats >= 3; });
  ASSERT_EQ(in_flight_.size(), 1U);
  EXPECT_FALSE(in_flight_[0].reply(message{"done"}));
  run_until([&] { return end_.has_value(); });
  EXPECT_FALSE(*end_) << end_->message();
  EXPECT_EQ(reply_, message{"done"});
  EXPECT_EQ(in_flight_.size(), 1U);
  EXPECT_EQ(broker_->status().counters.requests, 1U);
}

TEST_P(shells_once, is_not_repeated_to_a_broker_that_was_started_again) {
  start_broker();
  start_worker();
  auto options = repeating_client();
  options.timeout = 15s;
  client snapshot_client{executor(), at_, options};
  ask(snapshot_client);
  run_until([&] { return in_flight_.size() == 1; });
  broker_.reset();
  context().restart();
  context().poll();
  start_broker();
  run_until([&] { return end_.has_value(); });
  EXPECT_EQ(end_, errc::broker_replaced);
  EXPECT_EQ(outcome_of(*end_), outcome::unknown);
  await_workers(1);
  EXPECT_EQ(in_flight_.size(), 1U);
  EXPECT_EQ(broker_->status().counters.requests, 0U);
}

TEST_P(shells_once, a_burst_of_requests_leaves_few_connections) {
  constexpr std::size_t burst = 300;
  start_broker();
  start_worker();
  auto options = patient_client(clients());
  options.idle_connections = 3;
  options.idle_time = 10ms;
  client snapshot_client{executor(), at_, options};
  std::size_t answered = 0;
  const auto ask_all = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      snapshot_client.async_request("echo", message{"m"}, [&](error_code ec, const message&) {
        EXPECT_FALSE(ec) << ec.message();
        ++answered;
      });
    }
    run_until([&] { return in_flight_.size() == count; });
    for (auto& request : in_flight_) {
      EXPECT_FALSE(request.reply(message{"done"}));
    }
    in_flight_.clear();
  };
  ask_all(burst);
  EXPECT_EQ(broker_->status().clients, burst);
  run_until([&] { return answered == burst; });
  run_until([&] { return broker_->status().peers == 3 + 1; });
  // The client uses the open connections again, and opens new connections.
  ask_all(10);
  run_until([&] { return answered == burst + 10; });
  run_until([&] { return broker_->status().peers == 3 + 1; });
}

}  // namespace
}  // namespace mdp
