// Clients and workers without an event loop: threads that sleep until there is something to do.

#include "mdp/blocking/client.h"
#include "mdp/blocking/worker.h"
#include "mdp/broker.h"
#include "zmtp/blocking/context.h"
#include "zmtp/error.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace mdp::blocking {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

// Timeout of a wait. No test reaches it unless there is a fault.
constexpr auto timeout = 20s;

// A request is sent once. On a busy machine its reply can take longer than the default of `timeout`.
client_options patient() { return {.timeout = timeout}; }

class without_a_loop : public testing::Test {
protected:
  without_a_loop() {
    at = broker_.bind("tcp://127.0.0.1:*").to_string();
    thread_ = std::thread{[this] { loop_.run(); }};
  }
  ~without_a_loop() override {
    loop_.stop();
    thread_.join();
  }

  std::string at;
  zmtp::blocking::context context;

private:
  asio::io_context loop_{1};
  mdp::broker broker_{loop_.get_executor()};
  std::thread thread_;
};

TEST_F(without_a_loop, requests_of_many_threads_are_answered_by_many) {
  worker shared{context, at, {.service = "echo", .in_flight = 4}};
  std::vector<std::thread> servers;
  for (int i = 0; i < 2; ++i) {
    servers.emplace_back([&] {
      error_code ec;
      while (auto asked = shared.receive(timeout, ec)) {
        auto body = std::move(asked->body());
        EXPECT_FALSE(asked->reply(std::move(body)));
      }
      EXPECT_EQ(ec, asio::error::operation_aborted);
    });
  }
  client snapshot_client{context, at, patient()};
  std::vector<std::thread> snapshot_clients;
  for (int who = 0; who < 4; ++who) {
    snapshot_clients.emplace_back([&, who] {
      for (int i = 0; i < 25; ++i) {
        const auto text = std::to_string(who) + "." + std::to_string(i);
        EXPECT_EQ(snapshot_client.request("echo", message{text}), message{text});
      }
    });
  }
  for (auto& one : snapshot_clients) {
    one.join();
  }
  shared.stop();
  for (auto& one : servers) {
    one.join();
  }
}

TEST_F(without_a_loop, failures_are_thrown_or_returned) {
  client snapshot_client{context, at, patient()};
  EXPECT_THROW(snapshot_client.request("", message{"m"}), boost::system::system_error);
  error_code ec;
  // Long enough to be sent on a busy machine. A request that was not sent ends with not_connected.
  snapshot_client.request("nobody", message{"m"}, {.total_timeout = 1s}, ec);
  EXPECT_EQ(ec, errc::no_reply);
  EXPECT_THROW((client{context, "nonsense"}), boost::system::system_error);
  EXPECT_THROW((worker{context, at, {.service = "mmi.service"}}), boost::system::system_error);
  worker idle{context, at, {.service = "idle"}};
  EXPECT_FALSE(idle.receive(1ms, ec));
  EXPECT_EQ(ec, zmtp::errc::timed_out);
  EXPECT_THROW((void)idle.receive(1ms), boost::system::system_error);
}

TEST_F(without_a_loop, stopping_wakes_waiting_threads) {
  client snapshot_client{context, at, patient()};
  std::thread waits{[&] {
    error_code ec;
    snapshot_client.request("nobody", message{"m"}, {.timeout = timeout}, ec);
    EXPECT_EQ(ec, asio::error::operation_aborted);
  }};
  snapshot_client.stop();
  waits.join();
}

TEST_F(without_a_loop, a_worker_drains) {
  worker leaving{context, at, {.service = "echo"}};
  std::thread asks{[&] {
    client snapshot_client{context, at, patient()};
    EXPECT_EQ(snapshot_client.request("echo", message{"m"}), message{"last"});
  }};
  auto asked = leaving.receive(timeout);
  std::thread answers{[&] { EXPECT_FALSE(asked.reply(message{"last"})); }};
  EXPECT_FALSE(leaving.drain());
  answers.join();
  asks.join();
}

TEST_F(without_a_loop, a_worker_that_drains_hands_back_what_no_thread_has_received) {
  worker leaving{context, at, {.service = "echo", .in_flight = 8}};
  client snapshot_client{context, at, patient()};
  std::vector<std::thread> asks;
  for (int i = 0; i < 4; ++i) {
    asks.emplace_back([&, text = std::to_string(i)] {
      EXPECT_EQ(snapshot_client.request("echo", message{text}), message{text});
    });
  }
  auto received = leaving.receive(timeout);
  std::thread drains{[&] { EXPECT_FALSE(leaving.drain()); }};
  // Receiving ends when the drain begins, though three requests may be there. The requests that were received
  // before are refused after that, because a refusal by the only worker of a service ends a request.
  error_code ec;
  std::vector<request> others;
  while (auto another = leaving.receive(timeout, ec)) {
    others.push_back(std::move(*another));
  }
  EXPECT_EQ(ec, asio::error::operation_aborted);
  for (auto& another : others) {
    EXPECT_FALSE(another.refuse());
  }
  worker other{context, at, {.service = "echo", .in_flight = 8}};
  std::thread serves{[&] {
    for (int i = 0; i < 3; ++i) {
      auto asked = other.receive(timeout);
      auto body = std::move(asked.body());
      EXPECT_FALSE(asked.reply(std::move(body)));
    }
  }};
  serves.join();
  auto body = std::move(received.body());
  EXPECT_FALSE(received.reply(std::move(body)));
  drains.join();
  for (auto& one : asks) {
    one.join();
  }
}

TEST_F(without_a_loop, a_drain_ends_at_its_deadline) {
  worker leaving{context, at, {.service = "echo"}};
  std::thread asks{[&] {
    client snapshot_client{context, at, patient()};
    EXPECT_EQ(snapshot_client.request("echo", message{"m"}), message{"of another"});
  }};
  auto stuck = leaving.receive(timeout);
  EXPECT_EQ(leaving.drain(10ms), zmtp::errc::timed_out);
  EXPECT_EQ(stuck.reply(message{"too late"}), errc::no_request);
  worker other{context, at, {.service = "echo"}};
  EXPECT_FALSE(other.receive(timeout).reply(message{"of another"}));
  asks.join();
}

TEST_F(without_a_loop, a_request_that_is_destroyed_has_failed_and_the_worker_goes_on) {
  worker only{context, at, {.service = "echo", .in_flight = 2}};
  client snapshot_client{context, at, patient()};
  std::thread fails{[&] {
    error_code ec;
    snapshot_client.request("echo", message{"m"}, {}, ec);
    EXPECT_EQ(ec, errc::request_failed);
    EXPECT_EQ(outcome_of(ec), outcome::unknown);
  }};
  { const auto destroyed = only.receive(timeout); }
  fails.join();
  std::thread asks{
      [&] { EXPECT_EQ(snapshot_client.request("echo", message{"n"}), message{"answered"}); }};
  auto next = only.receive(timeout);
  EXPECT_EQ(next.body(), message{"n"});
  EXPECT_FALSE(next.reply(message{"answered"}));
  asks.join();
}

TEST_F(without_a_loop, a_request_is_refused_by_each_of_two_workers) {
  worker first{context, at, {.service = "echo"}};
  worker second{context, at, {.service = "echo"}};
  client snapshot_client{context, at, patient()};
  std::vector<std::thread> asks;
  // Both workers are there when each has one of these.
  for (int i = 0; i < 2; ++i) {
    asks.emplace_back(
        [&] { EXPECT_EQ(snapshot_client.request("echo", message{"1"}), message{"done"}); });
  }
  auto one = first.receive(timeout);
  auto two = second.receive(timeout);
  std::thread refused{[&] {
    error_code ec;
    snapshot_client.request("echo", message{"2"}, {}, ec);
    EXPECT_EQ(ec, errc::request_refused);
    EXPECT_EQ(outcome_of(ec), outcome::refused);
  }};
  EXPECT_FALSE(one.reply(message{"done"}));
  EXPECT_FALSE(first.receive(timeout).refuse());
  EXPECT_FALSE(two.reply(message{"done"}));
  EXPECT_FALSE(second.receive(timeout).refuse());
  refused.join();
  for (auto& each : asks) {
    each.join();
  }
}

}  // namespace
}  // namespace mdp::blocking
