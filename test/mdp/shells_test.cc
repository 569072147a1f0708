// Requests through real sockets: many at once, replies in parts, and peers that are lost meanwhile.

#include "test/mdp/shell_fixture.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/router_socket.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <map>
#include <memory>
#include <set>
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
  client asker{executor(), at_, patient_client(GetParam().clients)};
  constexpr std::size_t coroutines = 50;
  constexpr std::size_t each = 20;
  std::size_t answered = 0;
  std::size_t over = 0;
  const auto ask = [&](std::size_t who) -> asio::awaitable<void> {
    for (std::size_t i = 0; i < each; ++i) {
      const auto text = std::to_string(who) + "." + std::to_string(i);
      message body;
      body.push_back(text);
      const auto reply = co_await asker.async_request("echo", std::move(body), asio::use_awaitable);
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
  std::vector<worker_request> in_hand;
  std::optional<worker> slow{
      std::in_place, executor(), at_, impatient_worker(GetParam().workers),
      [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  await_workers(1);
  client asker{executor(), at_, patient_client(GetParam().clients)};
  std::string reply;
  asker.async_request("echo", message{"a", "b"}, [&](error_code ec, const message& m) {
    EXPECT_FALSE(ec);
    reply = std::string{m[0]} + std::string{m[1]};
  });
  run_until([&] { return in_hand.size() == 1; });
  const auto other = echo_worker(GetParam().workers);
  await_workers(2);
  slow.reset();
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, "ab");
  EXPECT_EQ(in_hand[0].reply(message{"too late"}), errc::no_request);
  EXPECT_EQ(broker_->status().counters.requeued, 1U);
}

TEST_P(shells, a_worker_with_a_capacity_has_so_many_in_hand_and_all_go_to_another_when_it_is_lost) {
  start_broker();
  std::vector<worker_request> in_hand;
  auto options = impatient_worker(GetParam().workers);
  options.capacity = 3;
  std::optional<worker> wide{std::in_place, executor(), at_, options, [&](worker_request request) {
                               in_hand.push_back(std::move(request));
                             }};
  await_workers(1);
  client asker{executor(), at_, patient_client(GetParam().clients)};
  std::vector<std::string> replies;
  for (const auto* const text : {"1", "2", "3", "4", "5"}) {
    asker.async_request("echo", message{text}, [&, text](error_code ec, const message& m) {
      EXPECT_FALSE(ec);
      EXPECT_EQ(m, message{text});
      replies.emplace_back(text);
    });
  }
  run_until([&] { return in_hand.size() == 3 && broker_->status().waiting == 2; });
  // The last first; then it is given another.
  auto body = std::move(in_hand[2].body());
  EXPECT_FALSE(in_hand[2].reply(std::move(body)));
  run_until([&] { return in_hand.size() == 4 && replies.size() == 1; });
  EXPECT_EQ(broker_->status().working, 3U);
  const auto other = echo_worker(GetParam().workers);
  await_workers(2);
  wide.reset();
  run_until([&] { return replies.size() == 5; });
  EXPECT_EQ(broker_->status().counters.requeued, 3U);
}

TEST_P(shells, a_client_that_is_lost_ends_its_requests) {
  start_broker();
  std::vector<worker_request> in_hand;
  auto options = impatient_worker(GetParam().workers);
  const worker slow{executor(), at_, options,
                    [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  await_workers(1);
  std::optional<client> asker{std::in_place, executor(), at_, patient_client(GetParam().clients)};
  std::vector<error_code> ends;
  for (int i = 0; i < 5; ++i) {
    asker->async_request("echo", message{"m"},
                         [&](error_code ec, const message&) { ends.push_back(ec); });
  }
  run_until([&] { return in_hand.size() == 1 && broker_->status().waiting == 4; });
  asker.reset();
  EXPECT_TRUE(ends.empty()) << "called within the destructor";
  run_until([&] { return ends.size() == 5; });
  for (const auto& ec : ends) {
    EXPECT_EQ(ec, asio::error::operation_aborted);
  }
  run_until([&] { return broker_->status().counters.abandoned == 4; });
  // The broker and the worker go on.
  EXPECT_FALSE(in_hand[0].reply(message{"to nobody"}));
  client another{executor(), at_, patient_client(GetParam().clients)};
  bool answered = false;
  another.async_request("echo", message{"m"}, [&](error_code ec, const message&) {
    EXPECT_FALSE(ec);
    answered = true;
  });
  run_until([&] { return in_hand.size() == 2; });
  EXPECT_FALSE(in_hand[1].reply(message{"reply"}));
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
  client asker{executor(), at_, options};
  int answered = 0;
  const auto ask = [&] {
    asker.async_request("echo", message{"m"}, [&](error_code ec, const message& m) {
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
  std::vector<worker_request> in_hand;
  auto options = impatient_worker(GetParam().workers);
  options.capacity = 2;
  const worker slow{executor(), at_, options,
                    [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  const worker slow_too{executor(), at_, options,
                        [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  await_workers(2);
  client asker{executor(), at_, patient_client(GetParam().clients)};
  asio::cancellation_signal signal;
  error_code end;
  asker.async_request("echo", message{"cancelled"},
                      asio::bind_cancellation_slot(
                          signal.slot(), [&](error_code ec, const message&) { end = ec; }));
  std::string reply;
  asker.async_request("echo", message{"kept"}, [&](error_code ec, const message& m) {
    EXPECT_FALSE(ec);
    reply = m.front();
  });
  run_until([&] { return in_hand.size() == 2; });
  signal.emit(asio::cancellation_type::total);
  EXPECT_FALSE(end) << "called within emit()";
  run_until([&] { return end.failed(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
  for (auto& request : in_hand) {
    auto body = std::move(request.body());
    EXPECT_FALSE(request.reply(std::move(body)));
  }
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, "kept");
}

TEST_P(shells, an_operation_on_a_stopped_client_is_aborted) {
  start_broker();
  client asker{executor(), at_, patient_client(GetParam().clients)};
  asker.stop();
  error_code end;
  asker.async_request("echo", message{"m"}, [&](error_code ec, const message&) { end = ec; });
  EXPECT_FALSE(end);
  run_until([&] { return end.failed(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
}

TEST_P(shells, stopped_leave_nothing_to_run) {
  start_broker();
  const auto echo = echo_worker(GetParam().workers);
  await_workers(1);
  client asker{executor(), at_, patient_client(GetParam().clients)};
  bool answered = false;
  asker.async_request("echo", message{"m"}, [&](error_code, const message&) {
    answered = true;
    asker.stop();
    echo->stop();
    broker_->stop();
  });
  run_to_the_end();
  EXPECT_TRUE(answered);
  EXPECT_EQ(broker_->status().counters.replies, 1U);
  EXPECT_EQ(broker_->services().size(), broker_->status().services);
}

using partial_replies = shell_test;

TEST_F(partial_replies, come_in_order_and_before_the_last) {
  start_broker();
  const worker chatty{executor(), at_, impatient_worker(version::v02), [](worker_request request) {
                        for (int i = 0; i < 100; ++i) {
                          EXPECT_FALSE(request.reply_in_part(message{std::to_string(i)}));
                        }
                        EXPECT_FALSE(request.reply(message{"last"}));
                        EXPECT_EQ(request.reply(message{"twice"}), errc::no_request);
                      }};
  await_workers(1);
  client asker{executor(), at_, patient_client(version::v02)};
  std::vector<std::string> parts;
  bool over = false;
  asker.async_request(
      "echo", message{"m"}, {},
      [&](const message& part) {
        EXPECT_FALSE(over);
        parts.emplace_back(part.front());
      },
      [&](error_code ec, const message& last) {
        EXPECT_FALSE(ec);
        EXPECT_EQ(last, message{"last"});
        over = true;
      });
  run_until([&] { return over; });
  ASSERT_EQ(parts.size(), 100U);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i], std::to_string(i));
  }
}

TEST_F(partial_replies, are_not_possible_in_the_older_version) {
  start_broker();
  const worker older{executor(), at_, impatient_worker(version::v01), [](worker_request request) {
                       EXPECT_EQ(request.reply_in_part(message{"part"}),
                                 errc::partial_not_possible);
                       EXPECT_FALSE(request.reply(message{"whole"}));
                     }};
  await_workers(1);
  client asker{executor(), at_, patient_client(version::v02)};
  message reply;
  asker.async_request("echo", message{"m"}, [&](error_code, message m) { reply = std::move(m); });
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, message{"whole"});
}

TEST_P(shells, a_worker_may_be_a_coroutine) {
  start_broker();
  auto options = impatient_worker(workers());
  options.capacity = 3;
  const worker slow{executor(), at_, options, [&](message body) -> asio::awaitable<message> {
                      asio::steady_timer timer{context(), 1ms};
                      co_await timer.async_wait(asio::use_awaitable);
                      body.push_back("answered");
                      co_return body;
                    }};
  await_workers(1);
  client asker{executor(), at_, patient_client(clients())};
  int answered = 0;
  for (int i = 0; i < 10; ++i) {
    asker.async_request("echo", message{std::to_string(i)},
                        [&, i](error_code ec, const message& m) {
                          EXPECT_FALSE(ec);
                          EXPECT_EQ(m, (message{std::to_string(i), "answered"}));
                          ++answered;
                        });
  }
  run_until([&] { return answered == 10; });
}

TEST_P(shells, a_handler_refuses_and_fails_requests_and_its_worker_goes_on) {
  start_broker();
  auto options = impatient_worker(workers());
  options.capacity = 4;
  std::vector<worker_request> in_hand;
  const worker careless{executor(), at_, options, [&](worker_request request) {
                          const std::string text{request.body().front()};
                          if (text == "refuse") {
                            EXPECT_FALSE(request.refuse());
                            EXPECT_EQ(request.fail(), errc::no_request);
                          } else if (text == "fail") {
                            EXPECT_FALSE(request.fail());
                          } else if (text == "hold") {
                            in_hand.push_back(std::move(request));
                          }
                          // Otherwise it is destroyed.
                        }};
  await_workers(1);
  client asker{executor(), at_, patient_client(clients())};
  std::map<std::string, error_code> ends;
  for (const auto* const text : {"hold", "refuse", "fail", "destroy"}) {
    asker.async_request("echo", message{text},
                        [&, text](error_code ec, const message&) { ends[text] = ec; });
  }
  run_until([&] { return ends.size() == 3; });
  EXPECT_EQ(ends["refuse"], errc::request_refused);
  EXPECT_EQ(outcome_of(ends["refuse"]), outcome::refused);
  EXPECT_EQ(ends["fail"], errc::request_failed);
  EXPECT_EQ(outcome_of(ends["fail"]), outcome::unknown);
  EXPECT_EQ(ends["destroy"], errc::request_failed);
  ASSERT_EQ(in_hand.size(), 1U);
  EXPECT_FALSE(in_hand[0].reply(message{"done"}));
  run_until([&] { return ends.size() == 4; });
  EXPECT_EQ(ends["hold"], error_code{});
  EXPECT_EQ(broker_->status().counters.workers_registered, 1U);
}

TEST_P(shells, a_coroutine_refuses_and_fails_by_what_it_throws) {
  start_broker();
  const worker careless{
      executor(), at_, impatient_worker(workers()), [](message body) -> asio::awaitable<message> {
        throw boost::system::system_error{body.front() == "refuse" ? errc::request_refused
                                                                   : errc::request_failed};
        co_return body;
      }};
  await_workers(1);
  client asker{executor(), at_, patient_client(clients())};
  std::map<std::string, error_code> ends;
  for (const auto* const text : {"refuse", "fail"}) {
    asker.async_request("echo", message{text},
                        [&, text](error_code ec, const message&) { ends[text] = ec; });
  }
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends["refuse"], errc::request_refused);
  EXPECT_EQ(ends["fail"], errc::request_failed);
  EXPECT_EQ(broker_->status().counters.workers_registered, 1U);
}

TEST_P(shells, workers_that_come_and_drain_cost_no_request_an_attempt) {
  auto options = impatient_broker();
  options.services.idempotent = false;  // one attempt
  start_broker(options);
  auto four = impatient_worker(workers());
  four.capacity = 4;
  std::set<std::string> begun;
  std::vector<std::unique_ptr<worker>> own;
  std::size_t drained = 0;
  // Each drains with the first request that it has taken, of several that the broker has sent.
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
  client asker{executor(), at_, patient_client(clients())};
  std::size_t answered = 0;
  for (std::size_t i = 0; i < count; ++i) {
    asker.async_request("echo", message{std::to_string(i)}, [&](error_code ec, const message&) {
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

TEST_P(shells, a_drain_ends_at_its_deadline) {
  start_broker();
  std::vector<worker_request> in_hand;
  worker leaving{executor(), at_, impatient_worker(workers()),
                 [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  client asker{executor(), at_, patient_client(clients())};
  std::string reply;
  asker.async_request("echo", message{"m"}, [&](error_code ec, const message& m) {
    EXPECT_FALSE(ec);
    reply = m.front();
  });
  run_until([&] { return in_hand.size() == 1; });
  std::optional<error_code> drained;
  leaving.async_drain(10ms, [&](error_code ec) { drained = ec; });
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, zmtp::errc::timed_out);
  EXPECT_EQ(in_hand[0].reply(message{"too late"}), errc::no_request);
  const auto other = echo_worker(workers());
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, "m");
}

TEST_P(shells, a_broker_drains_and_clients_go_to_its_successor) {
  start_broker();
  std::vector<worker_request> in_hand;
  std::optional<worker> slow{
      std::in_place, executor(), at_, impatient_worker(workers()),
      [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  await_workers(1);
  client asker{executor(), at_, patient_client(clients())};
  std::vector<std::string> replies;
  const auto ask = [&](std::string text) {
    asker.async_request("echo", message{text}, [&](error_code ec, const message& m) {
      EXPECT_FALSE(ec);
      replies.emplace_back(ec ? ec.message() : std::string{m.front()});
    });
  };
  ask("a");
  run_until([&] { return in_hand.size() == 1; });
  std::optional<error_code> drained;
  broker_->async_drain({}, [&](error_code ec) { drained = ec; });
  std::optional<error_code> second;
  broker_->async_drain({}, [&](error_code ec) { second = ec; });
  run_until([&] { return second.has_value(); });
  EXPECT_EQ(second, asio::error::operation_aborted);
  EXPECT_FALSE(drained.has_value());
  ask("b");
  auto body = std::move(in_hand[0].body());
  EXPECT_FALSE(in_hand[0].reply(std::move(body)));
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

TEST_P(shells, a_broker_that_drains_for_too_long_says_what_it_knows) {
  start_broker();
  std::vector<worker_request> in_hand;
  const worker slow{executor(), at_, impatient_worker(workers()),
                    [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  await_workers(1);
  auto once = patient_client(clients());
  once.attempts = 1;
  client asker{executor(), at_, once};
  std::optional<error_code> end;
  asker.async_request("echo", message{"m"}, [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return in_hand.size() == 1; });
  std::optional<error_code> drained;
  broker_->async_drain(10ms, [&](error_code ec) { drained = ec; });
  run_until([&] { return drained && end; });
  EXPECT_EQ(drained, zmtp::errc::timed_out);
  EXPECT_EQ(broker_->status().counters.stopped, 1U);
  EXPECT_EQ(outcome_of(*end), outcome::unknown);
}

TEST_P(shells, a_worker_drains) {
  start_broker();
  std::vector<worker_request> in_hand;
  auto options = impatient_worker(workers());
  options.capacity = 2;
  worker leaving{executor(), at_, options,
                 [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  await_workers(1);
  client asker{executor(), at_, patient_client(clients())};
  std::vector<std::string> replies;
  const auto ask = [&](std::string text) {
    asker.async_request("echo", message{text}, [&](error_code ec, const message& m) {
      EXPECT_FALSE(ec);
      replies.emplace_back(m.front());
    });
  };
  ask("a");
  ask("b");
  run_until([&] { return in_hand.size() == 2; });
  std::optional<error_code> drained;
  leaving.async_drain([&](error_code ec) { drained = ec; });
  const auto other = echo_worker(workers());
  ask("c");
  run_until([&] { return replies.size() == 1; });
  EXPECT_EQ(replies.front(), "c") << "by the other";
  EXPECT_FALSE(drained.has_value());
  for (auto& request : in_hand) {
    EXPECT_FALSE(request.reply(message{"at last"}));
  }
  run_until([&] { return drained && replies.size() == 3; });
  EXPECT_EQ(drained, error_code{});
  EXPECT_EQ(replies[1], "at last");
  EXPECT_EQ(replies[2], "at last");
  EXPECT_EQ(broker_->status().counters.requeued, 0U);
  await_workers(1);
  // It is over.
  drained.reset();
  leaving.async_drain([&](error_code ec) { drained = ec; });
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, asio::error::operation_aborted);
}

TEST_P(shells, stopping_ends_draining) {
  start_broker();
  std::vector<worker_request> in_hand;
  worker leaving{executor(), at_, impatient_worker(workers()),
                 [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  client asker{executor(), at_, patient_client(clients())};
  asker.async_request("echo", message{"m"}, [](error_code, const message&) {});
  run_until([&] { return in_hand.size() == 1; });
  std::optional<error_code> drained;
  leaving.async_drain([&](error_code ec) { drained = ec; });
  leaving.stop();
  run_until([&] { return drained.has_value(); });
  EXPECT_EQ(drained, asio::error::operation_aborted);
}

TEST_P(shells, stopping_ends_a_drain_whose_last_message_the_broker_does_not_read) {
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

TEST_P(shells, a_client_goes_to_the_broker_that_is_there) {
  start_broker();
  const auto echo = echo_worker(workers());
  await_workers(1);
  client asker{executor(), std::vector{reserve(), reserve(), at_}, patient_client(clients())};
  int answered = 0;
  for (int i = 0; i < 5; ++i) {
    asker.async_request("echo", message{"m"}, [&](error_code ec, const message&) {
      EXPECT_FALSE(ec);
      EXPECT_EQ(outcome_of(ec), outcome::answered);
      ++answered;
    });
  }
  run_until([&] { return answered == 5; });
}

TEST_P(shells, a_client_goes_to_the_next_broker_when_one_is_lost) {
  broker next{executor(), impatient_broker()};
  const auto there = next.bind("tcp://127.0.0.1:*").to_string();
  const worker other{executor(), there, impatient_worker(workers()), [](worker_request request) {
                       EXPECT_FALSE(request.reply(message{"of the next"}));
                     }};
  start_broker();
  std::vector<worker_request> in_hand;
  const worker silent{executor(), at_, impatient_worker(workers()),
                      [&](worker_request request) { in_hand.push_back(std::move(request)); }};
  await_workers(1);
  auto options = patient_client(clients());
  options.idempotent = true;
  client asker{executor(), std::vector{at_, there}, options};
  message reply;
  asker.async_request("echo", message{"m"}, [&](error_code ec, message m) {
    EXPECT_FALSE(ec);
    reply = std::move(m);
  });
  run_until([&] { return in_hand.size() == 1; });
  broker_.reset();
  run_until([&] { return !reply.empty(); });
  EXPECT_EQ(reply, message{"of the next"});
}

TEST_P(shells, a_client_is_told_that_nobody_offers_the_service) {
  auto options = impatient_broker();
  options.services.unserved_expiry = 10ms;
  start_broker(options);
  client asker{executor(), at_, patient_client(clients())};
  std::optional<error_code> end;
  asker.async_request("nobody", message{"m"}, [&](error_code ec, const message&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, errc::not_offered);
  EXPECT_EQ(outcome_of(*end), outcome::refused);
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

TEST_P(shells, a_client_needs_brokers_that_can_be) {
  EXPECT_THROW((client{executor(), std::vector<std::string>{}}), boost::system::system_error);
  EXPECT_THROW((client{executor(), std::vector<std::string>{"tcp://127.0.0.1:1", "nonsense"}}),
               boost::system::system_error);
}

TEST_P(shells, what_is_known_of_a_request_that_failed) {
  client nobody{executor(), reserve(), patient_client(clients())};
  std::optional<error_code> end;
  nobody.async_request("echo", message{"m"}, request_options{.in_all = 20ms},
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

// A service that must not run twice, whose worker keeps what it is given.
class shells_once : public shells {
protected:
  void start_worker() {
    auto options = impatient_worker(workers());
    options.capacity = 1'000;
    worker_.emplace(executor(), at_, options,
                    [this](worker_request request) { in_hand_.push_back(std::move(request)); });
    await_workers(1);
  }
  static client_options repeating_client() {
    auto options = patient_client(clients());
    options.timeout = 50ms;
    options.backoff = options.longest_backoff = 1ms;
    options.attempts = 1'000;
    return options;
  }
  void ask(client& asker) {
    asker.async_request("echo", message{"m"}, [this](error_code ec, message m) {
      end_ = ec;
      reply_ = std::move(m);
    });
  }

  std::vector<worker_request> in_hand_;
  std::optional<worker> worker_;
  std::optional<error_code> end_;
  message reply_;
};

INSTANTIATE_TEST_SUITE_P(mdp, shells_once, all_versions(), name_of_versions);

TEST_P(shells_once, is_asked_once_unless_more_is_wanted) {
  start_broker();
  start_worker();
  auto options = patient_client(clients());
  options.timeout = 1s;  // long enough to be sent on a busy machine
  client asker{executor(), at_, options};
  ask(asker);
  run_until([&] { return end_.has_value(); });
  EXPECT_EQ(end_, errc::no_reply);
  EXPECT_EQ(outcome_of(*end_), outcome::unknown);
  EXPECT_EQ(broker_->status().counters.requests + broker_->status().counters.repeats, 1U);
}

TEST_P(shells_once, runs_once_over_all_attempts) {
  start_broker();
  start_worker();
  client asker{executor(), at_, repeating_client()};
  ask(asker);
  run_until([&] { return broker_->status().counters.repeats >= 3; });
  ASSERT_EQ(in_hand_.size(), 1U);
  EXPECT_FALSE(in_hand_[0].reply(message{"done"}));
  run_until([&] { return end_.has_value(); });
  EXPECT_FALSE(*end_) << end_->message();
  EXPECT_EQ(reply_, message{"done"});
  EXPECT_EQ(in_hand_.size(), 1U);
  EXPECT_EQ(broker_->status().counters.requests, 1U);
}

TEST_P(shells_once, is_not_repeated_to_a_broker_that_was_started_again) {
  start_broker();
  start_worker();
  auto options = repeating_client();
  options.timeout = 15s;
  client asker{executor(), at_, options};
  ask(asker);
  run_until([&] { return in_hand_.size() == 1; });
  broker_.reset();
  context().restart();
  context().poll();
  start_broker();
  run_until([&] { return end_.has_value(); });
  EXPECT_EQ(end_, errc::broker_replaced);
  EXPECT_EQ(outcome_of(*end_), outcome::unknown);
  await_workers(1);
  EXPECT_EQ(in_hand_.size(), 1U);
  EXPECT_EQ(broker_->status().counters.requests, 0U);
}

TEST_P(shells_once, a_burst_of_requests_leaves_few_connections) {
  constexpr std::size_t burst = 300;
  start_broker();
  start_worker();
  auto options = patient_client(clients());
  options.idle_connections = 3;
  options.idle_time = 10ms;
  client asker{executor(), at_, options};
  std::size_t answered = 0;
  const auto ask_all = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      asker.async_request("echo", message{"m"}, [&](error_code ec, const message&) {
        EXPECT_FALSE(ec) << ec.message();
        ++answered;
      });
    }
    run_until([&] { return in_hand_.size() == count; });
    for (auto& request : in_hand_) {
      EXPECT_FALSE(request.reply(message{"done"}));
    }
    in_hand_.clear();
  };
  ask_all(burst);
  EXPECT_EQ(broker_->status().clients, burst);
  run_until([&] { return answered == burst; });
  run_until([&] { return broker_->status().peers == 3 + 1; });
  // The connections that are left are used again, and new ones are opened.
  ask_all(10);
  run_until([&] { return answered == burst + 10; });
  run_until([&] { return broker_->status().peers == 3 + 1; });
}

}  // namespace
}  // namespace mdp
