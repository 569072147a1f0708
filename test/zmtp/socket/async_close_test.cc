// Closing, and waiting until all queued messages are written. The operation completes then, or
// reports that they are not.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class async_close : public network_test {
protected:
  std::string reserve() {
    holder_.emplace(context(), asio::ip::tcp::v4());
    holder_->set_option(asio::socket_base::reuse_address{true});
    holder_->bind({asio::ip::address_v4::loopback(), 0});
    return "tcp://127.0.0.1:" + std::to_string(holder_->local_endpoint().port());
  }
  auto note() {
    return [this](error_code ec) { end = ec; };
  }
  void wait() {
    run_until([&] { return end.has_value(); });
  }

  std::optional<error_code> end;

private:
  std::optional<asio::ip::tcp::socket> holder_;
};

TEST_F(async_close, completes_when_everything_is_written) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  (void)join(dealer, router);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(dealer.try_send(message{std::to_string(i)}), send_status::queued);
  }
  dealer.async_close(1h, note());
  EXPECT_FALSE(dealer.is_open());
  int received = 0;
  run_until([&] {
    routed_message m;
    while (router.try_receive(m)) {
      received += m.what == routed_message::kind::message ? 1 : 0;
    }
    return end.has_value();
  });
  EXPECT_EQ(end, error_code{});
  EXPECT_EQ(received, 1'000);
  EXPECT_EQ(dealer.counters().dropped_closed, 0U);
  router.close();
  run_to_the_end();
}

TEST_F(async_close, a_socket_without_pending_output_closes_at_once) {
  dealer_socket dealer{executor()};
  dealer.async_close(note());
  EXPECT_FALSE(end.has_value()) << "called within async_close()";
  wait();
  EXPECT_EQ(end, error_code{});
}

TEST_F(async_close, reports_that_its_time_is_over) {
  dealer_socket dealer{executor()};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  dealer.async_close(20ms, note());
  wait();
  EXPECT_EQ(end, errc::timed_out);
  EXPECT_EQ(dealer.counters().dropped_closed, 1U);
  run_to_the_end();
}

TEST_F(async_close, without_time_reports_discarded_messages) {
  dealer_socket dealer{executor()};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  dealer.async_close(0ms, note());
  wait();
  EXPECT_EQ(end, errc::timed_out);
}

TEST_F(async_close, takes_the_linger_time_of_the_options) {
  socket_options options;
  options.linger = 20ms;
  dealer_socket dealer{executor(), options};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  dealer.async_close(note());
  wait();
  EXPECT_EQ(end, errc::timed_out);
}

TEST_F(async_close, reports_that_a_peer_disconnected_with_a_queue) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  const auto id = receive(router).peer;
  while (router.try_send(id, message{std::string(1'000'000, 'x')}) == send_status::queued) {
  }
  router.async_close(1h, note());
  run_ready();
  EXPECT_FALSE(end.has_value());
  peer.reset();
  wait();
  EXPECT_EQ(end, errc::connection_lost);
  EXPECT_GT(router.counters().dropped_detached, 0U);
}

TEST_F(async_close, reports_that_a_peer_disconnected_with_unread_messages) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  const auto id = receive(router).peer;
  EXPECT_EQ(router.try_send(id, message{"all of it is in the kernel"}), send_status::queued);
  router.async_close(1h, note());
  run_ready();
  EXPECT_FALSE(end.has_value());
  peer.reset();
  wait();
  EXPECT_EQ(end, errc::connection_lost);
  EXPECT_EQ(router.counters().dropped_detached, 0U);
}

// The peer's end arrives first. The peer may still read, or not: TCP shows which.
class async_close_after_the_peers_end : public async_close {
protected:
  void begin() {
    peer.socket().open(asio::ip::tcp::v4());
    peer.socket().set_option(asio::socket_base::receive_buffer_size{4'096});
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    peer.shake_hands("DEALER");
    const auto id = receive(router).peer;
    EXPECT_EQ(router.try_send(id, message{std::string(size, 'x')}), send_status::queued);
    router.async_close(1h, note());
    run_ready();
    peer.socket().shutdown(asio::socket_base::shutdown_send);
    context().restart();
    context().run_for(50ms);
    EXPECT_FALSE(end.has_value()) << "the kernel still has bytes that the peer has not";
  }

  static constexpr std::size_t size = 40'000;
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
};

TEST_F(async_close_after_the_peers_end, waits_until_the_peer_has_read_everything) {
  begin();
  peer.start_reading();
  wait();
  EXPECT_EQ(end, error_code{});
  run_until([&] { return peer.received().size() > size; });
}

TEST_F(async_close_after_the_peers_end, reports_that_the_peer_has_not_read_everything) {
  begin();
  peer.reset();
  wait();
  EXPECT_EQ(end, errc::connection_lost);
}

TEST_F(async_close, may_be_waited_for_more_than_once_and_afterwards) {
  dealer_socket dealer{executor()};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  std::optional<error_code> other;
  dealer.async_close(1h, note());
  dealer.async_close(1ms, [&](error_code ec) { other = ec; });
  run_until([&] { return end && other; });
  EXPECT_EQ(end, errc::timed_out);
  EXPECT_EQ(other, errc::timed_out);
  end.reset();
  dealer.async_close(note());
  wait();
  EXPECT_EQ(end, errc::timed_out);
}

TEST_F(async_close, outlives_the_socket) {
  {
    dealer_socket dealer{executor()};
    dealer.connect(reserve());
    EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
    dealer.async_close(10ms, note());
  }
  wait();
  EXPECT_EQ(end, errc::timed_out);
  run_to_the_end();
}

TEST_F(async_close, a_cancelled_close_leaves_the_socket_lingering) {
  const auto at = reserve();
  asio::cancellation_signal signal;
  dealer_socket dealer{executor()};
  dealer.connect(at);
  EXPECT_EQ(dealer.try_send(message{"arrives"}), send_status::queued);
  dealer.async_close(1h, asio::bind_cancellation_slot(signal.slot(), note()));
  run_ready();
  signal.emit(asio::cancellation_type::total);
  wait();
  EXPECT_EQ(end, asio::error::operation_aborted);
  router_socket router{executor()};
  router.bind(at);
  EXPECT_EQ(receive(router).content, message{"arrives"});
}

TEST_F(async_close, ends_pending_operations) {
  dealer_socket dealer{executor()};
  std::optional<error_code> received;
  dealer.async_receive([&](error_code ec, const message&) { received = ec; });
  dealer.async_close(note());
  run_until([&] { return end && received; });
  EXPECT_EQ(received, errc::socket_closed);
}

TEST_F(async_close, is_forgotten_with_the_context) {
  std::optional<dealer_socket> dealer{std::in_place, executor()};
  dealer->connect("tcp://127.0.0.1:1");
  EXPECT_EQ(dealer->try_send(message{"for nobody"}), send_status::queued);
  dealer->async_close(1h, note());
  destroy_context();
  EXPECT_FALSE(end.has_value());
}

}  // namespace
}  // namespace zmtp::test
