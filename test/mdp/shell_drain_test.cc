// Brokers and workers that drain through real sockets: they end the requests that they hold, and take no more.

#include "test/mdp/shell_fixture.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/error.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mdp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

class shell_drain : public shell_versions_test {};

INSTANTIATE_TEST_SUITE_P(mdp, shell_drain, all_versions(), name_of_versions);

TEST_P(shell_drain, workers_that_come_and_drain_cost_no_request_an_attempt) {
  auto options = impatient_broker();
  options.services.idempotent = false;  // one attempt
  start_broker(options);
  auto four = impatient_worker(workers());
  four.in_flight = 4;
  std::set<std::string> begun;
  std::vector<std::unique_ptr<worker>> own;
  std::size_t drained = 0;
  // Each worker drains in the handler of its first request. The broker has sent it several.
  const auto add = [&] {
    const auto at = own.size();
    own.push_back(nullptr);
    own[at] = std::make_unique<worker>(executor(), at_, four, [&, at](worker_request request) {
      EXPECT_TRUE(begun.insert(std::string{request.body().front()}).second);
      own[at]->async_drain([&](error_code ec) {
        EXPECT_FALSE(ec);
        ++drained;
      });
      auto body = std::move(request.body());
      EXPECT_FALSE(request.reply(std::move(body)));
    });
  };
  constexpr std::size_t count = 20;
  client snapshot_client{executor(), at_, patient_client(clients())};
  std::size_t answered = 0;
  for (std::size_t i = 0; i < count; ++i) {
    snapshot_client.async_request("echo", message{std::to_string(i)},
                                  [&](error_code ec, const message&) {
                                    EXPECT_FALSE(ec);
                                    ++answered;
                                  });
  }
  run_until([&] { return broker_->status().waiting == count; });
  for (std::size_t i = 0; i < count; ++i) {
    add();
    run_until([&] { return drained == i + 1 && answered == i + 1; });
  }
  EXPECT_EQ(begun.size(), count);
  EXPECT_EQ(broker_->status().counters.replies, count);
}

TEST_P(shell_drain, a_drain_ends_at_its_deadline) {
  start_broker();
  std::vector<worker_request> in_flight;
  worker leaving{executor(), at_, impatient_worker(workers()),
                 [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  client snapshot_client{executor(), at_, patient_client(clients())};
  std::string reply;
  snapshot_client.async_request("echo", message{"m"}, [&](error_code ec, const message& m) {
    EXPECT_FALSE(ec);
    reply = m.front();
  });
  run_until([&] { return in_flight.size() == 1; });
  std::optional<error_code> drained;
  leaving.async_drain(10ms, [&](error_code ec) { drained = ec; });
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, zmtp::errc::timed_out);
  EXPECT_EQ(in_flight[0].reply(message{"too late"}), errc::no_request);
  const auto other = echo_worker(workers());
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, "m");
}

TEST_P(shell_drain, a_broker_drains_and_clients_go_to_its_successor) {
  start_broker();
  std::vector<worker_request> in_flight;
  std::optional<worker> slow{
      std::in_place, executor(), at_, impatient_worker(workers()),
      [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(clients())};
  std::vector<std::string> replies;
  const auto ask = [&](std::string text) {
    snapshot_client.async_request("echo", message{text}, [&](error_code ec, const message& m) {
      EXPECT_FALSE(ec);
      replies.emplace_back(ec ? ec.message() : std::string{m.front()});
    });
  };
  ask("a");
  run_until([&] { return in_flight.size() == 1; });
  std::optional<error_code> drained;
  broker_->async_drain({}, [&](error_code ec) { drained = ec; });
  std::optional<error_code> second;
  broker_->async_drain({}, [&](error_code ec) { second = ec; });
  run_until([&] { return second.has_value(); });
  EXPECT_EQ(second, asio::error::operation_aborted);
  EXPECT_FALSE(drained.has_value());
  ask("b");
  auto body = std::move(in_flight[0].body());
  EXPECT_FALSE(in_flight[0].reply(std::move(body)));
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, error_code{});
  run_until([&] { return replies.size() == 1; });
  EXPECT_EQ(replies[0], "a");
  slow.reset();
  start_broker();
  const auto other = echo_worker(workers());
  run_until([&] { return replies.size() == 2; });
  EXPECT_EQ(replies[1], "b");
}

TEST_P(shell_drain, a_broker_that_drains_for_too_long_says_what_it_knows) {
  start_broker();
  std::vector<worker_request> in_flight;
  const worker slow{executor(), at_, impatient_worker(workers()),
                    [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  await_workers(1);
  auto once = patient_client(clients());
  once.attempts = 1;
  client snapshot_client{executor(), at_, once};
  std::optional<error_code> end;
  snapshot_client.async_request("echo", message{"m"},
                                [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return in_flight.size() == 1; });
  std::optional<error_code> drained;
  broker_->async_drain(10ms, [&](error_code ec) { drained = ec; });
  run_until([&] { return drained && end; });
  EXPECT_EQ(drained, zmtp::errc::timed_out);
  EXPECT_EQ(broker_->status().counters.stopped, 1U);
  EXPECT_EQ(outcome_of(*end), outcome::unknown);
}

TEST_P(shell_drain, a_worker_drains) {
  start_broker();
  std::vector<worker_request> in_flight;
  auto options = impatient_worker(workers());
  options.in_flight = 2;
  worker leaving{executor(), at_, options,
                 [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(clients())};
  std::vector<std::string> replies;
  const auto ask = [&](std::string text) {
    snapshot_client.async_request("echo", message{text}, [&](error_code ec, const message& m) {
      EXPECT_FALSE(ec);
      replies.emplace_back(m.front());
    });
  };
  ask("a");
  ask("b");
  run_until([&] { return in_flight.size() == 2; });
  std::optional<error_code> drained;
  leaving.async_drain([&](error_code ec) { drained = ec; });
  const auto other = echo_worker(workers());
  ask("c");
  run_until([&] { return replies.size() == 1; });
  EXPECT_EQ(replies.front(), "c") << "by the other";
  EXPECT_FALSE(drained.has_value());
  for (auto& request : in_flight) {
    EXPECT_FALSE(request.reply(message{"at last"}));
  }
  run_until([&] { return drained && replies.size() == 3; });
  EXPECT_EQ(drained, error_code{});
  EXPECT_EQ(replies[1], "at last");
  EXPECT_EQ(replies[2], "at last");
  EXPECT_EQ(broker_->status().counters.requeued, 0U);
  await_workers(1);
  // The worker has already drained.
  drained.reset();
  leaving.async_drain([&](error_code ec) { drained = ec; });
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, asio::error::operation_aborted);
}

TEST_P(shell_drain, stopping_ends_draining) {
  start_broker();
  std::vector<worker_request> in_flight;
  worker leaving{executor(), at_, impatient_worker(workers()),
                 [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  client snapshot_client{executor(), at_, patient_client(clients())};
  snapshot_client.async_request("echo", message{"m"}, [](error_code, const message&) {});
  run_until([&] { return in_flight.size() == 1; });
  std::optional<error_code> drained;
  leaving.async_drain([&](error_code ec) { drained = ec; });
  leaving.stop();
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, asio::error::operation_aborted);
}

TEST_P(shell_drain, stopping_ends_a_drain_whose_last_message_the_broker_does_not_read) {
  zmtp::socket_options slow;
  slow.receive_mark.messages = 1;
  zmtp::router_socket broker{executor(), slow};
  worker leaving{executor(), broker.bind("tcp://127.0.0.1:*").to_string(),
                 impatient_worker(workers()), [](const worker_request&) {}};
  run_until([&] {
    const auto peers = broker.peers();
    return peers.size() == 1 && peers.front().messages_to_receive == 1;
  });
  std::optional<error_code> drained;
  leaving.async_drain([&](error_code ec) { drained = ec; });
  leaving.stop();
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, asio::error::operation_aborted);
}

}  // namespace
}  // namespace mdp
