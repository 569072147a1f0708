// The life of a blocking context: its destructor always returns, signals do not disturb it, and it
// survives a fork.

#include "zmtp/blocking/context.h"

#include "test/zmtp/blocking/blocking_test.h"
#include "zmtp/blocking/poll.h"
#include "zmtp/blocking/socket.h"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <pthread.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace zmtp::blocking {
namespace {

using namespace std::chrono_literals;
using test::loopback;
using test::timeout;

// No socket listens at this endpoint.
constexpr auto nobody = "tcp://127.0.0.1:1";

TEST(blocking_context, ends_without_sockets) { context unused; }

TEST(blocking_context, closes_sockets_that_outlive_it) {
  std::optional<context> own{std::in_place};
  push_socket push{*own};
  pull_socket pull{*own};
  push.connect(pull.bind(loopback).to_string());
  own.reset();
  error_code ec;
  push.send({"m"}, ec);
  EXPECT_EQ(ec, errc::socket_closed);
  (void)pull.receive(ec);
  EXPECT_EQ(ec, errc::socket_closed);
  EXPECT_FALSE(push.is_open());
  EXPECT_EQ(push.counters().messages_sent, 0U);
}

TEST(blocking_context, wakes_waiting_threads_when_it_ends) {
  std::optional<context> own{std::in_place};
  dealer_socket dealer{*own};
  std::atomic<int> begun{0};
  std::vector<std::future<error_code>> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(std::async(std::launch::async, [&, i] {
      error_code ec;
      ++begun;
      if (i % 2 == 0) {
        (void)dealer.receive(ec);
      } else {
        dealer.send({"m"}, ec);
      }
      return ec;
    }));
  }
  while (begun != 4) {
    std::this_thread::yield();
  }
  own.reset();
  for (auto& w : waiting) {
    EXPECT_EQ(w.get(), errc::socket_closed);
  }
}

TEST(blocking_context, writes_queued_messages_before_it_ends) {
  constexpr std::size_t count = 1'000;
  context receiving;
  pull_socket pull{receiving};
  {
    context sending;
    push_socket push{sending};
    push.connect(pull.bind(loopback).to_string());
    for (std::size_t i = 0; i < count; ++i) {
      push.send(message{std::to_string(i), std::string(1'000, 'x')}, timeout);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(pull.receive(timeout).front(), std::to_string(i));
  }
}

TEST(blocking_context, bounds_the_linger_of_its_sockets) {
  const auto begin = std::chrono::steady_clock::now();
  {
    context bounded{10ms};
    socket_options forever;
    forever.linger.reset();
    push_socket push{bounded, forever};
    push.connect(nobody);
    push.send({"to nobody"}, timeout);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, timeout);
}

TEST(blocking_context, sockets_without_a_peer_end_with_their_linger_time) {
  const auto begin = std::chrono::steady_clock::now();
  {
    context own{24h * 365 * 1'000};
    socket_options brief;
    brief.linger = 5ms;
    push_socket push{own, brief};
    push.connect(nobody);
    push.send({"to nobody"}, timeout);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, timeout);
}

TEST(blocking_context, runs_asynchronous_operations_in_its_thread) {
  context own;
  std::promise<std::thread::id> where;
  boost::asio::post(own.get_executor(), [&] { where.set_value(std::this_thread::get_id()); });
  EXPECT_NE(where.get_future().get(), std::this_thread::get_id());
}

TEST(blocking_context, signals_neither_end_nor_delay_a_call) {
  static std::atomic<int> handled{0};
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { ++handled; };  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  {
    context own;
    pull_socket pull{own};
    push_socket push{own};
    push.connect(pull.bind(loopback).to_string());
    std::promise<pthread_t> started;
    std::thread receiver{[&] {
      started.set_value(::pthread_self());
      EXPECT_EQ(pull.receive(timeout), message{"m"});
      std::array items{poll_item{pull, poll_item::wants::to_receive}};
      EXPECT_EQ(poll(items, timeout), 1U);
      error_code ec;
      pull.receive(1ms, ec).clear();
    }};
    const auto thread = started.get_future().get();
    const auto interrupt = [&](int until) {
      while (handled < until) {
        ::pthread_kill(thread, SIGUSR1);
        std::this_thread::yield();
      }
    };
    interrupt(100);
    push.send({"m"}, timeout);
    interrupt(200);
    push.send({"next"}, timeout);
    receiver.join();
    // A signal to the process reaches this thread: the context's thread blocks all signals.
    ::kill(::getpid(), SIGUSR1);
    EXPECT_GE(handled, 201);
  }
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST(blocking_context, in_a_forked_child_calls_fail_and_nothing_hangs_or_is_sent) {
  context own;
  pull_socket pull{own};
  std::optional<push_socket> push{std::in_place, own};
  push->connect(pull.bind(loopback).to_string());
  push->send({"before"}, timeout);
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    error_code ec;
    push->send({"from the child"}, ec);
    int failures = ec == errc::socket_closed ? 0 : 1;
    (void)pull.receive(ec);
    failures += ec == errc::socket_closed ? 0 : 2;
    try {
      push_socket another{own};
      failures += 4;
    } catch (const boost::system::system_error&) {
    }
    std::array items{poll_item{pull, poll_item::wants::to_receive}};
    failures += poll(items) == 1 && items[0].closed ? 0 : 8;
    push.reset();
    { const auto moved = std::move(pull); }
    own.~context();
    ::_exit(failures);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  push->send({"after"}, timeout);
  EXPECT_EQ(pull.receive(timeout), message{"before"});
  EXPECT_EQ(pull.receive(timeout), message{"after"});
}

}  // namespace
}  // namespace zmtp::blocking
