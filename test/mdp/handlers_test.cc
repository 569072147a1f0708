// Events that observers receive: messages as they are on the wire, and changes of peers.

#include "test/mdp/shell_fixture.h"
#include "zmtp/socket/request_sockets.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {
namespace {

using boost::system::error_code;
using namespace std::chrono_literals;
using zmtp::message;
using messages = std::vector<message>;

class handlers : public shell_test {
protected:
  static bool is_heartbeat(const message& m) { return m.size() == 3 && m[2] == "\4"; }
  // All but heartbeats, which come whenever there is time.
  static std::function<void(const message&)> into(messages& to) {
    return [&to](const message& m) {
      if (!is_heartbeat(m)) {
        to.push_back(m);
      }
    };
  }
  broker_handlers noting() {
    return {.on_received =
                [this](std::string_view peer, const message& m) {
                  EXPECT_FALSE(peer.empty());
                  into(at_broker_)(m);
                },
            .on_send =
                [this](std::string_view peer, const message& m) {
                  EXPECT_FALSE(peer.empty());
                  into(of_broker_)(m);
                },
            .on_event =
                [this](const broker_event& event, std::string_view peer) {
                  EXPECT_EQ(peer.empty(), event.what == broker_event::kind::service_added);
                  events_.push_back(event);
                }};
  }
  void start_noting_broker() {
    broker_.emplace(executor(), impatient_broker(), noting());
    at_ = broker_->bind("tcp://127.0.0.1:*").to_string();
  }
  [[nodiscard]] bool has(broker_event::kind what) const {
    return std::any_of(events_.begin(), events_.end(),
                       [what](const broker_event& one) { return one.what == what; });
  }

  messages at_broker_;
  messages of_broker_;
  std::vector<broker_event> events_;
};

TEST_F(handlers, see_messages_as_they_are_on_the_wire) {
  start_noting_broker();
  messages at_worker;
  messages of_worker;
  const worker echo{executor(),
                    at_,
                    impatient_worker(version::v01),
                    [](worker_request request) {
                      auto body = std::move(request.body());
                      EXPECT_FALSE(request.reply(std::move(body)));
                    },
                    {.on_received = into(at_worker), .on_send = into(of_worker)}};
  await_workers(1);
  messages at_client;
  messages of_client;
  client snapshot_client{executor(),
                         at_,
                         patient_client(version::v01),
                         {.on_received = into(at_client), .on_send = into(of_client)}};
  bool answered = false;
  snapshot_client.async_request("echo", message{"body"}, [&](error_code ec, const message&) {
    EXPECT_FALSE(ec);
    answered = true;
  });
  run_until([&] { return answered; });
  const message ready{"", "MDPW01", "\1", "echo"};
  const message asked{"", "MDPC01", "echo", "body"};
  EXPECT_EQ(of_client, messages{asked});
  EXPECT_EQ(at_client, messages{asked}) << "an echo";
  // The worker knows only that the frame is an address.
  ASSERT_EQ(at_worker.size(), 1U);
  const auto& request = at_worker.front();
  ASSERT_EQ(request.size(), 6U);
  EXPECT_EQ(request, (message{"", "MDPW01", "\2", request[3], "", "body"}));
  const message reply{"", "MDPW01", "\3", request[3], "", "body"};
  EXPECT_EQ(of_worker, (messages{ready, reply}));
  EXPECT_EQ(at_broker_, (messages{ready, asked, reply}));
  EXPECT_EQ(of_broker_, (messages{request, asked}));
  ASSERT_EQ(events_.size(), 2U);
  EXPECT_EQ(events_[0].what, broker_event::kind::worker_registered);
  EXPECT_EQ(events_[1].what, broker_event::kind::service_added);
  EXPECT_EQ(events_[1].service, "echo");
}

TEST_F(handlers, broker_handlers_receive_unresponsive_workers_and_malformed_messages) {
  start_noting_broker();
  zmtp::dealer_socket silent{executor()};
  silent.connect(at_);
  EXPECT_EQ(silent.try_send(make_ready(version::v01, "echo")), zmtp::send_status::queued);
  run_until([&] { return has(broker_event::kind::worker_expired); });
  EXPECT_TRUE(has(broker_event::kind::worker_unregistered));
  zmtp::dealer_socket other{executor()};
  other.connect(at_);
  EXPECT_EQ(other.try_send(message{"", "nonsense"}), zmtp::send_status::queued);
  run_until([&] { return has(broker_event::kind::message_refused); });
  EXPECT_NE(events_.back().fault, errc{});
  EXPECT_NE(events_.back().peer, events_.front().peer);
}

// The broker learns that its worker does not read while it sends a request.
TEST_F(handlers, broker_handlers_receive_the_loss_of_a_worker_that_does_not_read) {
  auto options = impatient_broker();
  options.heartbeat = std::chrono::hours{1};
  options.worker_in_flight = options.client_limit.requests = 100'000;
  options.client_limit.bytes = options.services.limit.bytes = std::size_t{1} << 40;
  broker_.emplace(executor(), options, noting());
  at_ = broker_->bind("tcp://127.0.0.1:*").to_string();
  zmtp::socket_options stalled;
  stalled.receive_mark.messages = 1;
  stalled.extensions = {"capacity=100000"};
  zmtp::dealer_socket worker{executor(), stalled};
  worker.connect(at_);
  EXPECT_EQ(worker.try_send(make_ready(version::v02, "stalled")), zmtp::send_status::queued);
  zmtp::dealer_socket client{executor()};
  client.connect(at_);
  const std::string large(1'000'000, 'x');
  run_until([&] {
    message request{large};
    push_client_request(request, version::v02, "stalled");
    static_cast<void>(client.try_send(std::move(request)));
    return has(broker_event::kind::worker_unregistered);
  });
  EXPECT_EQ(broker_->status().counters.workers_not_reading, 1U);
}

TEST_F(handlers, client_handlers_receive_each_lost_attempt) {
  auto options = patient_client(version::v01);
  options.timeout = 10ms;
  options.backoff = 1ms;
  options.attempts = 3;
  unsigned lost = 0;
  client snapshot_client{executor(), reserve(), options, {.on_lost = [&] { ++lost; }}};
  std::optional<error_code> end;
  snapshot_client.async_request("echo", message{"m"},
                                [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, errc::not_connected);
  EXPECT_EQ(lost, *options.attempts - 1) << "after the last it is not looked for any more";
}

TEST_F(handlers, worker_handlers_receive_the_loss_of_the_broker) {
  start_broker();
  unsigned lost = 0;
  messages of_worker;
  const worker echo{executor(),
                    at_,
                    impatient_worker(version::v01),
                    [](const worker_request&) {},
                    {.on_send = into(of_worker), .on_lost = [&] { ++lost; }}};
  await_workers(1);
  EXPECT_EQ(lost, 0U);
  broker_.reset();
  run_until([&] { return lost != 0; });
  start_broker();
  await_workers(1);
  const message ready{"", "MDPW01", "\1", "echo"};
  EXPECT_EQ(of_worker.front(), ready);
  EXPECT_EQ(of_worker.back(), ready);
  EXPECT_GE(of_worker.size(), 2U);
}

}  // namespace
}  // namespace mdp
