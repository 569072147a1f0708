// Requests through real sockets: many at once, and brokers, workers and clients that disconnect or stop meanwhile.

#include "test/mdp/shell_fixture.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mdp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

class shells : public shell_versions_test {};

INSTANTIATE_TEST_SUITE_P(mdp, shells, all_versions(), name_of_versions);

TEST_P(shells, a_thousand_requests_of_many_coroutines_are_answered_once_each) {
  start_broker();
  std::vector<std::unique_ptr<worker>> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(echo_worker(GetParam().workers));
  }
  await_workers(4);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  constexpr std::size_t coroutines = 50;
  constexpr std::size_t each = 20;
  std::size_t answered = 0;
  std::size_t over = 0;
  const auto ask = [&](std::size_t who) -> asio::awaitable<void> {
    for (std::size_t i = 0; i < each; ++i) {
      const auto text = std::to_string(who) + "." + std::to_string(i);
      message body;
      body.push_back(text);
      const auto reply =
          co_await snapshot_client.async_request("echo", std::move(body), asio::use_awaitable);
      EXPECT_EQ(reply.front(), text);
      ++answered;
    }
  };
  for (std::size_t who = 0; who < coroutines; ++who) {
    asio::co_spawn(context(), ask(who), [&](const std::exception_ptr& failure) {
      EXPECT_FALSE(failure);
      ++over;
    });
  }
  run_until([&] { return over == coroutines; });
  EXPECT_EQ(answered, coroutines * each);
  EXPECT_EQ(broker_->status().counters.replies, coroutines * each);
  EXPECT_EQ(broker_->status().counters.requeued, 0U);
}

TEST_P(shells, a_worker_that_is_lost_while_it_works_is_replaced) {
  start_broker();
  std::vector<worker_request> in_flight;
  std::optional<worker> slow{
      std::in_place, executor(), at_, impatient_worker(GetParam().workers),
      [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  std::string reply;
  snapshot_client.async_request("echo", message{"a", "b"}, [&](error_code ec, const message& m) {
    EXPECT_FALSE(ec);
    reply = std::string{m[0]} + std::string{m[1]};
  });
  run_until([&] { return in_flight.size() == 1; });
  const auto other = echo_worker(GetParam().workers);
  await_workers(2);
  slow.reset();
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, "ab");
  EXPECT_EQ(in_flight[0].reply(message{"too late"}), errc::no_request);
  EXPECT_EQ(broker_->status().counters.requeued, 1U);
}

TEST_P(shells, a_worker_with_a_capacity_has_so_many_in_hand_and_all_go_to_another_when_it_is_lost) {
  start_broker();
  std::vector<worker_request> in_flight;
  auto options = impatient_worker(GetParam().workers);
  options.in_flight = 3;
  std::optional<worker> wide{std::in_place, executor(), at_, options, [&](worker_request request) {
                               in_flight.push_back(std::move(request));
                             }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  std::vector<std::string> replies;
  for (const auto* const text : {"1", "2", "3", "4", "5"}) {
    snapshot_client.async_request("echo", message{text},
                                  [&, text](error_code ec, const message& m) {
                                    EXPECT_FALSE(ec);
                                    EXPECT_EQ(m, message{text});
                                    replies.emplace_back(text);
                                  });
  }
  run_until([&] { return in_flight.size() == 3 && broker_->status().waiting == 2; });
  // The last first; then it is given another.
  auto body = std::move(in_flight[2].body());
  EXPECT_FALSE(in_flight[2].reply(std::move(body)));
  run_until([&] { return in_flight.size() == 4 && replies.size() == 1; });
  EXPECT_EQ(broker_->status().working, 3U);
  const auto other = echo_worker(GetParam().workers);
  await_workers(2);
  wide.reset();
  run_until([&] { return replies.size() == 5; });
  EXPECT_EQ(broker_->status().counters.requeued, 3U);
}

TEST_P(shells, a_client_that_is_lost_ends_its_requests) {
  start_broker();
  std::vector<worker_request> in_flight;
  auto options = impatient_worker(GetParam().workers);
  const worker slow{executor(), at_, options,
                    [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  await_workers(1);
  std::optional<client> snapshot_client{std::in_place, executor(), at_,
                                        patient_client(GetParam().clients)};
  std::vector<error_code> ends;
  for (int i = 0; i < 5; ++i) {
    snapshot_client->async_request("echo", message{"m"},
                                   [&](error_code ec, const message&) { ends.push_back(ec); });
  }
  run_until([&] { return in_flight.size() == 1 && broker_->status().waiting == 4; });
  snapshot_client.reset();
  EXPECT_TRUE(ends.empty()) << "called within the destructor";
  run_until([&] { return ends.size() == 5; });
  for (const auto& ec : ends) {
    EXPECT_EQ(ec, asio::error::operation_aborted);
  }
  run_until([&] { return broker_->status().counters.abandoned == 4; });
  // The broker and the worker go on.
  EXPECT_FALSE(in_flight[0].reply(message{"to nobody"}));
  client another{executor(), at_, patient_client(GetParam().clients)};
  bool answered = false;
  another.async_request("echo", message{"m"}, [&](error_code ec, const message&) {
    EXPECT_FALSE(ec);
    answered = true;
  });
  run_until([&] { return in_flight.size() == 2; });
  EXPECT_FALSE(in_flight[1].reply(message{"reply"}));
  run_until([&] { return answered; });
}

TEST_P(shells, a_broker_that_comes_back_finds_its_workers_and_clients_again) {
  start_broker();
  const auto echo = echo_worker(GetParam().workers);
  await_workers(1);
  auto options = patient_client(GetParam().clients);
  options.timeout = 100ms;
  options.idempotent = true;
  options.attempts = 100;
  client snapshot_client{executor(), at_, options};
  int answered = 0;
  const auto ask = [&] {
    snapshot_client.async_request("echo", message{"m"}, [&](error_code ec, const message& m) {
      EXPECT_FALSE(ec);
      EXPECT_EQ(m, message{"m"});
      ++answered;
    });
  };
  ask();
  run_until([&] { return answered == 1; });
  for (int i = 0; i < 3; ++i) {
    broker_.reset();
    ask();  // without a broker
    context().restart();
    context().run_for(20ms);
    start_broker();
    ask();
    const auto expected = answered + 2;
    run_until([&] { return answered == expected; });
    await_workers(1);
  }
}

TEST_P(shells, a_request_is_cancelled_alone) {
  start_broker();
  std::vector<worker_request> in_flight;
  auto options = impatient_worker(GetParam().workers);
  options.in_flight = 2;
  const worker slow{executor(), at_, options,
                    [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  const worker slow_too{executor(), at_, options,
                        [&](worker_request request) { in_flight.push_back(std::move(request)); }};
  await_workers(2);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  asio::cancellation_signal signal;
  error_code end;
  snapshot_client.async_request(
      "echo", message{"cancelled"},
      asio::bind_cancellation_slot(signal.slot(),
                                   [&](error_code ec, const message&) { end = ec; }));
  std::string reply;
  snapshot_client.async_request("echo", message{"kept"}, [&](error_code ec, const message& m) {
    EXPECT_FALSE(ec);
    reply = m.front();
  });
  run_until([&] { return in_flight.size() == 2; });
  signal.emit(asio::cancellation_type::total);
  EXPECT_FALSE(end) << "called within emit()";
  run_until([&] { return end.failed(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
  for (auto& request : in_flight) {
    auto body = std::move(request.body());
    EXPECT_FALSE(request.reply(std::move(body)));
  }
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, "kept");
}

TEST_P(shells, an_operation_on_a_stopped_client_is_aborted) {
  start_broker();
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  snapshot_client.stop();
  error_code end;
  snapshot_client.async_request("echo", message{"m"},
                                [&](error_code ec, const message&) { end = ec; });
  EXPECT_FALSE(end);
  run_until([&] { return end.failed(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
}

TEST_P(shells, stopped_leave_nothing_to_run) {
  start_broker();
  const auto echo = echo_worker(GetParam().workers);
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  bool answered = false;
  snapshot_client.async_request("echo", message{"m"}, [&](error_code, const message&) {
    answered = true;
    snapshot_client.stop();
    echo->stop();
    broker_->stop();
  });
  run_to_the_end();
  EXPECT_TRUE(answered);
  EXPECT_EQ(broker_->status().counters.replies, 1U);
  EXPECT_EQ(broker_->services().size(), broker_->status().services);
}

// The broker pauses the client at its limit, and again while it receives what the client has left behind.
TEST_F(shell_test, a_broker_at_a_limit_notices_that_the_client_has_gone) {
  start_broker();
  zmtp::test::raw_peer flood{context()};
  flood.connect(*zmtp::endpoint::parse(at_));
  flood.shake_hands("DEALER");
  std::string requests;
  for (std::size_t i = 0; i < 1'500; ++i) {
    requests += zmtp::test::framed({"MDPC02", "\1", "nobody", "body"});
  }
  flood.send(requests);
  run_until([&] { return broker_->status().paused_clients == 1; });
  EXPECT_GE(broker_->status().waiting, impatient_broker().client_limit.requests);
  flood.close();
  run_until([&] { return broker_->status().waiting == 0; });
  EXPECT_EQ(broker_->status().paused_clients, 0U);
}

}  // namespace
}  // namespace mdp
