#include "zmtp/blocking/poll.h"

#include "test/zmtp/blocking/blocking_test.h"
#include "zmtp/blocking/socket.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

namespace zmtp::blocking {
namespace {

using namespace std::chrono_literals;
using test::loopback;
using test::timeout;
using wants = poll_item::wants;

class polling : public test::blocking_test {};

TEST_F(polling, reports_which_of_several_sockets_is_ready) {
  pull_socket a{context_};
  pull_socket b{context_};
  push_socket to_b{context_};
  a.bind(loopback);
  join(b, to_b);
  std::array items{poll_item{a, wants::to_receive}, poll_item{b, wants::to_receive}};
  EXPECT_EQ(poll(items, 0ms), 0U);
  EXPECT_EQ(poll(items, 1ms), 0U);
  std::thread sender{[&] { to_b.send({"m"}, timeout); }};
  EXPECT_EQ(poll(items, timeout), 1U);
  sender.join();
  EXPECT_FALSE(items[0].readable);
  EXPECT_TRUE(items[1].readable);
  EXPECT_FALSE(items[1].writable);
  EXPECT_EQ(b.receive(timeout), message{"m"});
  EXPECT_EQ(poll(items, 1ms), 0U);
}

TEST_F(polling, reports_all_ready_sockets) {
  dealer_socket a{context_};
  dealer_socket b{context_};
  join(a, b);
  std::array items{poll_item{a, wants::either}, poll_item{b, wants::either}};
  b.send({"m"}, timeout);
  do {
    ASSERT_NE(poll(items, timeout), 0U);
  } while (!items[0].readable);
  EXPECT_EQ(poll(items, timeout), 2U);
  EXPECT_TRUE(items[0].writable);
  EXPECT_FALSE(items[1].readable);
  EXPECT_TRUE(items[1].writable);
}

TEST_F(polling, waits_for_a_peer_that_can_be_sent_to) {
  push_socket push{context_};
  pull_socket pull{context_};
  const auto at = push.bind(loopback).to_string();
  std::array items{poll_item{push, wants::to_send}};
  EXPECT_EQ(poll(items, 1ms), 0U);
  pull.connect(at);
  EXPECT_EQ(poll(items, timeout), 1U);
  EXPECT_TRUE(items[0].writable);
}

TEST_F(polling, a_router_can_always_be_sent_to_and_a_pull_never) {
  router_socket router{context_};
  pull_socket pull{context_};
  std::array items{poll_item{router, wants::to_send}, poll_item{pull, wants::to_send}};
  EXPECT_EQ(poll(items, 1ms), 1U);
  EXPECT_TRUE(items[0].writable);
  EXPECT_FALSE(items[1].writable);
  std::array never{poll_item{pull, wants::to_send}};
  EXPECT_EQ(poll(never, 1ms), 0U);
}

TEST_F(polling, ends_when_a_socket_closes) {
  pull_socket pull{context_};
  std::array items{poll_item{pull, wants::to_receive}};
  std::thread closer{[&] { pull.close(); }};
  EXPECT_EQ(poll(items, timeout), 1U);
  closer.join();
  EXPECT_TRUE(items[0].closed);
  EXPECT_FALSE(items[0].readable);
}

TEST_F(polling, messages_that_arrived_before_a_close_can_be_received) {
  pull_socket pull{context_};
  push_socket push{context_};
  join(pull, push);
  push.send({"m"}, timeout);
  std::array items{poll_item{pull, wants::to_receive}};
  ASSERT_EQ(poll(items, timeout), 1U);
  pull.close();
  EXPECT_EQ(poll(items, timeout), 1U);
  EXPECT_TRUE(items[0].closed);
  EXPECT_TRUE(items[0].readable);
  message m;
  EXPECT_TRUE(pull.try_receive(m));
}

TEST_F(polling, reaches_over_contexts) {
  context other;
  pull_socket a{context_};
  pull_socket b{other};
  push_socket to_b{context_};
  a.bind(loopback);
  join(b, to_b);
  std::array items{poll_item{a, wants::to_receive}, poll_item{b, wants::to_receive}};
  to_b.send({"m"}, timeout);
  EXPECT_EQ(poll(items, timeout), 1U);
  EXPECT_TRUE(items[1].readable);
}

TEST_F(polling, ends_with_a_context) {
  std::optional<context> other{std::in_place};
  pull_socket a{context_};
  pull_socket b{*other};
  std::array items{poll_item{a, wants::to_receive}, poll_item{b, wants::to_receive}};
  std::thread end{[&] { other.reset(); }};
  EXPECT_EQ(poll(items, timeout), 1U);
  end.join();
  EXPECT_TRUE(items[1].closed);
}

TEST_F(polling, serves_several_threads_with_the_same_sockets) {
  pull_socket pull{context_};
  push_socket push{context_};
  join(pull, push);
  constexpr int threads = 4;
  constexpr int count = 400;
  std::atomic<int> received{0};
  std::vector<std::thread> receivers;
  for (int t = 0; t < threads; ++t) {
    receivers.emplace_back([&] {
      std::array items{poll_item{pull, wants::to_receive}};
      while (received < count && poll(items, timeout) != 0 && !items[0].closed) {
        message m;
        while (pull.try_receive(m)) {
          if (++received == count) {
            pull.close();
          }
        }
      }
    });
  }
  for (int i = 0; i < count; ++i) {
    push.send({"m"}, timeout);
  }
  for (auto& r : receivers) {
    r.join();
  }
  EXPECT_EQ(received, count);
}

TEST_F(polling, an_empty_list_waits_for_its_deadline) { EXPECT_EQ(poll({}, 1ms), 0U); }

}  // namespace
}  // namespace zmtp::blocking
