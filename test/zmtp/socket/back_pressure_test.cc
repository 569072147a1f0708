// From a receiver that does not read to a sender that waits: order is kept, nothing is lost.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

socket_options small_marks() {
  auto options = announcing();
  options.send_mark.messages = 4;
  options.receive_mark.messages = 4;
  return options;
}

class back_pressure : public network_test {
protected:
  // Sends until it is stopped, one after the other.
  asio::awaitable<void> send_all(dealer_socket& dealer, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      message m{large_text(i)};
      co_await dealer.async_send(std::move(m), use_awaitable);
      ++sent_;
    }
  }
  // Runs until no message moves. A message needs several handlers, so this number of handlers
  // without one shows that all queues are full.
  void run_to_a_standstill() {
    for (std::size_t before = sent_ + 1; before != sent_;) {
      before = sent_;
      for (int i = 0; i < 100; ++i) {
        run_ready();
      }
    }
  }

  std::size_t sent_ = 0;
};

TEST_F(back_pressure, reaches_the_sender_and_loses_nothing) {
  router_socket router{executor(), small_marks()};
  dealer_socket dealer{executor(), small_marks()};
  static_cast<void>(join(dealer, router));
  constexpr std::size_t count = 1000;
  asio::co_spawn(context(), send_all(dealer, count), asio::detached);
  run_to_a_standstill();
  // Both queues and the kernel's are full: 40 MB are more than they hold.
  EXPECT_LT(sent_, count);
  EXPECT_EQ(router.counters().messages_received, 0U);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(receive(router).content, message{large_text(i)});
  }
  EXPECT_EQ(sent_, count);
  EXPECT_EQ(dealer.counters().messages_sent, count);
  EXPECT_EQ(dealer.counters().dropped_full, 0U);
}

TEST_F(back_pressure, works_in_both_directions_at_once) {
  router_socket router{executor(), small_marks()};
  dealer_socket dealer{executor(), small_marks()};
  static_cast<void>(join(dealer, router));
  constexpr std::size_t count = 300;
  std::size_t echoed = 0;
  const auto echo = [&]() -> asio::awaitable<void> {
    for (; echoed < count; ++echoed) {
      auto got = co_await router.async_receive(use_awaitable);
      co_await router.async_wait_writable(got.peer, use_awaitable);
      co_await router.async_send(got.peer, std::move(got.content), use_awaitable);
    }
  };
  asio::co_spawn(context(), send_all(dealer, count), asio::detached);
  asio::co_spawn(context(), echo, asio::detached);
  run_to_a_standstill();
  EXPECT_LT(echoed, count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(receive(dealer), message{large_text(i)});
  }
  EXPECT_EQ(router.counters().dropped_full, 0U);
}

TEST_F(back_pressure, a_batch_waits_in_the_middle) {
  router_socket router{executor(), small_marks()};
  dealer_socket dealer{executor(), small_marks()};
  static_cast<void>(join(dealer, router));
  constexpr std::size_t count = 500;
  message_batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.append(large_text(i));
  }
  bool done = false;
  dealer.async_send(batch, [&](error_code ec, std::size_t queued) {
    EXPECT_FALSE(ec);
    EXPECT_EQ(queued, count);
    done = true;
  });
  EXPECT_EQ(dealer.try_send(message{"would overtake"}), send_status::full);
  run_ready();
  EXPECT_FALSE(done);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(receive(router).content, message{large_text(i)});
  }
  EXPECT_TRUE(done);
  EXPECT_TRUE(batch.empty());
}

TEST_F(back_pressure, many_senders_take_turns) {
  router_socket router{executor(), small_marks()};
  dealer_socket dealer{executor(), small_marks()};
  static_cast<void>(join(dealer, router));
  constexpr std::size_t senders = 50;
  constexpr std::size_t each = 20;
  const auto send = [&](std::size_t who) -> asio::awaitable<void> {
    for (std::size_t i = 0; i < each; ++i) {
      message m{std::to_string(who), std::to_string(i), std::string(5'000, 'x')};
      co_await dealer.async_send(std::move(m), use_awaitable);
    }
  };
  for (std::size_t who = 0; who < senders; ++who) {
    asio::co_spawn(context(), send(who), asio::detached);
  }
  std::vector<std::size_t> next(senders, 0);
  for (std::size_t i = 0; i < senders * each; ++i) {
    const auto got = receive(router);
    auto& expected = next.at(std::stoul(std::string{got.content[0]}));
    ASSERT_EQ(got.content[1], std::to_string(expected));
    ++expected;
  }
}

// In a turn: the queue is full, and nothing but the write at the end of the turn makes room.
TEST_F(back_pressure, space_freed_in_a_turn_is_used_in_it) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor(), with_send_mark(1)};
  static_cast<void>(join(dealer, router));
  bool sent = false;
  dealer.async_receive(deadline{1ms}, [&](error_code, const message&) {
    EXPECT_EQ(dealer.try_send(message{"fills it"}), send_status::queued);
    dealer.async_send(message{"waits"}, [&](error_code ec) {
      EXPECT_FALSE(ec);
      sent = true;
    });
  });
  run_until([&] { return sent; });
  EXPECT_EQ(receive(router).content, message{"fills it"});
  EXPECT_EQ(receive(router).content, message{"waits"});
}

TEST_F(back_pressure, a_peer_that_reads_slowly_gets_every_message) {
  raw_listener listener{context()};
  raw_peer peer{context()};
  listener.start_accepting(peer);
  dealer_socket dealer{executor(), small_marks()};
  dealer.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  peer.socket().set_option(asio::socket_base::receive_buffer_size{64 * 1024});
  peer.shake_hands("ROUTER");
  constexpr std::size_t count = 200;
  asio::co_spawn(context(), send_all(dealer, count), asio::detached);
  run_ready();
  peer.start_reading();
  run_until([&] { return sent_ == count; });
  dealer.close();
  run_until([&] { return peer.ended(); });
  const auto got = content_of(peer.traffic());
  ASSERT_EQ(got.messages.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(got.messages[i], (parts{large_text(i)}));
  }
}

}  // namespace
}  // namespace zmtp::test
