// The peers of a socket, and the messages in both directions.

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class peers_of_a_socket : public pub_sub_test {
protected:
  using network_test::join;
};

TEST_F(peers_of_a_socket, are_the_connected_peers) {
  auto options = announcing();
  options.routing_id = "one";
  router_socket router{executor(), announcing()};
  EXPECT_TRUE(router.peers().empty());
  std::optional<dealer_socket> dealer{std::in_place, executor(), options};
  const auto before = std::chrono::steady_clock::now();
  const auto id = join(*dealer, router);
  auto peers = router.peers();
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_EQ(peers[0].id, id);
  EXPECT_EQ(peers[0].info.routing_id, "one");
  EXPECT_EQ(peers[0].info.type, socket_type::dealer);
  EXPECT_GE(peers[0].attached_at, before);
  EXPECT_LE(peers[0].attached_at, std::chrono::steady_clock::now());
  ASSERT_NE(router.peer(id), nullptr);
  EXPECT_EQ(router.peer(id)->routing_id, "one");
  dealer.reset();
  EXPECT_EQ(receive(router).what, routed_message::kind::detached);
  EXPECT_TRUE(router.peers().empty());
  EXPECT_EQ(router.peer(id), nullptr);
}

// Another server at the same endpoint counts as the same peer.
TEST_F(peers_of_a_socket, keep_their_counters_over_all_connections_of_an_endpoint) {
  const auto at = reserve();
  socket_options options;
  options.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  options.announce_peers = true;
  router_socket router{executor(), options};
  router.connect(at);
  for (std::size_t i = 1; i <= 3; ++i) {
    dealer_socket server{executor()};
    server.bind(at);
    const auto attached = receive(router);
    ASSERT_EQ(attached.what, routed_message::kind::attached);
    EXPECT_EQ(router.try_send(attached.peer, message{"question"}), send_status::queued);
    EXPECT_EQ(receive(server), message{"question"});
    EXPECT_EQ(server.try_send(message{"answer"}), send_status::queued);
    EXPECT_EQ(receive(router).content, message{"answer"});
    const auto peers = router.peers();
    ASSERT_EQ(peers.size(), 1U);
    EXPECT_EQ(peers[0].counters.messages_sent, i);
    EXPECT_EQ(peers[0].counters.messages_received, i);
    EXPECT_EQ(peers[0].counters.bytes_received, router.counters().bytes_received);
    EXPECT_EQ(peers[0].counters.bytes_sent, router.counters().bytes_sent);
    server.close(0ms);
    ASSERT_EQ(receive(router).what, routed_message::kind::detached);
  }
}

TEST_F(peers_of_a_socket, have_their_counters) {
  router_socket router{executor(), announcing()};
  dealer_socket one{executor()};
  const auto id = join(one, router);
  dealer_socket other{executor()};
  const auto other_id = join(other, router);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.try_send(message{"from one"}), send_status::queued);
    EXPECT_EQ(receive(router).peer, id);
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(router.try_send(other_id, message{"to the other"}), send_status::queued);
    EXPECT_EQ(receive(other), message{"to the other"});
  }
  EXPECT_EQ(one.try_send(message{"waits"}), send_status::queued);
  run_until([&] {
    const auto peers = router.peers();
    return peers[0].messages_to_receive + peers[1].messages_to_receive == 1;
  });
  for (const auto& peer : router.peers()) {
    const bool first = peer.id == id;
    EXPECT_EQ(peer.counters.messages_received, first ? 3U : 0U);
    EXPECT_EQ(peer.counters.messages_sent, first ? 0U : 2U);
    EXPECT_EQ(peer.messages_to_receive, first ? 1U : 0U);
    EXPECT_EQ(peer.bytes_to_receive != 0, first);
    EXPECT_EQ(peer.messages_to_send, 0U);
  }
  const auto framed_size = framed({"from one"}).size();
  const auto of_one = router.peers()[router.peers()[0].id == id ? 0 : 1];
  // Greeting and READY too.
  EXPECT_EQ(of_one.counters.bytes_received, one.counters().bytes_sent);
  EXPECT_GT(of_one.counters.bytes_received, 64 + 4 * framed_size);
  EXPECT_EQ(router.counters().bytes_received,
            one.counters().bytes_sent + other.counters().bytes_sent);
  EXPECT_EQ(router.counters().bytes_sent,
            one.counters().bytes_received + other.counters().bytes_received);
}

TEST_F(peers_of_a_socket, report_their_pending_messages) {
  router_socket router{executor(), announcing()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER");
  const auto id = receive(router).peer;
  std::size_t queued = 0;
  while (router.try_send(id, message{std::string(1'000'000, 'x')}) == send_status::queued) {
    ASSERT_LT(++queued, 1'000U);
  }
  const auto peers = router.peers();
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_EQ(peers[0].counters.messages_sent, queued);
  EXPECT_GT(peers[0].messages_to_send, 0U);
  EXPECT_LE(peers[0].messages_to_send, queued);
  EXPECT_GT(peers[0].bytes_to_send, 1'000'000U);
  // A message without space in the queue is dropped, and counted for the peer.
  bool done = false;
  router.async_send(id, message{"dropped"}, [&](error_code ec) { done = !ec; });
  run_until([&] { return done; });
  EXPECT_EQ(router.peers()[0].counters.dropped_full, 1U);
  EXPECT_EQ(router.counters().dropped_full, 1U);
}

TEST_F(peers_of_a_socket, show_the_subscriber_that_misses_messages) {
  socket_options options;
  options.send_mark.messages = 5;
  pub_socket publisher{executor(), options};
  const auto at = publisher.bind("tcp://127.0.0.1:*");
  raw_peer stopped{context()};
  stopped.connect(at);
  stopped.shake_hands("SUB", "stopped");
  stopped.send(framed_command("SUBSCRIBE"));
  sub_socket good{executor()};
  good.subscribe("");
  good.connect(at.to_string());
  std::size_t sent = 0;
  std::size_t received = 0;
  const std::string large(300'000, 'x');
  run_until([&] {
    send(publisher, {large});
    ++sent;
    message m;
    while (good.try_receive(m)) {
      ++received;
    }
    return publisher.counters().dropped_full > 20 && received > 20;
  });
  std::uint64_t dropped = 0;
  std::uint64_t taken = 0;
  run_ready();
  for (const auto& peer : publisher.peers()) {
    dropped += peer.counters.dropped_full;
    taken += peer.counters.messages_sent;
    if (peer.info.routing_id == "stopped") {
      EXPECT_GT(peer.counters.dropped_full, 0U);
    }
  }
  EXPECT_EQ(dropped, publisher.counters().dropped_full);
  EXPECT_EQ(taken, publisher.counters().messages_sent);
}

// The addresses of the links in memory do not matter, so each run of a simulation is the same.
TEST_F(peers_of_a_socket, end_in_the_order_of_their_arrival_when_the_socket_closes) {
  router_socket router{executor()};
  auto events = router.monitor();
  const auto at = router.bind("tcp://127.0.0.1:*");
  // Enough that no other order is equal by chance.
  constexpr std::size_t many = 20;
  std::vector<std::unique_ptr<raw_peer>> peers;
  std::vector<std::string> arrived;
  std::vector<std::string> ended;
  monitor_event event;
  while (peers.size() < many) {
    peers.push_back(std::make_unique<raw_peer>(context()));
    peers.back()->connect(at);
    run_until(
        [&] { return events.try_receive(event) && event.what == monitor_event::kind::accepted; });
    arrived.push_back(event.info.address);
  }
  router.close();
  while (events.try_receive(event)) {
    if (event.what == monitor_event::kind::handshake_failed) {
      ended.push_back(event.info.address);
    }
  }
  EXPECT_EQ(ended, arrived);
}

TEST_F(peers_of_a_socket, can_be_disconnected) {
  pub_socket publisher{executor()};
  raw_peer peer{context()};
  peer.connect(publisher.bind("tcp://127.0.0.1:*"));
  peer.start_reading();
  peer.shake_hands("SUB");
  run_until([&] { return publisher.peers().size() == 1; });
  publisher.disconnect(publisher.peers()[0].id);
  run_until([&] { return peer.ended(); });
  EXPECT_TRUE(publisher.peers().empty());
}

}  // namespace
}  // namespace zmtp::test
