// Heartbeats on real connections: the peers that are unresponsive, and bytes that wait in the
// kernel.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class heartbeats : public network_test {
protected:
  static socket_options beating(const heartbeat_options& how) {
    auto options = announcing();
    options.heartbeat = how;
    return options;
  }
  // A peer whose handshake is over.
  void attach(router_socket& router) {
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    peer.start_reading();
    peer.shake_hands("DEALER");
    EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  }
  void wait_for_ping(std::size_t number = 1) {
    run_until([&] { return content_of(peer.traffic()).commands.size() >= number; });
  }
  // Returns the number of the router's connections that ended for this reason.
  static std::uint64_t ended(const router_socket& router, errc why) {
    return router.counters().ended[static_cast<std::size_t>(why)];
  }

  raw_peer peer{context()};
};

TEST_F(heartbeats, ping_an_idle_peer_repeatedly_as_long_as_it_answers) {
  router_socket router{executor(), beating({.interval = 5ms, .timeout = 10s, .strict = true})};
  attach(router);
  for (std::size_t i = 1; i <= 5; ++i) {
    wait_for_ping(i);
    peer.send(pong());
  }
  EXPECT_FALSE(peer.ended());
  peer.close();
}

TEST_F(heartbeats, a_peer_that_does_not_answer_is_counted_once_and_not_closed) {
  router_socket router{executor(), beating({.interval = 1ms, .timeout = 5ms})};
  attach(router);
  wait_for_ping();
  run_until([&] { return router.counters().not_reading == 1; });
  // Ten more looks.
  asio::steady_timer while_ten_pass{context(), 50ms};
  bool passed = false;
  while_ten_pass.async_wait([&](error_code) { passed = true; });
  run_until([&] { return passed; });
  EXPECT_EQ(router.counters().not_reading, 1U);
  EXPECT_EQ(content_of(peer.traffic()).commands.size(), 1U) << "more than one PING outstanding";
  peer.send(framed({"late"}));
  EXPECT_EQ(receive(router).content, message{"late"});
  run_until([&] { return router.counters().not_reading == 2; });
  peer.close();
}

TEST_F(heartbeats, strict_closes_a_peer_that_does_not_answer) {
  router_socket router{executor(), beating({.interval = 1ms, .timeout = 20ms, .strict = true})};
  attach(router);
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  EXPECT_EQ(ended(router, errc::heartbeat_timeout), 1U);
  run_until([&] { return peer.ended(); });
}

TEST_F(heartbeats, strict_closes_a_peer_that_exceeds_its_ttl) {
  router_socket router{executor(), beating({.interval = std::nullopt, .strict = true})};
  attach(router);
  peer.send(framed_command("PING", bytes("00 01")));
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  EXPECT_EQ(ended(router, errc::ttl_expired), 1U);
}

// The loop was held up for longer than all deadlines; the answer waits in the kernel.
TEST_F(heartbeats, end_when_a_closed_socket_has_written_everything) {
  router_socket router{executor(), beating({.interval = 1ms, .timeout = 10s})};
  attach(router);
  router.close();
  run_until([&] { return peer.ended(); });
  // The next would be due.
  asio::steady_timer while_ten_pass{context(), 10ms};
  bool passed = false;
  while_ten_pass.async_wait([&](error_code) { passed = true; });
  run_until([&] { return passed; });
  std::size_t handlers = 0;
  context().restart();
  for (int i = 0; i < 1'000; ++i) {
    handlers += context().poll_one();
  }
  EXPECT_LT(handlers, 500U);
  peer.close();
}

TEST_F(heartbeats, do_not_close_a_peer_whose_bytes_wait_in_the_kernel) {
  router_socket router{executor(), beating({.interval = 1ms, .timeout = 30ms, .strict = true})};
  attach(router);
  for (std::size_t i = 1; i <= 5; ++i) {
    wait_for_ping(i);
    peer.send(pong());
    const auto due = std::chrono::steady_clock::now() + 40ms;
    while (std::chrono::steady_clock::now() < due) {
    }
    run_ready();
  }
  EXPECT_EQ(ended(router, errc::heartbeat_timeout), 0U);
  EXPECT_FALSE(peer.ended());
  peer.close();
}

TEST_F(heartbeats, a_peer_that_is_not_read_is_not_unresponsive) {
  auto options = beating({.interval = 1ms, .timeout = 5ms, .strict = true});
  options.receive_mark.messages = 2;
  router_socket router{executor(), options};
  attach(router);
  for (int i = 0; i < 100; ++i) {
    peer.send(framed({std::to_string(i)}));
  }
  asio::steady_timer while_many_pass{context(), 50ms};
  bool passed = false;
  while_many_pass.async_wait([&](error_code) { passed = true; });
  run_until([&] { return passed; });
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(receive(router).content, message{std::to_string(i)});
  }
  EXPECT_EQ(ended(router, errc::heartbeat_timeout), 0U);
  peer.close();
}

}  // namespace
}  // namespace zmtp::test
