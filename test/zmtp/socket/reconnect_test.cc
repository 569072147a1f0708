// A socket connects to an endpoint until it is disconnected: before there is a listener, and after
// the listener closed.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

socket_options impatient_and_announcing() {
  auto options = announcing();
  options.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  return options;
}

class reconnection : public network_test {
protected:
  routed_message receive_message(router_socket& from) {
    auto item = receive(from);
    while (item.what != routed_message::kind::message && !HasFailure()) {
      item = receive(from);
    }
    return item;
  }
};

TEST_F(reconnection, a_connect_before_the_bind_works) {
  const auto at = reserve();
  dealer_socket dealer{executor(), impatient_and_announcing()};
  dealer.connect(at);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(dealer.try_send(message{std::to_string(i)}), send_status::queued);
  }
  run_ready();
  router_socket router{executor(), announcing()};
  router.bind(at);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(receive_message(router).content, message{std::to_string(i)});
  }
}

TEST_F(reconnection, messages_queued_while_disconnected_arrive_once_and_in_order) {
  const auto at = reserve();
  dealer_socket dealer{executor(), impatient_and_announcing()};
  dealer.connect(at);
  std::size_t sent = 0;
  std::size_t received = 0;
  for (int round = 0; round < 5; ++round) {
    router_socket router{executor(), announcing()};
    router.bind(at);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(dealer.try_send(message{std::to_string(sent++)}), send_status::queued);
    }
    while (received < sent) {
      const auto got = receive_message(router);
      ASSERT_EQ(got.content, message{std::to_string(received)});
      ++received;
    }
    // All messages have arrived, so the disconnect loses none. Messages from now on wait for the
    // next connection.
    router.close();
    run_until([&] {
      routed_message item;
      return router.try_receive(item) && item.what == routed_message::kind::detached;
    });
    EXPECT_EQ(dealer.try_send(message{std::to_string(sent++)}), send_status::queued);
  }
}

TEST_F(reconnection, a_partly_written_message_is_sent_again_whole) {
  raw_listener listener{context()};
  std::optional<raw_peer> peer{std::in_place, context()};
  listener.start_accepting(*peer);
  dealer_socket dealer{executor(), impatient_and_announcing()};
  dealer.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  peer->shake_hands("ROUTER");
  // More than the kernel takes, of which the peer reads nothing.
  const std::string large(30'000'000, 'x');
  EXPECT_EQ(dealer.try_send(message{large}), send_status::queued);
  EXPECT_EQ(dealer.try_send(message{"behind it"}), send_status::queued);
  run_ready();
  run_ready();
  peer->reset();
  peer.emplace(context());
  listener.start_accepting(*peer);
  run_until([&] { return listener.accepted(); });
  peer->shake_hands("ROUTER");
  peer->start_reading();
  dealer.close();
  run_until([&] { return peer->ended(); });
  const auto got = content_of(peer->traffic());
  EXPECT_EQ(got.unread, 0U);
  ASSERT_EQ(got.messages.size(), 2U);
  EXPECT_EQ(got.messages[0], parts{large});
  EXPECT_EQ(got.messages[1], parts{"behind it"});
}

TEST_F(reconnection, a_disconnect_ends_the_connection) {
  raw_listener listener{context()};
  raw_peer peer{context()};
  listener.start_accepting(peer);
  dealer_socket dealer{executor(), impatient_and_announcing()};
  dealer.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  peer.shake_hands("ROUTER");
  peer.start_reading();
  run_until([&] { return peer.received().size() > 64; });
  error_code ec;
  dealer.disconnect(listener.endpoint(), ec);
  EXPECT_FALSE(ec);
  run_until([&] { return peer.ended(); });
  dealer.disconnect(listener.endpoint(), ec);
  EXPECT_EQ(ec, errc::bad_endpoint);
  EXPECT_EQ(dealer.try_send(message{"to nobody"}), send_status::full);
  listener.close();
  run_to_the_end();
}

TEST_F(reconnection, a_disconnect_ends_a_handshake) {
  raw_listener listener{context()};
  raw_peer peer{context()};
  listener.start_accepting(peer);
  auto options = impatient_and_announcing();
  options.limit.handshake_time = 1h;
  dealer_socket dealer{executor(), options};
  dealer.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  peer.start_reading();
  run_until([&] { return peer.received().size() == 64; });
  error_code ec;
  dealer.disconnect(listener.endpoint(), ec);
  EXPECT_FALSE(ec);
  listener.close();
  run_to_the_end();
  EXPECT_TRUE(peer.ended());
}

TEST_F(reconnection, a_disconnect_ends_attempts) {
  dealer_socket dealer{executor(), impatient_and_announcing()};
  const auto at = reserve();
  error_code ec;
  dealer.connect(at);
  dealer.disconnect(at, ec);
  EXPECT_FALSE(ec);
  dealer.connect(at);
  run_ready();
  run_ready();
  dealer.disconnect(at, ec);
  EXPECT_FALSE(ec);
  // Also while it is resolved.
  dealer.connect("tcp://0x7f000001:1");
  dealer.disconnect("tcp://0x7f000001:1", ec);
  EXPECT_FALSE(ec);
  run_to_the_end();
}

TEST_F(reconnection, a_disconnect_drops_and_counts_queued_messages) {
  dealer_socket dealer{executor(), impatient_and_announcing()};
  const auto at = reserve();
  dealer.connect(at);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(dealer.try_send(message{"m"}), send_status::queued);
  }
  error_code ec;
  dealer.disconnect(at, ec);
  EXPECT_EQ(dealer.counters().dropped_detached, 3U);
  dealer.close();
  run_to_the_end();
}

TEST_F(reconnection, one_of_several_endpoints_may_be_down) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor(), impatient_and_announcing()};
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  const auto down = reserve();
  dealer.connect(down);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(dealer.try_send(message{std::to_string(i)}), send_status::queued);
  }
  for (int i = 0; i < 3; ++i) {
    receive_message(router);
  }
  router_socket late{executor(), announcing()};
  late.bind(down);
  for (int i = 0; i < 3; ++i) {
    receive_message(late);
  }
}

TEST_F(reconnection, waiting_sends_continue_with_a_new_endpoint) {
  dealer_socket dealer{executor(), impatient_and_announcing()};
  bool sent = false;
  dealer.async_send(message{"waits"}, [&](error_code ec) { sent = !ec; });
  run_ready();
  EXPECT_FALSE(sent);
  router_socket router{executor(), announcing()};
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  EXPECT_FALSE(sent) << "called within connect()";
  EXPECT_EQ(receive_message(router).content, message{"waits"});
  EXPECT_TRUE(sent);
}

// The outcome for an endpoint that the socket gives up.
class giving_up : public reconnection {
protected:
  static socket_options giving_up_after(std::size_t attempts) {
    auto options = impatient_and_announcing();
    options.reconnect.stop_after = attempts;
    return options;
  }
  error_code end_of(std::optional<error_code>& end) {
    run_until([&] { return end.has_value(); });
    return end.value_or(error_code{});
  }
};

TEST_F(giving_up, ends_waiting_sends_and_drops_queued_messages) {
  auto options = giving_up_after(3);
  options.send_mark.messages = 2;
  dealer_socket dealer{executor(), options};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"1"}), send_status::queued);
  EXPECT_EQ(dealer.try_send(message{"2"}), send_status::queued);
  std::optional<error_code> sent;
  std::optional<error_code> writable;
  dealer.async_send(message{"3"}, [&](error_code ec) { sent = ec; });
  dealer.async_wait_writable([&](error_code ec) { writable = ec; });
  EXPECT_EQ(end_of(sent), errc::endpoint_stopped);
  EXPECT_EQ(end_of(writable), errc::endpoint_stopped);
  EXPECT_EQ(dealer.counters().dropped_detached, 2U);
  // A later send ends too.
  sent.reset();
  dealer.async_send(message{"4"}, [&](error_code ec) { sent = ec; });
  EXPECT_EQ(end_of(sent), errc::endpoint_stopped);
  EXPECT_EQ(dealer.try_send(message{"5"}), send_status::full);
  dealer.close();
  run_to_the_end();
}

TEST_F(giving_up, connecting_again_starts_over) {
  const auto at = reserve();
  dealer_socket dealer{executor(), giving_up_after(1)};
  dealer.connect(at);
  std::optional<error_code> sent;
  dealer.async_send(message{"queued, and dropped"}, [&](error_code) {});
  run_until([&] { return dealer.counters().dropped_detached == 1; });
  error_code ec;
  dealer.disconnect(at, ec);
  EXPECT_EQ(ec, errc::bad_endpoint) << "it is as if it had been disconnected";
  router_socket router{executor(), announcing()};
  router.bind(at);
  dealer.connect(at);
  dealer.async_send(message{"arrives"}, [&](error_code e) { sent = e; });
  EXPECT_EQ(receive_message(router).content, message{"arrives"});
  EXPECT_EQ(end_of(sent), error_code{});
}

TEST_F(giving_up, sends_wait_while_another_endpoint_is_left) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor(), giving_up_after(2)};
  dealer.connect(reserve());
  EXPECT_EQ(dealer.try_send(message{"dropped"}), send_status::queued);
  run_until([&] { return dealer.counters().dropped_detached == 1; });
  std::optional<error_code> sent;
  const auto at = dealer.bind("tcp://127.0.0.1:*");
  dealer.async_send(message{"waits"}, [&](error_code ec) { sent = ec; });
  run_ready();
  EXPECT_FALSE(sent.has_value());
  router.connect(at.to_string());
  EXPECT_EQ(receive_message(router).content, message{"waits"});
}

TEST_F(giving_up, on_rejection_applies_only_to_rejections) {
  auto options = impatient_and_announcing();
  options.reconnect.stop_on_refusal = true;
  dealer_socket dealer{executor(), options};
  raw_listener listener{context()};
  std::optional<raw_peer> peer{std::in_place, context()};
  dealer.connect(listener.endpoint());
  std::optional<error_code> sent;
  dealer.async_send(message{"m"}, [&](error_code) {});
  // The peer closes without an ERROR command, so this is not a rejection.
  listener.start_accepting(*peer);
  run_until([&] { return listener.accepted(); });
  peer.emplace(context());
  listener.start_accepting(*peer);
  run_until([&] { return listener.accepted(); });
  EXPECT_EQ(dealer.counters().dropped_detached, 0U);
  peer->send(greeting_of(3, 1) + framed_command("ERROR",
                                                "\3"
                                                "400"));
  run_until([&] { return dealer.counters().dropped_detached == 1; });
  EXPECT_EQ(dealer.counters().ended[static_cast<std::size_t>(errc::refused_by_peer)], 1U);
  dealer.async_send(message{"n"}, [&](error_code ec) { sent = ec; });
  EXPECT_EQ(end_of(sent), errc::endpoint_stopped);
}

TEST_F(giving_up, ends_a_lingering_socket) {
  {
    auto options = giving_up_after(2);
    options.linger = 1h;
    dealer_socket dealer{executor(), options};
    dealer.connect(reserve());
    EXPECT_EQ(dealer.try_send(message{"for nobody"}), send_status::queued);
  }
  run_to_the_end();
}

}  // namespace
}  // namespace zmtp::test
