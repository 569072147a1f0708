// Queued messages are written after the socket is destroyed, for the linger time. Then run()
// returns.

#include "test/support/long_run.h"
#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <optional>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t large = 1024 * 1024;

socket_options lingering(std::optional<std::chrono::milliseconds> time) {
  socket_options options;
  options.linger = time;
  // So that a listener that comes late is found soon.
  options.reconnect = {.initial = 1ms, .maximum = 10ms, .refused_maximum = 10ms, .stable = 1ms};
  return options;
}

class linger : public network_test {
protected:
  // Returns the endpoint of a peer that reads only on request.
  std::string listen() {
    listener_.emplace(context());
    peer_.emplace(context());
    listener_->start_accepting(*peer_);
    return listener_->endpoint();
  }
  void shake_hands() {
    run_until([&] { return listener_->accepted(); });
    peer_->shake_hands("ROUTER");
  }
  std::chrono::milliseconds time_to_the_end() {
    const auto begin = steady_clock::now();
    run_to_the_end();
    return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
  }

  std::optional<raw_listener> listener_;
  std::optional<raw_peer> peer_;
};

TEST_F(linger, all_is_written_before_run_returns) {
  const auto at = listen();
  {
    dealer_socket dealer{executor(), lingering(1h)};
    dealer.connect(at);
    shake_hands();
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(dealer.try_send(message{"a", std::to_string(i)}), send_status::queued);
    }
  }
  peer_->start_reading();
  run_until([&] { return peer_->ended(); });
  peer_->close();
  run_to_the_end();
  const auto got = content_of(peer_->traffic());
  ASSERT_EQ(got.messages.size(), 500U);
  EXPECT_EQ(got.unread, 0U);
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(got.messages[i], (parts{"a", std::to_string(i)}));
  }
}

// Every time, if it is done often.
TEST_F(linger, loses_none_of_a_hundred_thousand_messages) {
  constexpr std::size_t count = 100'000;
  const std::size_t runs = long_run() ? 20 : 3;
  auto options = lingering(1h);
  options.send_mark = {.messages = std::nullopt, .bytes = std::nullopt};
  for (std::size_t run = 0; run < runs; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    router_socket router{executor()};
    std::optional<error_code> end;
    {
      dealer_socket dealer{executor(), options};
      dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(dealer.try_send(message{std::to_string(i), std::string(i % 50, 'x')}),
                  send_status::queued);
      }
      dealer.async_close(1h, [&](error_code ec) { end = ec; });
    }
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(receive(router).content, (message{std::to_string(i), std::string(i % 50, 'x')}));
    }
    run_until([&] { return end.has_value(); });
    ASSERT_EQ(end, error_code{});
    router.close();
    run_to_the_end();
  }
}

TEST_F(linger, more_than_the_kernel_takes_is_written_while_the_peer_reads) {
  const auto at = listen();
  constexpr std::size_t count = 30;
  {
    dealer_socket dealer{executor(), lingering(1h)};
    dealer.connect(at);
    shake_hands();
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(dealer.try_send(message{std::string(large, 'x')}), send_status::queued);
    }
  }
  run_ready();
  peer_->start_reading();
  run_until([&] { return peer_->ended(); });
  peer_->close();
  run_to_the_end();
  EXPECT_EQ(content_of(peer_->traffic()).messages.size(), count);
}

TEST_F(linger, a_peer_that_connects_late_gets_the_messages) {
  const auto at = reserve();
  {
    dealer_socket dealer{executor(), lingering(1h)};
    dealer.connect(at);
    EXPECT_EQ(dealer.try_send(message{"late"}), send_status::queued);
    run_ready();
  }
  router_socket router{executor()};
  router.bind(at);
  EXPECT_EQ(receive(router).content, message{"late"});
  router.close();
  run_to_the_end();
}

TEST_F(linger, without_a_limit_a_peer_that_connects_late_gets_the_messages) {
  const auto at = reserve();
  {
    dealer_socket dealer{executor(), lingering(std::nullopt)};
    dealer.connect(at);
    EXPECT_EQ(dealer.try_send(message{"late"}), send_status::queued);
  }
  run_ready();
  router_socket router{executor()};
  router.bind(at);
  EXPECT_EQ(receive(router).content, message{"late"});
  router.close();
  run_to_the_end();
}

TEST_F(linger, ends_when_its_time_is_over) {
  {
    dealer_socket dealer{executor(), lingering(50ms)};
    dealer.connect(reserve());
    EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  }
  const auto took = time_to_the_end();
  EXPECT_GE(took, 50ms);
  EXPECT_LT(took, timeout);
}

TEST_F(linger, ends_in_time_for_a_peer_that_does_not_read) {
  const auto at = listen();
  {
    dealer_socket dealer{executor(), lingering(50ms)};
    dealer.connect(at);
    shake_hands();
    for (int i = 0; i < 60; ++i) {
      ASSERT_EQ(dealer.try_send(message{std::string(large, 'x')}), send_status::queued);
    }
  }
  const auto took = time_to_the_end();
  EXPECT_GE(took, 50ms);
  EXPECT_LT(took, timeout);
}

TEST_F(linger, does_not_spin_while_a_half_closed_peer_does_not_read) {
  const auto at = listen();
  constexpr auto time = 500ms;
  steady_clock::time_point begin;
  {
    dealer_socket dealer{executor(), lingering(time)};
    dealer.connect(at);
    shake_hands();
    run_until([&] { return dealer.peers().size() == 1; });
    // More than the peer's kernel takes, less than the two kernels do.
    ASSERT_EQ(dealer.try_send(message{std::string(large, 'x')}), send_status::queued);
    begin = steady_clock::now();
  }
  run_ready();
  peer_->socket().shutdown(asio::ip::tcp::socket::shutdown_send);
  context().restart();
  std::size_t handlers = 0;
  while (context().run_one_for(timeout) != 0) {
    ++handlers;
  }
  EXPECT_GE(steady_clock::now() - begin, time / 2) << "it should have waited for the peer to read";
  // Five looks in the first 160 ms, then one each 160 ms, and what the end of the socket takes.
  EXPECT_LT(handlers, 50U);
}

TEST_F(linger, a_half_closed_peer_gets_everything_when_it_reads_later) {
  const auto at = listen();
  std::optional<error_code> end;
  {
    dealer_socket dealer{executor()};
    dealer.connect(at);
    shake_hands();
    run_until([&] { return dealer.peers().size() == 1; });
    ASSERT_EQ(dealer.try_send(message{std::string(large, 'x')}), send_status::queued);
    dealer.async_close(1h, [&](error_code ec) { end = ec; });
  }
  run_ready();
  peer_->socket().shutdown(asio::ip::tcp::socket::shutdown_send);
  run_ready();
  EXPECT_FALSE(end);
  peer_->start_reading();
  run_until([&] { return end.has_value() && peer_->ended(); });
  EXPECT_EQ(end, error_code{});
  EXPECT_EQ(content_of(peer_->traffic()).messages.size(), 1U);
}

TEST_F(linger, zero_discards_the_messages) {
  const auto at = listen();
  {
    dealer_socket dealer{executor(), lingering(0ms)};
    dealer.connect(at);
    shake_hands();
    run_ready();
    EXPECT_EQ(dealer.try_send(message{"discarded"}), send_status::queued);
  }
  EXPECT_LT(time_to_the_end(), timeout);
  peer_->start_reading();
  run_to_the_end();
  EXPECT_TRUE(peer_->ended());
  EXPECT_EQ(peer_->traffic(), "");
}

TEST_F(linger, the_time_of_a_close_overrides_the_options) {
  dealer_socket dealer{executor(), lingering(1h)};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"without a peer"}), send_status::queued);
  dealer.close(1ms);
  EXPECT_LT(time_to_the_end(), timeout);
}

TEST_F(linger, can_be_cut_short) {
  dealer_socket dealer{executor(), lingering(1h)};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  dealer.close();
  run_ready();
  dealer.close(0ms);
  EXPECT_LT(time_to_the_end(), timeout);
}

TEST_F(linger, can_be_made_longer) {
  dealer_socket dealer{executor(), lingering(1h)};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  dealer.close(1ms);
  dealer.close(50ms);
  const auto took = time_to_the_end();
  EXPECT_GE(took, 50ms);
  EXPECT_LT(took, timeout);
}

TEST_F(linger, nothing_to_write_takes_no_time) {
  router_socket router{executor(), lingering(1h)};
  router.bind("tcp://127.0.0.1:*");
  dealer_socket dealer{executor(), lingering(1h)};
  dealer.connect(reserve());
  run_ready();
  dealer.close();
  router.close();
  EXPECT_LT(time_to_the_end(), timeout);
}

// The closing socket reads and drops messages of the peer. Closing with unread bytes would reset
// the connection, and lose bytes that were written.
TEST_F(linger, a_peer_that_sends_much_does_not_end_it) {
  router_socket router{executor(), announcing()};
  std::optional<dealer_socket> dealer{std::in_place, executor(), lingering(1h)};
  const auto peer = join(*dealer, router);
  std::size_t sent = 0;
  while (router.try_send(peer, message{std::string(large, 'x')}) == send_status::queued) {
    ASSERT_LT(++sent, 200U);
  }
  run_ready();
  ASSERT_EQ(dealer->try_send(message{"last word"}), send_status::queued);
  dealer.reset();
  EXPECT_EQ(receive(router).content, message{"last word"});
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  router.close();
  run_to_the_end();
}

TEST_F(linger, continues_after_the_peer_was_lost) {
  const auto at = reserve();
  std::optional<router_socket> router{std::in_place, executor()};
  router->bind(at);
  {
    dealer_socket dealer{executor(), lingering(1h)};
    dealer.connect(at);
    EXPECT_EQ(dealer.try_send(message{"first"}), send_status::queued);
    EXPECT_EQ(receive(*router).content, message{"first"});
    router.reset();
    run_ready();
    EXPECT_EQ(dealer.try_send(message{"second"}), send_status::queued);
  }
  run_ready();
  router.emplace(executor());
  router->bind(at);
  EXPECT_EQ(receive(*router).content, message{"second"});
  router.reset();
  run_to_the_end();
}

}  // namespace
}  // namespace zmtp::test
