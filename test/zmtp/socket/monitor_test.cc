// The event stream of a socket: changes of endpoints and connections, with the peer and the reason.

#include "zmtp/socket/monitor.h"

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using event_kind = monitor_event::kind;

class monitoring : public pub_sub_test {
protected:
  [[nodiscard]] monitor_event next(monitor& of) {
    monitor_event event;
    run_until([&] { return of.try_receive(event); });
    return event;
  }
  // The next of this event_kind, passing over others.
  [[nodiscard]] monitor_event next(monitor& of, event_kind what) {
    auto event = next(of);
    while (event.what != what && !HasFailure()) {
      event = next(of);
    }
    return event;
  }
  static socket_options impatient() {
    auto options = announcing();
    options.reconnect = {.initial = 2ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
    return options;
  }
  std::string reserve() {
    holder_.emplace(context(), asio::ip::tcp::v4());
    holder_->set_option(asio::socket_base::reuse_address{true});
    holder_->bind({asio::ip::address_v4::loopback(), 0});
    return "tcp://127.0.0.1:" + std::to_string(holder_->local_endpoint().port());
  }

private:
  std::optional<asio::ip::tcp::socket> holder_;
};

TEST_F(monitoring, reports_the_life_of_a_connection_from_both_sides) {
  auto options = announcing();
  options.routing_id = "the router";
  router_socket router{executor(), options};
  auto of_router = router.monitor();
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  options.routing_id = "the dealer";
  options.extensions = {"extension"};
  dealer_socket dealer{executor(), options};
  auto of_dealer = dealer.monitor();
  dealer.connect(at);
  const auto id = receive(router).peer;

  auto event = next(of_router);
  EXPECT_EQ(event.what, event_kind::listening);
  EXPECT_EQ(event.endpoint, at);
  event = next(of_router);
  EXPECT_EQ(event.what, event_kind::accepted);
  EXPECT_EQ(event.endpoint, at);
  EXPECT_NE(event.info.address, "");
  const auto address = event.info.address;
  event = next(of_router);
  EXPECT_EQ(event.what, event_kind::attached);
  EXPECT_EQ(event.endpoint, at);
  EXPECT_EQ(event.peer, id);
  EXPECT_EQ(event.info.address, address);
  EXPECT_EQ(event.info.routing_id, "the dealer");
  EXPECT_EQ(event.info.type, socket_type::dealer);
  ASSERT_NE(event.info.properties.find("X-Zinc"), nullptr);
  EXPECT_EQ(*event.info.properties.find("X-Zinc"), "extension");
  const auto attached_at = event.at;

  for (const auto what : {event_kind::connecting, event_kind::connected, event_kind::attached}) {
    event = next(of_dealer);
    EXPECT_EQ(event.what, what);
    EXPECT_EQ(event.endpoint, at);
  }
  EXPECT_EQ(event.info.routing_id, "the router");
  EXPECT_EQ(event.info.address, at.substr(6));
  EXPECT_EQ(event.info.type, socket_type::router);

  dealer.close();
  event = next(of_router);
  EXPECT_EQ(event.what, event_kind::detached);
  EXPECT_EQ(event.peer, id);
  EXPECT_EQ(event.info.routing_id, "the dealer");
  EXPECT_EQ(event.reason, errc::connection_lost);
  EXPECT_GE(event.at, attached_at);
  error_code ec;
  router.unbind(at, ec);
  event = next(of_router);
  EXPECT_EQ(event.what, event_kind::unbound);
  EXPECT_EQ(event.endpoint, at);
  EXPECT_EQ(next(of_dealer).what, event_kind::detached);
  EXPECT_EQ(next(of_dealer).what, event_kind::closed);
}

TEST_F(monitoring, reports_why_a_bind_failed) {
  router_socket one{executor()};
  router_socket other{executor()};
  auto watching = other.monitor();
  const auto at = one.bind("tcp://127.0.0.1:*").to_string();
  error_code ec;
  other.bind(at, ec);
  const auto event = next(watching);
  EXPECT_EQ(event.what, event_kind::bind_failed);
  EXPECT_EQ(event.endpoint, at);
  EXPECT_EQ(event.reason, ec);
  EXPECT_EQ(event.reason, asio::error::address_in_use);
}

TEST_F(monitoring, reports_failed_attempts_waits_and_the_end_of_reconnecting) {
  auto options = impatient();
  options.reconnect.stop_after = 3;
  dealer_socket dealer{executor(), options};
  auto watching = dealer.monitor();
  const auto at = reserve();
  dealer.connect(at);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    EXPECT_EQ(next(watching).what, event_kind::connecting);
    auto event = next(watching);
    EXPECT_EQ(event.what, event_kind::connect_failed);
    EXPECT_EQ(event.reason, asio::error::connection_refused);
    event = next(watching);
    EXPECT_EQ(event.what, attempt < 3 ? event_kind::connect_delayed : event_kind::stopped);
    EXPECT_EQ(event.endpoint, at);
    EXPECT_EQ(event.reason, asio::error::connection_refused);
    EXPECT_EQ(event.retry_in > 0ms, attempt < 3);
  }
}

TEST_F(monitoring, distinguishes_a_rejection_from_a_failure) {
  const struct {
    std::string said;
    event_kind what;
    errc reason;
    std::string error;
  } ends[] = {
      {"", event_kind::handshake_failed, errc::connection_lost, ""},
      {"GET / HTTP/1.1\r\n\r\n", event_kind::refused, errc::not_zmtp, ""},
      {greeting_of(3, 1) + ready_of("PUB"), event_kind::refused, errc::bad_socket_type, ""},
      {greeting_of(3, 1) + framed_command("ERROR",
                                          "\3"
                                          "400"),
       event_kind::refused, errc::refused_by_peer, "400"},
  };
  for (const auto& [said, what, reason, error] : ends) {
    dealer_socket dealer{executor(), impatient()};
    auto watching = dealer.monitor();
    raw_listener listener{context()};
    raw_peer peer{context()};
    listener.start_accepting(peer);
    dealer.connect(listener.endpoint());
    run_until([&] { return listener.accepted(); });
    peer.start_reading();
    if (said.empty()) {
      peer.close();
    } else {
      peer.send(said);
    }
    EXPECT_EQ(next(watching).what, event_kind::connecting);
    EXPECT_EQ(next(watching).what, event_kind::connected);
    const auto event = next(watching);
    EXPECT_EQ(event.what, what);
    EXPECT_EQ(event.reason, reason);
    EXPECT_EQ(event.peer_error, error);
    EXPECT_FALSE(event.peer.has_value());
    EXPECT_EQ(next(watching).what, event_kind::connect_delayed);
  }
}

TEST_F(monitoring, reports_a_duplicate_routing_id) {
  router_socket router{executor(), announcing()};
  auto watching = router.monitor();
  const auto at = router.bind("tcp://127.0.0.1:*");
  raw_peer holder{context()};
  holder.connect(at);
  holder.start_reading();
  holder.shake_hands("DEALER", "same");
  const auto id = next(watching, event_kind::attached).peer;
  raw_peer newcomer{context()};
  newcomer.connect(at);
  newcomer.shake_hands("DEALER", "same");
  const auto event = next(watching, event_kind::refused);
  EXPECT_EQ(event.reason, errc::duplicate_routing_id);
  EXPECT_EQ(event.info.routing_id, "same");
  EXPECT_FALSE(event.peer.has_value());
  EXPECT_TRUE(id.has_value());
}

TEST_F(monitoring, reports_a_peer_that_does_not_read_once) {
  auto options = announcing();
  options.heartbeat = {.interval = 1ms, .timeout = 5ms};
  router_socket router{executor(), options};
  auto watching = router.monitor();
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER", "sleeps");
  const auto event = next(watching, event_kind::not_reading);
  EXPECT_EQ(event.info.routing_id, "sleeps");
  EXPECT_TRUE(event.peer.has_value());
  peer.close();
  EXPECT_EQ(next(watching).what, event_kind::detached);
}

TEST_F(monitoring, reports_subscriptions_above_a_limit) {
  socket_options options;
  options.limit.subscriptions = 1;
  pub_socket publisher{executor(), options};
  auto watching = publisher.monitor();
  sub_socket subscriber{executor()};
  subscriber.subscribe("one");
  subscriber.subscribe("two");
  join(publisher, subscriber);
  const auto event = next(watching, event_kind::subscription_refused);
  EXPECT_EQ(event.reason, errc::too_many_subscriptions);
  EXPECT_EQ(event.info.type, socket_type::sub);
}

TEST_F(monitoring, reports_that_new_connections_wait) {
  auto options = announcing();
  options.pending_handshakes = 1;
  router_socket router{executor(), options};
  auto watching = router.monitor();
  const auto at = router.bind("tcp://127.0.0.1:*");
  raw_peer first{context()};
  first.connect(at);
  (void)next(watching, event_kind::accepted);
  raw_peer second{context()};
  second.connect(at);
  const auto event = next(watching, event_kind::accept_paused);
  EXPECT_EQ(event.reason, errc::too_many_handshakes);
  EXPECT_EQ(event.endpoint, at.to_string());
}

TEST_F(monitoring, events_beyond_the_limit_are_dropped_and_counted) {
  router_socket router{executor()};
  auto watching = router.monitor(2);
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  for (int i = 0; i < 4; ++i) {
    router.bind("tcp://127.0.0.1:*");
  }
  EXPECT_EQ(next(watching).endpoint, at);
  EXPECT_EQ(next(watching).missed, 0U);
  error_code ec;
  router.unbind(at, ec);
  const auto event = next(watching);
  EXPECT_EQ(event.what, event_kind::unbound);
  EXPECT_EQ(event.missed, 3U);
}

TEST_F(monitoring, several_see_the_same) {
  router_socket router{executor()};
  auto one = router.monitor();
  std::optional<monitor> gone{router.monitor()};
  auto other = router.monitor();
  gone.reset();
  router.bind("tcp://127.0.0.1:*");
  EXPECT_EQ(next(one).what, event_kind::listening);
  EXPECT_EQ(next(other).what, event_kind::listening);
}

TEST_F(monitoring, receives_wait_in_turn_and_end_with_the_socket) {
  std::optional<router_socket> router{std::in_place, executor()};
  auto watching = router->monitor();
  std::vector<std::pair<error_code, event_kind>> received;
  const auto note = [&](error_code ec, const monitor_event& event) {
    received.emplace_back(ec, event.what);
  };
  for (int i = 0; i < 3; ++i) {
    watching.async_receive(note);
  }
  router->bind("tcp://127.0.0.1:*");
  EXPECT_TRUE(received.empty()) << "called within bind()";
  router.reset();
  run_until([&] { return received.size() == 3; });
  EXPECT_EQ(received[0], std::pair(error_code{}, event_kind::listening));
  EXPECT_EQ(received[1], std::pair(error_code{}, event_kind::closed));
  EXPECT_EQ(received[2].first, errc::socket_closed);
  watching.async_receive(note);
  run_until([&] { return received.size() == 4; });
  EXPECT_EQ(received[3].first, errc::socket_closed);
  run_to_the_end();
}

TEST_F(monitoring, a_cancelled_receive_takes_nothing) {
  router_socket router{executor()};
  auto watching = router.monitor();
  asio::cancellation_signal signal;
  std::optional<error_code> end;
  watching.async_receive(asio::bind_cancellation_slot(
      signal.slot(), [&](error_code ec, const monitor_event&) { end = ec; }));
  signal.emit(asio::cancellation_type::total);
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
  router.bind("tcp://127.0.0.1:*");
  EXPECT_EQ(next(watching).what, event_kind::listening);
}

TEST_F(monitoring, destroying_the_monitor_ends_its_receives) {
  router_socket router{executor()};
  std::optional<error_code> end;
  {
    auto watching = router.monitor();
    watching.async_receive([&](error_code ec, const monitor_event&) { end = ec; });
  }
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
}

TEST_F(monitoring, the_context_may_be_destroyed_first) {
  bool called = false;
  std::optional<router_socket> router{std::in_place, executor()};
  auto watching = router->monitor();
  watching.async_receive([&](error_code, const monitor_event&) { called = true; });
  destroy_context();
  EXPECT_FALSE(called);
}

TEST_F(monitoring, a_closed_socket_has_no_events) {
  router_socket router{executor()};
  router.close(0ms);
  auto watching = router.monitor();
  std::optional<error_code> end;
  watching.async_receive([&](error_code ec, const monitor_event&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, errc::socket_closed);
}

TEST_F(monitoring, every_kind_has_a_name) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(event_kind::closed); ++i) {
    EXPECT_TRUE(names.insert(to_string(static_cast<event_kind>(i))).second);
  }
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace zmtp::test
