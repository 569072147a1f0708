// Waiting for peers, for subscribers, and until all queued messages are written.

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>

#include <optional>
#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class topology : public pub_sub_test {
protected:
  auto note() {
    return [this](error_code ec) { end = ec; };
  }
  void wait() {
    run_until([&] { return end.has_value(); });
  }
  void expect_waits() {
    for (int i = 0; i < 20; ++i) {
      run_ready();
    }
    EXPECT_FALSE(end.has_value());
  }

  std::optional<error_code> end;
};

TEST_F(topology, waits_for_a_number_of_peers) {
  router_socket router{executor()};
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  router.async_wait_peers(2, note());
  dealer_socket one{executor()};
  one.connect(at);
  std::optional<error_code> own;
  one.async_wait_peers(1, [&](error_code ec) { own = ec; });
  run_until([&] { return own.has_value(); });
  EXPECT_EQ(own, error_code{});
  expect_waits();
  dealer_socket other{executor()};
  other.connect(at);
  wait();
  EXPECT_EQ(end, error_code{});
  EXPECT_EQ(router.peers().size(), 2U);
}

TEST_F(topology, a_condition_that_is_met_completes_at_once) {
  router_socket router{executor()};
  router.async_wait_peers(0, note());
  EXPECT_FALSE(end.has_value()) << "called within async_wait_peers()";
  wait();
  EXPECT_EQ(end, error_code{});
}

TEST_F(topology, disconnected_peers_do_not_count) {
  router_socket router{executor(), announcing()};
  std::optional<dealer_socket> gone{std::in_place, executor()};
  (void)network_test::join(*gone, router);
  gone.reset();
  EXPECT_EQ(network_test::receive(router).what, routed_message::kind::detached);
  router.async_wait_peers(1, note());
  expect_waits();
  dealer_socket comes{executor()};
  (void)network_test::join(comes, router);
  wait();
}

TEST_F(topology, a_wait_ends_at_its_deadline_by_cancellation_or_with_the_socket) {
  std::optional<router_socket> router{std::in_place, executor()};
  router->async_wait_peers(1, 5ms, note());
  wait();
  EXPECT_EQ(end, errc::timed_out);
  end.reset();
  asio::cancellation_signal signal;
  router->async_wait_peers(1, asio::bind_cancellation_slot(signal.slot(), note()));
  signal.emit(asio::cancellation_type::total);
  wait();
  EXPECT_EQ(end, asio::error::operation_aborted);
  end.reset();
  router->async_wait_peers(1, note());
  router->close();
  wait();
  EXPECT_EQ(end, errc::socket_closed);
  end.reset();
  router->async_wait_peers(1, note());
  wait();
  EXPECT_EQ(end, errc::socket_closed);
}

TEST_F(topology, waits_for_a_number_of_subscribers_of_a_topic) {
  pub_socket publisher{executor()};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  publisher.async_wait_subscribers("weather.north", 2, note());
  sub_socket one{executor()};
  one.subscribe("weather");
  one.subscribe("weather.");  // the same peer
  one.connect(at);
  sub_socket elsewhere{executor()};
  elsewhere.subscribe("weather.south");
  elsewhere.connect(at);
  run_until([&] { return publisher.subscribers("weather.south") == 2; });
  EXPECT_EQ(publisher.subscribers("weather.north"), 1U);
  EXPECT_EQ(publisher.subscribers("weathe"), 0U);
  expect_waits();
  sub_socket all{executor()};
  all.subscribe("");
  all.connect(at);
  wait();
  EXPECT_EQ(end, error_code{});
  // No subscriber is too late for the next messages.
  send(publisher, {"weather.north", "cold"});
  EXPECT_EQ(to_parts(receive(one)), (parts{"weather.north", "cold"}));
  EXPECT_EQ(to_parts(receive(all)), (parts{"weather.north", "cold"}));
}

TEST_F(topology, subscribers_that_cancel_or_disconnect_do_not_count) {
  pub_socket publisher{executor()};
  std::optional<sub_socket> one{std::in_place, executor()};
  one->subscribe("a");
  join(publisher, *one);
  run_until([&] { return publisher.subscribers("a") == 1; });
  one->unsubscribe("a");
  run_until([&] { return publisher.subscribers("a") == 0; });
  one->subscribe("a");
  run_until([&] { return publisher.subscribers("a") == 1; });
  one.reset();
  run_until([&] { return publisher.subscribers("a") == 0; });
}

TEST_F(topology, waits_until_everything_is_written) {
  raw_listener listener{context()};
  raw_peer peer{context()};
  listener.start_accepting(peer);
  dealer_socket dealer{executor()};
  dealer.connect(listener.endpoint());
  constexpr std::size_t count = 30;
  const std::string large(1'000'000, 'x');
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(dealer.try_send(message{large}), send_status::queued);
  }
  dealer.async_wait_written(note());
  run_until([&] { return listener.accepted(); });
  peer.shake_hands("ROUTER");
  expect_waits();
  peer.start_reading();
  wait();
  EXPECT_EQ(end, error_code{});
  for (const auto& to : dealer.peers()) {
    EXPECT_EQ(to.messages_to_send, 0U);
  }
  run_until([&] { return peer.received().size() > count * large.size(); });
}

TEST_F(topology, messages_that_the_kernel_takes_at_once_count_as_written) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  const auto id = network_test::join(dealer, router);
  for (int i = 0; i < 3; ++i) {
    end.reset();
    EXPECT_EQ(router.try_send(id, message{"m"}), send_status::queued);
    router.async_wait_written(note());
    EXPECT_EQ(router.peers()[0].messages_to_send, 0U);
    wait();
    EXPECT_EQ(end, error_code{});
  }
}

TEST_F(topology, published_messages_are_written_too) {
  pub_socket publisher{executor()};
  sub_socket subscriber{executor()};
  subscriber.subscribe("");
  join(publisher, subscriber);
  std::optional<error_code> there;
  publisher.async_wait_subscribers("x", 1, [&](error_code ec) {
    there = ec;
    send(publisher, {"x"});
    publisher.async_wait_written(note());
  });
  wait();
  EXPECT_EQ(there, error_code{});
  EXPECT_EQ(end, error_code{});
  EXPECT_EQ(to_parts(receive(subscriber)), parts{"x"});
}

TEST_F(topology, messages_lost_with_their_peer_are_not_waited_for) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  const auto id = network_test::receive(router).peer;
  while (router.try_send(id, message{std::string(1'000'000, 'x')}) == send_status::queued) {
  }
  router.async_wait_written(note());
  expect_waits();
  peer.reset();
  wait();
  EXPECT_EQ(end, error_code{});
}

}  // namespace
}  // namespace zmtp::test
