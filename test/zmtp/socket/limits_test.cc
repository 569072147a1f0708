// The resources of a listener that a foreign peer can take are limited, and no peer can close
// another one's connection.

#include "test/support/machine.h"
#include "test/support/network_test.h"
#include "test/support/no_descriptors.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/monitor.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class limits_of_a_listener : public network_test {
protected:
  std::unique_ptr<raw_peer> connect(const endpoint& to) {
    auto peer = std::make_unique<raw_peer>(context());
    peer->connect(to);
    peer->start_reading();
    return peer;
  }
  static bool accepted(const raw_peer& peer) { return !peer.received().empty(); }
  // Runs until nothing more happens.
  void run_to_a_standstill() {
    for (int i = 0; i < 50; ++i) {
      run_ready();
    }
  }
};

TEST_F(limits_of_a_listener, a_handshake_has_its_time_in_all) {
  auto options = announcing();
  options.limit.handshake_time = 50ms;
  router_socket router{executor(), options};
  const auto at = router.bind("tcp://127.0.0.1:*");
  const auto begin = steady_clock::now();
  const auto silent = connect(at);
  const auto slow = connect(at);
  const auto greeting = greeting_of(3, 1);
  std::size_t said = 0;
  run_until([&] {
    // A byte each time something happens: it is not the time between bytes that counts.
    if (said < greeting.size() && steady_clock::now() - begin > said * 1ms) {
      slow->send(greeting.substr(said++, 1));
    }
    return silent->ended() && slow->ended();
  });
  EXPECT_GE(steady_clock::now() - begin, 50ms);
  // A peer that completed its handshake in time may be idle afterwards.
  const auto good = connect(at);
  good->shake_hands("DEALER");
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  context().run_for(100ms);
  EXPECT_FALSE(good->ended());
}

TEST_F(limits_of_a_listener, a_listener_that_does_not_answer_is_tried_again) {
  socket_options options;
  options.limit.handshake_time = 20ms;
  options.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  dealer_socket dealer{executor(), options};
  raw_listener listener{context()};
  raw_peer silent{context()};
  listener.start_accepting(silent);
  dealer.connect(listener.endpoint());
  EXPECT_EQ(dealer.try_send(message{"waits"}), send_status::queued);
  run_until([&] { return listener.accepted(); });
  silent.start_reading();
  run_until([&] { return silent.ended(); });
  raw_peer polite{context()};
  listener.start_accepting(polite);
  run_until([&] { return listener.accepted(); });
  polite.shake_hands("ROUTER");
  polite.start_reading();
  run_until([&] { return content_of(polite.traffic()).messages.size() == 1; });
}

TEST_F(limits_of_a_listener, accepting_pauses_while_there_are_too_many_handshakes) {
  auto options = announcing();
  options.pending_handshakes = 2;
  router_socket router{executor(), options};
  const auto at = router.bind("tcp://127.0.0.1:*");
  std::vector<std::unique_ptr<raw_peer>> peers;
  for (int i = 0; i < 5; ++i) {
    peers.push_back(connect(at));
  }
  run_until([&] { return accepted(*peers[0]) && accepted(*peers[1]); });
  run_to_a_standstill();
  EXPECT_FALSE(accepted(*peers[2]));
  // One peer completes its handshake, then one disconnects, then one fails: each frees a slot.
  peers[0]->shake_hands("DEALER");
  run_until([&] { return accepted(*peers[2]); });
  run_to_a_standstill();
  EXPECT_FALSE(accepted(*peers[3]));
  peers[1]->close();
  run_until([&] { return accepted(*peers[3]); });
  run_to_a_standstill();
  EXPECT_FALSE(accepted(*peers[4]));
  peers[2]->send("GET / HTTP/1.1\r\n\r\n");
  run_until([&] { return accepted(*peers[4]); });
  EXPECT_TRUE(peers[2]->ended());
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
}

TEST_F(limits_of_a_listener, a_silent_handshake_is_evicted_and_an_active_one_is_not) {
  auto options = announcing();
  options.pending_handshakes = 2;
  options.limit.handshake_time = 1h;
  options.limit.handshake_silence = 1s;
  router_socket router{executor(), options};
  const auto at = router.bind("tcp://127.0.0.1:*");
  const auto talks = connect(at);
  const auto silent = connect(at);
  run_until([&] { return accepted(*talks) && accepted(*silent); });
  // A byte now and then keeps the handshake.
  asio::steady_timer tick{context()};
  std::size_t said = 0;
  const auto greeting = greeting_of(3, 1);
  std::function<void(error_code)> talk = [&](error_code ec) {
    if (!ec && said < greeting.size()) {
      talks->send(greeting.substr(said++, 1));
      tick.expires_after(20ms);
      tick.async_wait(talk);
    }
  };
  talk({});
  const auto newcomer = connect(at);
  run_until([&] { return accepted(*newcomer); });
  EXPECT_TRUE(silent->ended());
  EXPECT_FALSE(talks->ended());
  EXPECT_EQ(router.counters().ended[static_cast<std::size_t>(errc::handshake_evicted)], 1U);
  tick.cancel();
}

// A loop that was held up would take those for silent whose bytes it has not fetched.
TEST_F(limits_of_a_listener, a_handshake_with_unread_bytes_is_not_evicted) {
  auto options = announcing();
  options.pending_handshakes = 1;
  options.limit.handshake_silence = 1ms;
  router_socket router{executor(), options};
  const auto at = router.bind("tcp://127.0.0.1:*");
  const auto early = connect(at);
  run_until([&] { return accepted(*early); });
  // Pauses the listener. The waiting peer is known first.
  const auto begin = steady_clock::now();
  while (steady_clock::now() - begin <= 1ms) {
  }
  const auto newcomer = connect(at);
  early->shake_hands("DEALER");
  early->send(framed({"sent"}));
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  EXPECT_EQ(receive(router).content, message{"sent"});
  run_until([&] { return accepted(*newcomer); });
  EXPECT_FALSE(early->ended());
  EXPECT_EQ(router.counters().ended[static_cast<std::size_t>(errc::handshake_evicted)], 0U);
}

// The listener has not sent its READY, so the peer has sent no message that could be lost.
TEST_F(limits_of_a_listener, a_handshake_that_stops_after_its_greeting_is_evicted) {
  auto options = announcing();
  options.pending_handshakes = 1;
  options.limit.handshake_time = 1h;
  options.limit.handshake_silence = 1ms;
  router_socket router{executor(), options};
  const auto at = router.bind("tcp://127.0.0.1:*");
  const auto slow = connect(at);
  slow->send(greeting_of(3, 1));
  run_until([&] { return accepted(*slow); });
  const auto newcomer = connect(at);
  run_until([&] { return accepted(*newcomer); });
  run_until([&] { return slow->ended(); });
  EXPECT_EQ(slow->received(), greeting_of(3, 1));
  EXPECT_EQ(router.counters().ended[static_cast<std::size_t>(errc::handshake_evicted)], 1U);
}

TEST_F(limits_of_a_listener, a_handshake_is_not_evicted_without_a_waiting_peer) {
  auto options = announcing();
  options.pending_handshakes = 1;
  options.limit.handshake_time = 100ms;
  options.limit.handshake_silence = 1ms;
  router_socket router{executor(), options};
  const auto silent = connect(router.bind("tcp://127.0.0.1:*"));
  run_until([&] { return silent->ended(); });
  EXPECT_EQ(router.counters().ended[static_cast<std::size_t>(errc::handshake_evicted)], 0U);
  EXPECT_EQ(router.counters().ended[static_cast<std::size_t>(errc::handshake_timeout)], 1U);
}

// Otherwise, one remote address could take all slots. Loopback peers are exempt.
TEST_F(limits_of_a_listener, one_address_has_its_share_of_the_handshakes) {
  const auto own = network_address();
  if (own.empty()) {
    GTEST_SKIP() << "this machine has no address but loopback";
  }
  auto options = announcing();
  options.pending_handshakes = 8;
  router_socket router{executor(), options};
  auto watching = router.monitor();
  const auto port = router.bind("tcp://0.0.0.0:*").tcp()->port;
  const endpoint abroad{tcp_address{.host = own, .port = port}};
  std::vector<std::unique_ptr<raw_peer>> strangers;
  for (int i = 0; i < 5; ++i) {
    strangers.push_back(connect(abroad));
  }
  run_until(
      [&] { return strangers[2]->ended() && strangers[3]->ended() && strangers[4]->ended(); });
  run_until([&] { return accepted(*strangers[0]) && accepted(*strangers[1]); });
  EXPECT_EQ(strangers[2]->received(), "");
  EXPECT_EQ(
      router.counters().ended[static_cast<std::size_t>(errc::too_many_handshakes_from_address)],
      3U);
  monitor_event event;
  while (event.what != monitor_event::kind::refused && watching.try_receive(event)) {
  }
  EXPECT_EQ(event.what, monitor_event::kind::refused);
  EXPECT_EQ(event.reason, errc::too_many_handshakes_from_address);
  EXPECT_TRUE(event.info.address.starts_with(own + ":")) << event.info.address;
  // All other places are there for others.
  const endpoint home{tcp_address{.host = "127.0.0.1", .port = port}};
  std::vector<std::unique_ptr<raw_peer>> neighbours;
  for (int i = 0; i < 6; ++i) {
    neighbours.push_back(connect(home));
    run_until([&] { return accepted(*neighbours.back()); });
  }
  // One peer completes its handshake: its address gets the next free slot.
  strangers[0]->shake_hands("DEALER");
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  const auto next = connect(abroad);
  run_until([&] { return accepted(*next); });
  EXPECT_FALSE(strangers[1]->ended());
}

TEST_F(limits_of_a_listener, each_listener_has_its_own) {
  auto options = announcing();
  options.pending_handshakes = 1;
  router_socket router{executor(), options};
  const auto busy = router.bind("tcp://127.0.0.1:*");
  const auto first = connect(busy);
  const auto second = connect(busy);
  const auto elsewhere = connect(router.bind("tcp://127.0.0.1:*"));
  run_until([&] { return accepted(*first) && accepted(*elsewhere); });
  EXPECT_FALSE(accepted(*second));
}

TEST_F(limits_of_a_listener, garbage_closes_only_the_connection_that_sent_it) {
  router_socket router{executor(), announcing()};
  const auto at = router.bind("tcp://127.0.0.1:*");
  dealer_socket good{executor()};
  good.connect(at.to_string());
  const auto id = receive(router).peer;
  const auto ready = greeting_of(3, 1) + ready_of("DEALER");
  for (const auto& garbage :
       {std::string{"GET / HTTP/1.1\r\n\r\n"}, std::string(1000, '\0'), std::string(1000, '\xff'),
        greeting_of(2, 0), greeting_of(3, 1, "PLAIN"), greeting_of(3, 1) + ready_of("PUB"),
        greeting_of(3, 1) + frame(command, "\x05WRONG"), greeting_of(3, 1) + framed({"too early"}),
        greeting_of(3, 1) + frame_header(command, 1'000'000)}) {
    const auto bad = connect(at);
    bad->send(garbage);
    run_until([&] { return bad->ended(); });
    EXPECT_EQ(good.try_send(message{"fine"}), send_status::queued);
    EXPECT_EQ(receive(router).content, message{"fine"});
  }
  // The same after a valid handshake: the peer was attached and is detached.
  for (const auto& garbage : {frame_header(more, std::size_t{1} << 62), bytes("05 01 00"),
                              framed_command("PING"), std::string(10'000, '\xff')}) {
    const auto bad = connect(at);
    bad->send(ready + framed({"last"}) + garbage);
    run_until([&] { return bad->ended(); });
    EXPECT_EQ(receive(router).what, routed_message::kind::attached);
    EXPECT_EQ(receive(router).content, message{"last"});
    EXPECT_EQ(receive(router).what, routed_message::kind::detached);
    EXPECT_EQ(router.try_send(id, message{"fine"}), send_status::queued);
    EXPECT_EQ(receive(good), message{"fine"});
  }
}

TEST_F(limits_of_a_listener, without_descriptors_connecting_is_tried_again) {
  socket_options options;
  options.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  dealer_socket dealer{executor(), options};
  router_socket router{executor(), announcing()};
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  run_ready();
  {
    const no_descriptors exhausted;
    dealer.connect(at);
    context().restart();
    context().run_for(30ms);
  }
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
}

}  // namespace
}  // namespace zmtp::test
