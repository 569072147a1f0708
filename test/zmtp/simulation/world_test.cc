// Production sockets in a simulation: time that costs nothing, faults, and runs that repeat.
#include "zmtp/simulation/world.h"

#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zmtp::simulation {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using boost::asio::use_awaitable;

awaitable<void> pull_all(std::vector<std::string>& to) {
  pull_socket in{co_await asio::this_coro::executor};
  in.bind("tcp://*:5555");
  for (;;) {
    const auto m = co_await in.async_receive(use_awaitable);
    to.emplace_back(m.front());
  }
}

awaitable<void> push_numbers(int count) {
  push_socket out{co_await asio::this_coro::executor};
  out.connect("tcp://server:5555");
  for (int n = 1; n <= count; ++n) {
    co_await out.async_send(message{std::to_string(n)}, use_awaitable);
  }
  // The rest is sent until the process ends.
  co_await out.async_wait_peers(1'000, use_awaitable);
}

std::vector<std::string> numbers(int count) {
  std::vector<std::string> all;
  for (int n = 1; n <= count; ++n) {
    all.push_back(std::to_string(n));
  }
  return all;
}

class a_world : public testing::Test {
protected:
  world w{1};
  process& server = w.add("server");
  process& client = w.add("client");
  std::vector<std::string> received;
};

TEST_F(a_world, carries_messages_between_processes) {
  server.run([&] { return pull_all(received); });
  client.run([] { return push_numbers(1'000); });
  EXPECT_TRUE(w.run_until([&] { return received.size() == 1'000; }, 10s));
  EXPECT_EQ(received, numbers(1'000));
}

TEST_F(a_world, lets_a_socket_reconnect_when_the_listener_starts_late) {
  client.run([] { return push_numbers(10); });
  w.run_for(1h);
  EXPECT_TRUE(received.empty());
  server.run([&] { return pull_all(received); });
  EXPECT_TRUE(w.run_until([&] { return received.size() == 10; }, 3s)) << received.size();
  EXPECT_EQ(received, numbers(10));
}

TEST_F(a_world, restarts_a_process_that_was_killed) {
  server.run([&] { return pull_all(received); });
  client.run([] { return push_numbers(10); });
  ASSERT_TRUE(w.run_until([&] { return received.size() == 10; }, 1s));
  client.kill(death::process);
  EXPECT_FALSE(client.running());
  w.run_for(10s);
  client.run([] { return push_numbers(10); });
  EXPECT_TRUE(w.run_until([&] { return received.size() == 20; }, 1s));
}

TEST_F(a_world, keeps_a_paused_process_from_running_while_its_kernel_goes_on) {
  server.run([&] { return pull_all(received); });
  client.run([] { return push_numbers(5); });
  ASSERT_TRUE(w.run_until([&] { return received.size() == 5; }, 1s));
  server.pause();
  client.kill(death::process);
  client.run([] { return push_numbers(7); });
  w.run_for(1s);
  EXPECT_EQ(received.size(), 5U);
  server.resume();
  EXPECT_TRUE(w.run_until([&] { return received.size() == 12; }, 1s));
}

// A peer that says nothing more is noticed by the heartbeat alone: its kernel closes nothing.
TEST_F(a_world, loses_a_host_without_power_silently) {
  std::vector<monitor_event::kind> events;
  const auto watch = [&]() -> awaitable<void> {
    pull_socket in{co_await asio::this_coro::executor};
    auto monitor = in.monitor();
    in.bind("tcp://*:5555");
    for (;;) {
      events.push_back((co_await monitor.async_receive(use_awaitable)).what);
    }
  };
  server.run([&] { return watch(); });
  client.run([] { return push_numbers(0); });
  const auto ended = [&] {
    return !events.empty() && events.back() == monitor_event::kind::detached;
  };
  w.run_for(5s);
  ASSERT_FALSE(events.empty());
  EXPECT_FALSE(ended());
  client.kill(death::power);
  w.run_for(1s);
  EXPECT_FALSE(ended());
  EXPECT_TRUE(w.run_until(ended, 2min));
}

TEST_F(a_world, refuses_an_endpoint_that_is_bound) {
  error_code first;
  error_code second;
  const auto bind_twice = [&]() -> awaitable<void> {
    pull_socket one{co_await asio::this_coro::executor};
    pull_socket two{co_await asio::this_coro::executor};
    one.bind("tcp://*:5555", first);
    two.bind("tcp://127.0.0.1:5555", second);
  };
  server.run([&] { return bind_twice(); });
  w.run_for(1s);
  EXPECT_EQ(first, error_code{});
  EXPECT_EQ(second, asio::error::address_in_use);
}

TEST_F(a_world, answers_requests_between_three_processes) {
  auto& other = w.add("other");
  const auto serve = []() -> awaitable<void> {
    rep_socket rep{co_await asio::this_coro::executor};
    rep.bind("tcp://*:5555");
    for (;;) {
      auto m = co_await rep.async_receive(use_awaitable);
      co_await rep.async_send(std::move(m), use_awaitable);
    }
  };
  int answers = 0;
  const auto ask = [&](std::string what) -> awaitable<void> {
    req_socket req{co_await asio::this_coro::executor};
    req.connect("tcp://server:5555");
    for (int i = 0; i < 100; ++i) {
      co_await req.async_send(message{what}, use_awaitable);
      const auto m = co_await req.async_receive(use_awaitable);
      answers += m.front() == what ? 1 : 0;
    }
  };
  server.run([&] { return serve(); });
  client.run([&] { return ask("one"); });
  other.run([&] { return ask("other"); });
  EXPECT_TRUE(w.run_until([&] { return answers == 200; }, 10s));
}

// Answers each request before it receives the next one, and waits while it cannot.
socket_options careful() {
  socket_options options;
  options.mandatory = true;
  options.send_mark.messages = options.receive_mark.messages = 1;
  return options;
}

awaitable<void> answer_all(int& failures) {
  const auto options = careful();
  router_socket router{co_await asio::this_coro::executor, options};
  router.bind("tcp://*:5555");
  for (;;) {
    auto request = co_await router.async_receive(use_awaitable);
    const auto [ec] = co_await router.async_send(request.peer, std::move(request.content),
                                                 asio::as_tuple(use_awaitable));
    failures += ec ? 1 : 0;
  }
}

// The answer to a lost peer waits for space. The messages of this peer fill the queue, so that the router does not read
// from the connection, and cannot notice its end by reading.
TEST_F(a_world, ends_a_send_to_a_lost_peer_whose_messages_wait) {
  net_options options;
  options.least_window = options.most_window = 2'000;
  world small{1, options};
  auto& router = small.add("server");
  auto& stalled = small.add("stalled");
  auto& other = small.add("other");
  int failures = 0;
  int answers = 0;
  const auto only_send = []() -> awaitable<void> {
    dealer_socket dealer{co_await asio::this_coro::executor};
    dealer.connect("tcp://server:5555");
    for (;;) {
      co_await dealer.async_send(message{std::string(500, 'x')}, use_awaitable);
    }
  };
  const auto ask = [&answers]() -> awaitable<void> {
    dealer_socket dealer{co_await asio::this_coro::executor};
    dealer.connect("tcp://server:5555");
    for (;;) {
      co_await dealer.async_send(message{"question"}, use_awaitable);
      (void)co_await dealer.async_receive(use_awaitable);
      ++answers;
    }
  };
  router.run([&] { return answer_all(failures); });
  stalled.run(only_send);
  small.run_for(1s);
  stalled.pause();
  other.run(ask);
  small.run_for(1s);
  stalled.kill(death::process);
  answers = 0;
  EXPECT_TRUE(small.run_until([&] { return answers > 10; }, 10s));
  EXPECT_GT(failures, 0);
}

// Everything that can differ between two runs: hosts, pauses, kills, cut segments.
std::uint64_t trace_of(std::uint64_t seed) {
  net_options options;
  options.cuts = true;
  options.jitter = 1ms;
  world w{seed};
  auto& server = w.add("server");
  std::vector<process*> clients;
  std::vector<std::string> received;
  server.run([&] { return pull_all(received); });
  for (int i = 0; i < 5; ++i) {
    clients.push_back(&w.add("client" + std::to_string(i)));
    clients.back()->run([] { return push_numbers(200); });
  }
  for (int i = 0; i < 20; ++i) {
    w.run_for(w.random().up_to(std::chrono::milliseconds{300}));
    auto& one = *clients[w.random().pick(clients.size())];
    if (w.random().chance(50)) {
      one.kill(w.random().chance(50) ? death::power : death::process);
      one.run([] { return push_numbers(50); });
    } else {
      server.pause();
      w.run_for(50ms);
      server.resume();
    }
  }
  w.net().here().note("received", {received.size()});
  return w.net().here().notes.hash();
}

TEST(worlds, of_the_same_seed_are_equal) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(trace_of(seed), trace_of(seed)) << "seed " << seed;
  }
  EXPECT_NE(trace_of(1), trace_of(2));
}

}  // namespace
}  // namespace zmtp::simulation
