// Blocking sockets of every type, with deadlines, with each other and between threads.

#include "zmtp/blocking/socket.h"

#include "test/zmtp/blocking/blocking_test.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zmtp::blocking {
namespace {

using namespace std::chrono_literals;
using test::loopback;
using test::timeout;

message numbered(std::size_t n) { return message{std::to_string(n), "of a stream"}; }

socket_options with_marks(std::size_t messages) {
  socket_options options;
  options.send_mark.messages = messages;
  options.receive_mark.messages = messages;
  return options;
}

class blocking_socket : public test::blocking_test {};

TEST_F(blocking_socket, requests_get_replies) {
  rep_socket server{context_};
  req_socket client{context_};
  join(server, client);
  for (std::size_t i = 0; i < 100; ++i) {
    client.send(numbered(i), timeout);
    auto question = server.receive(timeout);
    EXPECT_EQ(question, numbered(i));
    question.push_back("answered");
    server.send(std::move(question), timeout);
    EXPECT_EQ(client.receive(timeout).back(), "answered");
  }
}

TEST_F(blocking_socket, single_messages_pass_a_pipeline) {
  push_socket push{context_};
  pull_socket pull{context_};
  join(pull, push);
  constexpr std::size_t count = 20'000;
  std::thread producer{[&] {
    for (std::size_t i = 0; i < count; ++i) {
      push.send(numbered(i), timeout);
    }
  }};
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(pull.receive(timeout), numbered(i));
  }
  producer.join();
}

TEST_F(blocking_socket, batches_above_the_marks_pass_a_pipeline) {
  constexpr std::size_t count = 20'000;
  push_socket push{context_, with_marks(100)};
  pull_socket pull{context_, with_marks(100)};
  join(pull, push);
  auto sending = std::async(std::launch::async, [&] {
    message_batch batch;
    for (std::size_t i = 0; i < count; i += 1'000) {
      for (std::size_t n = 0; n < 1'000; ++n) {
        batch.append(std::to_string(i + n), "of a stream");
      }
      EXPECT_EQ(push.send(batch, timeout), 1'000U);
      EXPECT_TRUE(batch.empty());
    }
  });
  message_batch batch;
  for (std::size_t received = 0; received < count;) {
    ASSERT_NE(pull.receive(batch, timeout), 0U);
    for (const auto m : batch) {
      ASSERT_EQ(m.to_message(), numbered(received++));
    }
  }
  sending.get();
  EXPECT_FALSE(pull.try_receive(batch));
  error_code ec;
  EXPECT_EQ(pull.receive(batch, 1ms, ec), 0U);
  EXPECT_EQ(ec, errc::timed_out);
}

TEST_F(blocking_socket, publications_reach_subscribers) {
  pub_socket pub{context_};
  sub_socket sub{context_};
  sub.subscribe("A");
  join(pub, sub);
  message got;
  // Repeats until the subscription has arrived.
  while (!sub.try_receive(got)) {
    pub.send({"A", "news"}, timeout);
    pub.send({"B", "other news"}, timeout);
    error_code ec;
    got = sub.receive(1ms, ec);
    if (!ec) {
      break;
    }
    EXPECT_EQ(ec, errc::timed_out);
  }
  EXPECT_EQ(got, (message{"A", "news"}));
  error_code ec;
  sub.subscribe(std::string(100'000, 'x'), ec);
  EXPECT_EQ(ec, errc::topic_too_long);
  EXPECT_THROW(sub.subscribe(std::string(100'000, 'x')), boost::system::system_error);
  sub.unsubscribe("A");
}

TEST_F(blocking_socket, a_router_reports_the_sender_and_sends_to_a_named_peer) {
  router_socket router{context_};
  dealer_socket a{context_};
  dealer_socket b{context_};
  join(router, a);
  join(router, b);
  a.send({"from a"}, timeout);
  const auto from_a = router.receive(timeout);
  EXPECT_EQ(from_a.content, message{"from a"});
  b.send({"from b"}, timeout);
  message_batch batch;
  ASSERT_EQ(router.receive(batch, timeout), 1U);
  EXPECT_EQ(batch.front().to_message(), message{"from b"});
  EXPECT_EQ(router.try_send(batch.front().peer(), message{"to b"}), send_status::queued);
  EXPECT_EQ(router.send_to(batch, timeout), 1U);
  router.send(from_a.peer, {"to a"}, timeout);
  EXPECT_EQ(a.receive(timeout), message{"to a"});
  EXPECT_EQ(b.receive(timeout), message{"to b"});
  EXPECT_EQ(b.receive(timeout), message{"from b"});
  const auto known =
      router.with([&](zmtp::router_socket& r) { return r.info(from_a.peer) != nullptr; });
  EXPECT_TRUE(known);
}

TEST_F(blocking_socket, a_mandatory_router_reports_an_unknown_peer) {
  auto options = with_marks(1);
  options.mandatory = true;
  router_socket router{context_, options};
  message m{"m"};
  error_code ec;
  router.send(peer_id{7, 7}, std::move(m), timeout, ec);
  EXPECT_EQ(ec, errc::host_unreachable);
  EXPECT_EQ(m, message{"m"});  // NOLINT: moved from only if queued
  EXPECT_THROW(router.send(peer_id{7, 7}, {"m"}), boost::system::system_error);
}

TEST_F(blocking_socket, every_call_ends_at_its_deadline_and_keeps_its_message) {
  dealer_socket dealer{context_};
  error_code ec;
  EXPECT_TRUE(dealer.receive(1ms, ec).empty());
  EXPECT_EQ(ec, errc::timed_out);
  message_batch batch;
  batch.append(numbered(1));
  batch.append(numbered(2));
  EXPECT_EQ(dealer.send(batch, 1ms, ec), 0U);
  EXPECT_EQ(ec, errc::timed_out);
  EXPECT_EQ(batch.size(), 2U);
  message m = numbered(3);
  dealer.send(std::move(m), 1ms, ec);
  EXPECT_EQ(ec, errc::timed_out);
  EXPECT_EQ(m, numbered(3));  // NOLINT: moved from only if queued
  message_batch none;
  EXPECT_EQ(dealer.receive(none, 0ms, ec), 0U);
  EXPECT_EQ(ec, errc::timed_out);
  try {
    (void)dealer.receive(1ms);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), errc::timed_out);
  }
}

TEST_F(blocking_socket, tries_do_not_wait) {
  dealer_socket dealer{context_};
  message m{"m"};
  EXPECT_FALSE(dealer.try_receive(m));
  m = message{"m"};
  EXPECT_EQ(dealer.try_send(std::move(m)), send_status::full);
  EXPECT_EQ(m, message{"m"});  // NOLINT: moved from only if queued
  EXPECT_EQ(dealer.try_send(message{}), send_status::bad_message);
  dealer.close();
  EXPECT_EQ(dealer.try_send(std::move(m)), send_status::closed);
  EXPECT_EQ(m, message{"m"});  // NOLINT: moved from only if queued
}

TEST_F(blocking_socket, out_of_turn_is_an_error_of_its_own) {
  req_socket client{context_};
  rep_socket server{context_};
  join(server, client);
  client.send({"first"}, timeout);
  error_code ec;
  client.send({"second"}, timeout, ec);
  EXPECT_EQ(ec, errc::out_of_turn);
  server.send({"reply to nothing"}, timeout, ec);
  EXPECT_EQ(ec, errc::out_of_turn);
}

TEST_F(blocking_socket, an_exception_names_a_failed_send_once) {
  rep_socket server{context_};
  try {
    server.send({"reply to nothing"});
    FAIL() << "did not throw";
  } catch (const boost::system::system_error& e) {
    const std::string text{e.what()};
    EXPECT_EQ(text.find("cannot send: "), 0U) << text;
    EXPECT_EQ(text.rfind("send: "), text.find("send: ")) << text;
  }
}

TEST_F(blocking_socket, invalid_arguments_are_errors) {
  pull_socket pull{context_};
  EXPECT_THROW(pull.bind("nonsense"), boost::system::system_error);
  EXPECT_THROW(pull.connect("tcp://*:1"), boost::system::system_error);
  error_code ec;
  pull.unbind("tcp://127.0.0.1:1", ec);
  EXPECT_EQ(ec, errc::bad_endpoint);
  pull.disconnect("tcp://127.0.0.1:1", ec);
  EXPECT_EQ(ec, errc::bad_endpoint);
  push_socket push{context_};
  push.send(message{}, timeout, ec);
  EXPECT_EQ(ec, errc::bad_message);
  socket_options bad;
  bad.backlog = -1;
  EXPECT_THROW((push_socket{context_, bad}), boost::system::system_error);
}

TEST_F(blocking_socket, unbinding_and_disconnecting_work) {
  pull_socket pull{context_};
  push_socket push{context_};
  const auto at = pull.bind(loopback).to_string();
  push.connect(at);
  push.send({"m"}, timeout);
  EXPECT_EQ(pull.receive(timeout), message{"m"});
  error_code ec;
  push.disconnect(at, ec);
  EXPECT_FALSE(ec);
  push.send({"m"}, 1ms, ec);
  EXPECT_EQ(ec, errc::timed_out);
  pull.unbind(at, ec);
  EXPECT_FALSE(ec);
}

TEST_F(blocking_socket, closing_wakes_waiting_threads) {
  dealer_socket dealer{context_};
  std::atomic<int> begun{0};
  const auto waiting = [&](auto body) {
    return std::async(std::launch::async, [&, body] {
      error_code ec;
      ++begun;
      body(ec);
      return ec;
    });
  };
  auto receiving = waiting([&](error_code& ec) { (void)dealer.receive(ec); });
  auto sending = waiting([&](error_code& ec) { dealer.send({"m"}, ec); });
  while (begun != 2) {
    std::this_thread::yield();
  }
  dealer.close();
  EXPECT_EQ(receiving.get(), errc::socket_closed);
  EXPECT_EQ(sending.get(), errc::socket_closed);
  EXPECT_FALSE(dealer.is_open());
  error_code ec;
  dealer.bind(loopback, ec);
  EXPECT_EQ(ec, errc::socket_closed);
}

TEST_F(blocking_socket, each_message_goes_to_one_of_the_receiving_threads) {
  constexpr std::size_t count = 4'000;
  constexpr std::size_t threads = 4;
  pull_socket pull{context_};
  push_socket push{context_};
  join(pull, push);
  std::vector<std::future<std::vector<std::string>>> receivers;
  for (std::size_t t = 0; t < threads; ++t) {
    receivers.push_back(std::async(std::launch::async, [&] {
      std::vector<std::string> got;
      for (;;) {
        const auto m = pull.receive(timeout);
        if (m.front() == "end") {
          return got;
        }
        got.emplace_back(m.front());
      }
    }));
  }
  std::vector<std::thread> senders;
  for (std::size_t t = 0; t < threads; ++t) {
    senders.emplace_back([&push, t] {
      for (std::size_t i = t; i < count; i += threads) {
        push.send(numbered(i), timeout);
      }
    });
  }
  for (auto& s : senders) {
    s.join();
  }
  for (std::size_t t = 0; t < threads; ++t) {
    push.send({"end"}, timeout);
  }
  std::set<std::string> all;
  std::size_t received = 0;
  for (auto& r : receivers) {
    for (auto& m : r.get()) {
      ++received;
      all.insert(std::move(m));
    }
  }
  EXPECT_EQ(received, count);
  EXPECT_EQ(all.size(), count);
}

TEST_F(blocking_socket, can_be_moved) {
  pull_socket pull{context_};
  push_socket push{context_};
  join(pull, push);
  auto moved = std::move(push);
  moved.send({"m"}, timeout);
  pull_socket other{context_};
  other = std::move(pull);
  EXPECT_EQ(other.receive(timeout), message{"m"});
  EXPECT_EQ(other.counters().messages_received, 1U);
  error_code ec;
  push.send({"m"}, ec);  // NOLINT: it says that it is no socket any more
  EXPECT_EQ(ec, errc::socket_closed);
}

}  // namespace
}  // namespace zmtp::blocking
