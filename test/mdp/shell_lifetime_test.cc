// The destruction of brokers, workers and clients at any place, and exceptions of their users' code.

#include "test/mdp/shell_fixture.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace mdp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;

class shell_lifetime : public shell_versions_test {
protected:
  // A request in a worker's hand, one that waits for a worker and one for a service without.
  void begin_everything() {
    start_broker();
    worker_.emplace(executor(), at_, impatient_worker(GetParam().workers),
                    [this](worker_request request) { in_flight_.push_back(std::move(request)); });
    await_workers(1);
    client_.emplace(executor(), at_, patient_client(GetParam().clients));
    for (const auto* service : {"echo", "echo", "unknown"}) {
      client_->async_request(service, message{"m"}, [ends = ends_](error_code ec, const message&) {
        ends->push_back(ec);
      });
    }
    run_until([&] { return in_flight_.size() == 1 && broker_->status().waiting == 2; });
  }

  std::optional<worker> worker_;
  std::optional<client> client_;
  std::vector<worker_request> in_flight_;
  std::shared_ptr<std::vector<error_code>> ends_ = std::make_shared<std::vector<error_code>>();
};

INSTANTIATE_TEST_SUITE_P(mdp, shell_lifetime, all_versions(), name_of_versions);

TEST_P(shell_lifetime, ends_with_the_context) {
  begin_everything();
  destroy_context();
  EXPECT_TRUE(ends_->empty());
  EXPECT_EQ(ends_.use_count(), 1) << "a handler has outlived the context";
  // Requests may outlive their worker: a reply has no effect.
  EXPECT_EQ(in_flight_[0].reply(message{"late"}), errc::no_request);
  EXPECT_EQ(broker_->status().counters.requests, 3U);
  client_->stop();
  worker_->stop();
  broker_->stop();
  error_code ec;
  broker_->bind("tcp://127.0.0.1:*", ec);
  EXPECT_EQ(ec, zmtp::errc::socket_closed);
}

TEST_P(shell_lifetime, ends_before_a_context_that_does_not_run) {
  begin_everything();
  client_.reset();
  worker_.reset();
  broker_.reset();
  EXPECT_TRUE(ends_->empty());
  destroy_context();
  EXPECT_TRUE(ends_->empty());
  EXPECT_EQ(ends_.use_count(), 1);
}

TEST_P(shell_lifetime, ends_with_a_coroutine_that_the_context_destroys) {
  start_broker();
  const auto ask = [](std::string at, version workers, version clients) -> asio::awaitable<void> {
    const auto own = co_await asio::this_coro::executor;
    const auto service = impatient_worker(workers);
    const worker never{own, at, service, [](const worker_request&) {}};
    const auto patient = patient_client(clients);
    client snapshot_client{own, at, patient};
    message body;
    body.push_back("m");
    co_await snapshot_client.async_request("echo", std::move(body), asio::use_awaitable);
  };
  asio::co_spawn(context(), ask(at_, GetParam().workers, GetParam().clients), asio::detached);
  run_until([&] { return broker_->status().working == 1; });
  destroy_context();
}

TEST_P(shell_lifetime, a_handler_may_destroy_client_worker_and_broker) {
  begin_everything();
  client_->async_request("mmi.service", message{"echo"}, [&](error_code ec, const message&) {
    EXPECT_FALSE(ec);
    client_.reset();
    worker_.reset();
    broker_.reset();
  });
  run_to_the_end();
  EXPECT_EQ(ends_->size(), 3U);
}

TEST_P(shell_lifetime, a_handler_may_destroy_its_worker) {
  start_broker();
  int calls = 0;
  std::optional<worker> own;
  auto options = impatient_worker(GetParam().workers);
  own.emplace(executor(), at_, options, [&](worker_request request) {
    EXPECT_FALSE(request.reply(message{"last"}));
    own.reset();
    ++calls;
    EXPECT_EQ(request.reply(message{"later"}), errc::no_request);
  });
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  message reply;
  snapshot_client.async_request("echo", message{"m"},
                                [&](error_code, message m) { reply = std::move(m); });
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, message{"last"}) << "a reply that was given is written";
  EXPECT_EQ(calls, 1);
}

TEST_F(shell_test, a_client_may_end_between_the_parts_of_a_reply) {
  start_broker();
  const worker chatty{executor(), at_, impatient_worker(version::v02), [](worker_request request) {
                        EXPECT_FALSE(request.reply_in_part(message{"1"}));
                        EXPECT_FALSE(request.reply_in_part(message{"2"}));
                        EXPECT_FALSE(request.reply(message{"3"}));
                      }};
  await_workers(1);
  std::optional<client> snapshot_client{std::in_place, executor(), at_,
                                        patient_client(version::v02)};
  error_code end;
  const std::string longer_than_a_pointer(100, 'x');
  snapshot_client->async_request(
      "echo", message{"m"}, {},
      [&, longer_than_a_pointer](const message& part) {
        EXPECT_EQ(part, message{"1"}) << "called after the end";
        snapshot_client.reset();
        EXPECT_EQ(longer_than_a_pointer.size(), 100U) << "the handler outlives its call";
      },
      [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return end.failed(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
}

TEST_F(shell_test, a_client_may_be_stopped_when_an_idle_connection_is_due) {
  start_broker();
  const auto echo = echo_worker(version::v02);
  await_workers(1);
  auto options = patient_client(version::v02);
  options.idle_connections = 0;
  options.idle_time = 0ms;
  client snapshot_client{executor(), at_, options};
  // Fires in the same turn as the alarm of the idle connection, and before it.
  asio::steady_timer before{executor()};
  bool stopped = false;
  snapshot_client.async_request("echo", message{"m"}, [&](error_code ec, const message&) {
    EXPECT_FALSE(ec) << ec.message();
    before.expires_at({});
    before.async_wait([&](error_code) {
      snapshot_client.stop();
      stopped = true;
    });
  });
  run_until([&] { return stopped; });
  run_ready();
}

struct thrown : std::runtime_error {
  thrown() : runtime_error{"thrown by a handler"} {}
};

class shell_exception : public shell_versions_test {
protected:
  template <class Done>
  void run_through_exceptions(Done&& done) {
    for (;;) {
      try {
        run_until(done);
        return;
      } catch (const thrown&) {
        ++thrown_;
      }
    }
  }

  int thrown_ = 0;
};

INSTANTIATE_TEST_SUITE_P(mdp, shell_exception, all_versions(), name_of_versions);

TEST_P(shell_exception, an_exception_of_a_handler_leaves_the_worker_working) {
  start_broker();
  int calls = 0;
  const worker careless{executor(), at_, impatient_worker(GetParam().workers),
                        [&](worker_request request) {
                          ++calls;
                          EXPECT_FALSE(request.reply(message{"reply"}));
                          throw thrown{};
                        }};
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  int answered = 0;
  for (int i = 0; i < 3; ++i) {
    snapshot_client.async_request("echo", message{"m"},
                                  [&](error_code ec, const message&) { answered += ec ? 0 : 1; });
  }
  run_through_exceptions([&] { return answered == 3 && thrown_ == 3; });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(broker_->status().counters.requeued, 0U);
}

TEST_P(shell_exception, an_exception_of_a_handler_leaves_the_client_working) {
  start_broker();
  const worker chatty{executor(), at_, impatient_worker(GetParam().workers),
                      [](worker_request request) {
                        static_cast<void>(request.reply_in_part(message{"1"}));
                        static_cast<void>(request.reply_in_part(message{"2"}));
                        EXPECT_FALSE(request.reply(message{"3"}));
                      }};
  await_workers(1);
  // On a strand, exceptions pass through the caller.
  const auto strand = asio::make_strand(context());
  client snapshot_client{strand, at_, patient_client(GetParam().clients)};
  int called = 0;
  int answered = 0;
  for (int i = 0; i < 3; ++i) {
    snapshot_client.async_request(
        "echo", message{"m"}, {},
        [&](const message&) {
          ++called;
          throw thrown{};
        },
        [&](error_code ec, const message&) {
          ++called;
          answered += ec ? 0 : 1;
          throw thrown{};
        });
    run_through_exceptions([&] { return answered == i + 1 && thrown_ == called; });
  }
  const bool parts = GetParam().workers == version::v02 && GetParam().clients == version::v02;
  EXPECT_EQ(called, parts ? 9 : 3);
}

TEST_P(shell_lifetime, the_context_of_a_handler_waits_for_the_handler) {
  start_broker();
  const auto echo = echo_worker(GetParam().workers);
  await_workers(1);
  client snapshot_client{executor(), at_, patient_client(GetParam().clients)};
  asio::io_context own{1};
  const auto has_work = [&] {
    own.restart();
    own.poll();
    return !own.stopped();
  };
  int calls = 0;
  auto handler =
      asio::bind_executor(own.get_executor(), [&](error_code, const message&) { ++calls; });
  snapshot_client.async_request("echo", message{"m"}, handler);
  while (has_work() && !HasFailure()) {
    context().restart();
    context().run_one_for(timeout);
  }
  EXPECT_EQ(calls, 1);
  snapshot_client.async_request("unknown", message{"m"}, handler);
  EXPECT_TRUE(has_work());
  snapshot_client.stop();
  EXPECT_TRUE(has_work());
  run_ready();
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls, 2);
}

// The broker runs and reads nothing: its queue reaches the mark.
TEST_F(shell_test, a_worker_reconnects_if_its_broker_stops_reading) {
  zmtp::socket_options options = zmtp::test::announcing();
  options.receive_mark = {.messages = 4, .bytes = 1'000'000};
  zmtp::router_socket stalled{executor(), options};
  std::optional<worker_request> in_flight;
  auto service = impatient_worker(version::v02);
  service.heartbeat = 20s;
  const worker eager{executor(), stalled.bind("tcp://127.0.0.1:*").to_string(), service,
                     [&](worker_request request) { in_flight.emplace(std::move(request)); }};
  const auto first = receive(stalled).peer;
  EXPECT_EQ(receive(stalled).content[1], std::string(1, '\1'));
  const message request{"MDPW02", std::string(1, '\2'), "address", "", "body"};
  auto copy = request;
  ASSERT_EQ(stalled.try_send(first, std::move(copy)), zmtp::send_status::queued);
  run_until([&] { return in_flight.has_value(); });
  // The third one does not fit any more, and nothing else happens that would have it look again.
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(in_flight->reply_in_part(message{std::string(40'000'000, 'x')}));
  }
  // The worker closes that connection, and registers on another one.
  for (auto item = receive(stalled); item.peer == first && !HasFailure(); item = receive(stalled)) {
  }
}

}  // namespace
}  // namespace mdp
