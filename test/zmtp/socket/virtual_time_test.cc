// Sockets take their time from the runtime of the context: with a manual clock, hours pass in one
// call.

#include "test/support/manual_runtime.h"
#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class virtual_time : public network_test {
protected:
  void pass(std::chrono::milliseconds time) { time_.pass(time, context()); }
  void attach(raw_peer& peer, router_socket& router) {
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    peer.start_reading();
    peer.shake_hands("DEALER");
    ASSERT_EQ(receive(router).what, routed_message::kind::attached);
  }
  [[nodiscard]] static std::size_t commands_of(const raw_peer& peer) {
    return content_of(peer.traffic()).commands.size();
  }
  [[nodiscard]] static std::uint64_t ended(const router_socket& router, errc why) {
    return router.counters().ended[static_cast<std::size_t>(why)];
  }
  // Returns the next event of this kind.
  monitor_event wait_for(monitor& from, monitor_event::kind what) {
    monitor_event event;
    run_until([&] {
      while (from.try_receive(event)) {
        if (event.what == what) {
          return true;
        }
      }
      return false;
    });
    return event;
  }

  manual_runtime& time_ = manual_runtime::install_in(context());
};

TEST_F(virtual_time, drives_heartbeats) {
  auto options = announcing();
  options.heartbeat = {.interval = 1h, .timeout = 2h, .strict = true};
  router_socket router{executor(), options};
  raw_peer peer{context()};
  attach(peer, router);
  for (std::size_t pings = 0; pings < 3; ++pings) {
    pass(1h - 1ms);
    EXPECT_EQ(commands_of(peer), pings);
    pass(1ms);
    run_until([&] { return commands_of(peer) == pings + 1; });
    peer.send(pong());
    const auto read = router.peers().front().counters.bytes_received;
    run_until([&] { return router.peers().front().counters.bytes_received != read; });
  }
  pass(1h);
  run_until([&] { return commands_of(peer) == 4; });
  pass(2h - 1ms);
  EXPECT_FALSE(peer.ended());
  pass(1ms);
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  EXPECT_EQ(ended(router, errc::heartbeat_timeout), 1U);
}

TEST_F(virtual_time, drives_the_pause_before_the_next_connection_attempt) {
  socket_options options;
  options.reconnect = {.initial = 1h, .maximum = 24h, .refused_maximum = 24h};
  dealer_socket dealer{executor(), options};
  auto events = dealer.monitor();
  dealer.connect(reserve());
  auto shortest = 0ms;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto delayed = wait_for(events, monitor_event::kind::connect_delayed);
    EXPECT_EQ(delayed.at, time_.now());
    EXPECT_GT(delayed.retry_in, shortest);
    shortest = delayed.retry_in / 2;
    monitor_event event;
    pass(delayed.retry_in - 1ms);
    EXPECT_FALSE(events.try_receive(event)) << "too early";
    pass(1ms);
    EXPECT_EQ(wait_for(events, monitor_event::kind::connecting).at, delayed.at + delayed.retry_in);
  }
}

TEST_F(virtual_time, drives_the_limit_of_handshakes) {
  auto options = announcing();
  options.limit.handshake_time = 1h;
  router_socket router{executor(), options};
  auto events = router.monitor();
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.start_reading();
  wait_for(events, monitor_event::kind::accepted);
  pass(1h - 1ms);
  EXPECT_EQ(ended(router, errc::handshake_timeout), 0U);
  EXPECT_FALSE(peer.ended());
  pass(1ms);
  EXPECT_EQ(ended(router, errc::handshake_timeout), 1U);
  run_until([&] { return peer.ended(); });
}

TEST_F(virtual_time, drives_the_linger_time) {
  socket_options options;
  options.linger = 2h;
  options.limit.handshake_time = 24h;
  raw_listener listener{context()};
  raw_peer peer{context()};
  listener.start_accepting(peer);
  dealer_socket dealer{executor(), options};
  dealer.connect(listener.endpoint());
  ASSERT_EQ(dealer.try_send(message{"never read"}), send_status::queued);
  run_until([&] { return listener.accepted(); });
  std::optional<error_code> closed;
  dealer.async_close([&](error_code ec) { closed = ec; });
  pass(2h - 1ms);
  EXPECT_FALSE(closed);
  pass(1ms);
  EXPECT_EQ(closed, errc::timed_out);
}

TEST_F(virtual_time, drives_the_deadlines_of_operations) {
  dealer_socket dealer{executor()};
  auto receive = dealer.async_receive(1h, asio::deferred);
  pass(30min);
  std::optional<error_code> ended;
  std::move(receive)([&](error_code ec, const message&) { ended = ec; });
  pass(1h - 1ms);
  EXPECT_FALSE(ended) << "counted from before the start";
  pass(1ms);
  EXPECT_EQ(ended, errc::timed_out);
}

TEST_F(virtual_time, does_not_pass_while_sockets_work) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  attach(peer, router);
  const auto before = time_.now();
  peer.send(framed({"m"}));
  EXPECT_EQ(receive(router).content, message{"m"});
  EXPECT_EQ(time_.now(), before);
  pass(10s - 1ms);
  EXPECT_EQ(time_.next(), before + 10s) << "the first PING";
}

}  // namespace
}  // namespace zmtp::test
