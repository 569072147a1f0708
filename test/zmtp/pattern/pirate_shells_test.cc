#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/error.h"
#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/pattern/pirate_queue.h"
#include "zmtp/pattern/pirate_worker.h"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// Zinc's clients, queue and workers on real sockets.
class pirates : public test::network_test, public testing::WithParamInterface<pirate_protocol> {
protected:
  struct end {
    std::optional<error_code> ec;
    message answer;
  };

  void start_queue(std::string clients = "tcp://127.0.0.1:*",
                   std::string workers = "tcp://127.0.0.1:*") {
    // So short that a test does not wait, and long enough for a busy machine.
    queue_.emplace(executor(),
                   pirate_queue_options{.protocol = GetParam(), .heartbeat = 50ms, .liveness = 10});
    clients_at_ = queue_->bind_clients(clients).to_string();
    workers_at_ = queue_->bind_workers(workers).to_string();
  }
  pirate_worker_options worker_options() const {
    return {.protocol = GetParam(), .heartbeat = 50ms, .liveness = 10, .reconnect_delay = 10ms};
  }
  std::unique_ptr<pirate_worker> echo_worker(std::string name) {
    return std::make_unique<pirate_worker>(executor(), workers_at_, worker_options(),
                                           [name](held_request request) {
                                             auto answer = std::move(request.body());
                                             answer.push_back(name);
                                             static_cast<void>(request.reply(std::move(answer)));
                                           });
  }
  std::unique_ptr<pirate_worker> holding_worker() {
    return std::make_unique<pirate_worker>(
        executor(), workers_at_, worker_options(),
        [this](held_request request) { held_.push_back(std::move(request)); });
  }
  std::shared_ptr<end> ask(lazy_pirate_client& of, message what) {
    auto notified = std::make_shared<end>();
    of.async_request(std::move(what), {}, [notified](error_code ec, message answer) {
      notified->ec = ec;
      notified->answer = std::move(answer);
    });
    return notified;
  }
  message answer_of(const std::shared_ptr<end>& notified) {
    run_until([&] { return notified->ec.has_value(); });
    EXPECT_FALSE(notified->ec.value_or(error_code{}));
    return notified->answer;
  }
  void await_workers(std::size_t count) {
    run_until([&] { return queue_->workers() == count; });
  }

  std::optional<pirate_queue> queue_;
  std::string clients_at_;
  std::string workers_at_;
  std::vector<held_request> held_;
};

INSTANTIATE_TEST_SUITE_P(protocols, pirates,
                         testing::Values(pirate_protocol::simple, pirate_protocol::paranoid),
                         [](const auto& tested) {
                           return tested.param == pirate_protocol::simple ? "simple" : "paranoid";
                         });

TEST_P(pirates, workers_take_turns) {
  start_queue();
  const auto a = echo_worker("a");
  const auto b = echo_worker("b");
  await_workers(2);
  lazy_pirate_client client{executor(), {clients_at_}};
  const auto first = answer_of(ask(client, {"1"sv}));
  const auto second = answer_of(ask(client, {"2"sv, "with two parts"sv}));
  EXPECT_EQ(first.front(), "1");
  EXPECT_EQ(second.size(), 3U);
  EXPECT_NE(first.back(), second.back());
  EXPECT_EQ(queue_->counters().replies, 2U);
}

TEST_P(pirates, a_request_waits_for_the_first_worker) {
  start_queue();
  lazy_pirate_client client{executor(), {clients_at_}, {.timeout = 20s}};
  const auto notified = ask(client, {"1"sv});
  run_until([&] { return queue_->waiting() == 1; });
  const auto worker = echo_worker("a");
  EXPECT_EQ(answer_of(notified), (message{"1"sv, "a"sv}));
}

TEST_P(pirates, the_clients_next_attempt_replaces_the_request_of_a_lost_worker) {
  start_queue();
  auto holding = holding_worker();
  lazy_pirate_client client{executor(), {clients_at_}, {.timeout = 200ms, .attempts = 20}};
  const auto notified = ask(client, {"1"sv});
  run_until([&] { return held_.size() == 1; });
  holding.reset();
  await_workers(0);
  const auto worker = echo_worker("b");
  EXPECT_EQ(answer_of(notified), (message{"1"sv, "b"sv}));
  EXPECT_EQ(queue_->counters().lost, 1U);
  held_.clear();
}

TEST_P(pirates, workers_come_back_to_a_queue_that_is_restarted) {
  start_queue();
  const auto worker = echo_worker("a");
  await_workers(1);
  const auto clients = clients_at_;
  const auto workers = workers_at_;
  queue_.reset();
  start_queue(clients, workers);
  lazy_pirate_client client{executor(), {clients_at_}, {.timeout = 200ms, .attempts = 50}};
  EXPECT_EQ(answer_of(ask(client, {"1"sv})), (message{"1"sv, "a"sv}));
}

TEST_P(pirates, a_request_may_be_answered_later_and_outlive_its_worker) {
  start_queue();
  auto worker = holding_worker();
  lazy_pirate_client client{executor(), {clients_at_}};
  const auto notified = ask(client, {"1"sv});
  run_until([&] { return held_.size() == 1; });
  EXPECT_EQ(held_.front().reply(message{}), errc::bad_message);
  EXPECT_FALSE(held_.front().reply(message{"later"sv}));
  EXPECT_EQ(answer_of(notified), message{"later"sv});
  EXPECT_EQ(held_.front().reply(message{"again"sv}), call_errc::no_request);
  worker.reset();
  run_until([&] { return queue_->workers() == 0; });
  EXPECT_EQ(held_.front().reply(message{"late"sv}), call_errc::no_request);
}

TEST_P(pirates, a_request_that_is_dropped_frees_the_worker) {
  start_queue();
  const auto worker = holding_worker();
  lazy_pirate_client client{executor(), {clients_at_}, {.timeout = 200ms, .attempts = 50}};
  const auto notified = ask(client, {"1"sv});
  run_until([&] { return held_.size() == 1; });
  held_.clear();
  run_until([&] { return held_.size() == 1; });
  EXPECT_FALSE(held_.front().reply(message{"second"sv}));
  EXPECT_EQ(answer_of(notified), message{"second"sv});
}

TEST_P(pirates, a_stopped_worker_sends_nothing_more) {
  start_queue();
  std::vector<pirate_worker_event::kind> events;
  pirate_worker worker{executor(), workers_at_, worker_options(),
                       [this](held_request request) { held_.push_back(std::move(request)); },
                       [&](const pirate_worker_event& event) { events.push_back(event.what); }};
  lazy_pirate_client client{executor(), {clients_at_}};
  const auto notified = ask(client, {"1"sv});
  run_until([&] { return held_.size() == 1; });
  worker.stop();
  EXPECT_EQ(held_.front().reply(message{"late"sv}), call_errc::no_request);
  held_.clear();
  EXPECT_EQ(std::count(events.begin(), events.end(), pirate_worker_event::kind::ready), 1);
  EXPECT_FALSE(notified->ec);
}

// Previously, 1,500 requests that no worker took, from a client that had disconnected, made the
// queue stop reading all clients.
TEST_P(pirates, requests_of_a_disconnected_client_do_not_block_others) {
  constexpr std::size_t many = 1'500;
  start_queue();
  {
    test::raw_peer flood{context()};
    flood.connect(*endpoint::parse(clients_at_));
    flood.shake_hands("DEALER");
    std::string requests;
    for (std::size_t i = 0; i < many; ++i) {
      requests += test::framed({"", "two", "parts"});
    }
    flood.send(requests);
    run_until([&] { return queue_->waiting() == 1'000; });
  }
  run_until([&] { return queue_->waiting() == 0; });
  EXPECT_EQ(queue_->counters().abandoned, many);
  const auto worker = echo_worker("a");
  lazy_pirate_client client{executor(), {clients_at_}};
  EXPECT_EQ(answer_of(ask(client, {"1"sv})), (message{"1"sv, "a"sv}));
}

TEST_P(pirates, clients_are_served_while_another_fills_the_queue) {
  start_queue();
  test::raw_peer flood{context()};
  flood.connect(*endpoint::parse(clients_at_));
  flood.shake_hands("DEALER");
  std::string requests;
  for (std::size_t i = 0; i < 1'500; ++i) {
    requests += test::framed({"", "one part"});
  }
  flood.send(requests);
  run_until([&] { return queue_->waiting() == 1'000; });
  lazy_pirate_client client{executor(), {clients_at_}, {.timeout = 20s}};
  const auto notified = ask(client, {"1"sv});
  run_until([&] { return queue_->waiting() == 1'001; });
  flood.close();
  const auto worker = echo_worker("a");
  EXPECT_EQ(answer_of(notified), (message{"1"sv, "a"sv}));
}

TEST_P(pirates, end_with_their_context) {
  start_queue();
  const auto worker = echo_worker("a");
  await_workers(1);
  destroy_context();
  EXPECT_THROW(queue_->bind_clients("tcp://127.0.0.1:*"), boost::system::system_error);
}

TEST_P(pirates, end_when_they_are_stopped) {
  start_queue();
  auto worker = echo_worker("a");
  await_workers(1);
  worker->stop();
  queue_->stop();
  run_to_the_end();
  EXPECT_THROW(queue_->bind_workers("tcp://127.0.0.1:*"), boost::system::system_error);
}

class paranoid_pirates : public pirates {};
INSTANTIATE_TEST_SUITE_P(protocols, paranoid_pirates, testing::Values(pirate_protocol::paranoid));

TEST_P(paranoid_pirates, idle_workers_and_the_queue_keep_each_other_alive) {
  start_queue();
  std::vector<pirate_worker_event::kind> events;
  pirate_worker worker{executor(), workers_at_, worker_options(),
                       [](held_request) { ADD_FAILURE() << "nobody asked"; },
                       [&](const pirate_worker_event& event) { events.push_back(event.what); }};
  run_until([&] { return events.size() >= 15; });
  EXPECT_EQ(std::count(events.begin(), events.end(), pirate_worker_event::kind::lost), 0);
  EXPECT_EQ(queue_->workers(), 1U);
  EXPECT_EQ(queue_->counters().workers_expired, 0U);
}

TEST_P(paranoid_pirates, a_worker_leaves_an_unresponsive_queue) {
  router_socket silent{executor(), test::announcing()};
  workers_at_ = silent.bind("tcp://127.0.0.1:*").to_string();
  std::vector<pirate_worker_event::kind> events;
  pirate_worker worker{executor(), workers_at_, worker_options(), [](held_request) {},
                       [&](const pirate_worker_event& event) { events.push_back(event.what); }};
  const auto attached = receive(silent);
  EXPECT_EQ(receive(silent).content, message{"\1"sv});
  routed_message item;
  do {
    item = receive(silent);
  } while (item.content == message{"\2"sv});
  EXPECT_EQ(item.what, routed_message::kind::detached);
  EXPECT_EQ(std::count(events.begin(), events.end(), pirate_worker_event::kind::lost), 1);
  do {
    item = receive(silent);
  } while (item.what != routed_message::kind::attached);
  EXPECT_NE(item.peer, attached.peer);
  EXPECT_EQ(receive(silent).content, message{"\1"sv});
}

TEST_P(pirates, reject_options_out_of_range) {
  const auto fault_of = [&](const pirate_queue_options& options) {
    try {
      const pirate_queue made{executor(), options};
    } catch (const boost::system::system_error& e) {
      EXPECT_EQ(e.code(), call_errc::bad_call_option);
      return std::string{e.what()};
    }
    return std::string{};
  };
  EXPECT_EQ(fault_of({.heartbeat = std::chrono::milliseconds::max()})
                .find("pirate_queue: heartbeat must be 1 ms to 24 h"),
            0U);
  EXPECT_EQ(fault_of({.liveness = 1'001}).find("pirate_queue: liveness must be 1 to 1000"), 0U);
  try {
    const pirate_worker made{executor(),
                             "tcp://127.0.0.1:1",
                             {.longest_reconnect_delay = std::chrono::milliseconds::max()},
                             [](const auto&...) {}};
    ADD_FAILURE() << "no error";
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), call_errc::bad_call_option);
  }
}

}  // namespace
}  // namespace zmtp
