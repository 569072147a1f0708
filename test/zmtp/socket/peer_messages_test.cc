// Messages that peers get when they connect, and messages that are received when they disconnect:
// probe, hello and welcome messages, and disconnect messages.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using kind = routed_message::kind;

socket_options probing() {
  auto options = impatient();
  options.probe_router = true;
  return options;
}
socket_options saying_hello(message hello) {
  auto options = impatient();
  options.hello_message = std::move(hello);
  return options;
}
socket_options saying_goodbye() {
  socket_options options;
  options.disconnect_message = {"gone", ""};
  return options;
}

class peer_messages : public pattern_test {
protected:
  // Checks the first output of `ours` to a raw peer.
  void expect_first(socket& ours, std::string_view their_type, const std::string& expected) {
    raw_peer theirs{context()};
    theirs.connect(ours.bind("tcp://127.0.0.1:*"));
    theirs.shake_hands(their_type);
    theirs.start_reading();
    run_until([&] { return theirs.traffic().size() >= expected.size(); });
    EXPECT_EQ(theirs.traffic(), expected);
  }
  // Expects `properties` in the READY of a fresh socket. A peer of any type has a routing id.
  template <class Socket>
  void expect_ready(const std::string& properties, std::string_view their_type) {
    Socket ours{executor()};
    raw_peer theirs{context()};
    theirs.connect(ours.bind("tcp://127.0.0.1:*"));
    theirs.shake_hands(their_type, "me");
    theirs.start_reading();
    const auto expected = framed_command("READY", properties);
    run_until([&] { return theirs.received().size() >= 64 + expected.size(); });
    EXPECT_EQ(theirs.received().substr(64), expected);
  }
};

TEST_F(peer_messages, only_req_dealer_and_router_announce_an_identity) {
  const auto is = [](std::string_view type) { return property("Socket-Type", type); };
  const auto unnamed = property("Identity", "");
  expect_ready<req_socket>(is("REQ") + unnamed, "REP");
  expect_ready<dealer_socket>(is("DEALER") + unnamed, "REP");
  expect_ready<router_socket>(is("ROUTER") + unnamed, "REQ");
  expect_ready<rep_socket>(is("REP"), "REQ");
  expect_ready<pair_socket>(is("PAIR"), "PAIR");
  expect_ready<pub_socket>(is("PUB"), "SUB");
  expect_ready<sub_socket>(is("SUB"), "PUB");
  expect_ready<xpub_socket>(is("XPUB"), "SUB");
  expect_ready<xsub_socket>(is("XSUB"), "PUB");
  expect_ready<push_socket>(is("PUSH"), "PULL");
  expect_ready<pull_socket>(is("PULL"), "PUSH");
}

TEST_F(peer_messages, a_probe_is_one_empty_part) {
  router_socket router{executor(), probing()};
  expect_first(router, "DEALER", framed({""}));
  dealer_socket dealer{executor(), probing()};
  expect_first(dealer, "ROUTER", framed({""}));
  req_socket req{executor(), probing()};
  expect_first(req, "ROUTER", framed({""}));
}

TEST_F(peer_messages, a_probe_announces_a_dealer_to_a_router) {
  auto options = probing();
  options.routing_id = "prober";
  dealer_socket dealer{executor(), options};
  router_socket router{executor()};
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  const auto probe = receive(router);
  EXPECT_EQ(probe.content, message{""});
  EXPECT_EQ(router.find("prober"), probe.peer);
  EXPECT_EQ(router.try_send(probe.peer, {"we know you"}), send_status::queued);
  EXPECT_EQ(receive(dealer).front(), "we know you");
}

TEST_F(peer_messages, a_req_with_probe_sends_requests_as_usual) {
  req_socket req{executor(), probing()};
  rep_socket rep{executor()};
  join(rep, req);
  for (const auto* question : {"one", "two"}) {
    put(req, {question});
    EXPECT_EQ(take(rep).front(), question);
    put(rep, {"reply"});
    EXPECT_EQ(take(req).front(), "reply");
  }
}

// Every connection gets it: messages that wait for the endpoint come after it.
TEST_F(peer_messages, a_hello_is_the_first_message_of_every_connection) {
  push_socket push{executor(), saying_hello({"hello", "", std::string(70'000, 'h')})};
  const auto hello = framed({"hello", "", std::string(70'000, 'h')});
  raw_listener listener{context()};
  push.connect(listener.endpoint());
  ASSERT_EQ(push.try_send({"queued before"}), send_status::queued);
  for (int n = 0; n < 3; ++n) {
    raw_peer theirs{context()};
    listener.start_accepting(theirs);
    run_until([&] { return listener.accepted(); });
    theirs.shake_hands("PULL");
    theirs.start_reading();
    const auto expected = n == 0 ? hello + framed({"queued before"}) : hello;
    run_until([&] { return theirs.traffic().size() >= expected.size(); });
    EXPECT_TRUE(theirs.traffic() == expected) << "connection " << n;
  }
}

TEST_F(peer_messages, each_type_with_a_hello_sends_it) {
  router_socket router{executor(), saying_hello({"hello"})};
  expect_first(router, "REQ", framed({"hello"}));
  dealer_socket dealer{executor(), saying_hello({"hello"})};
  expect_first(dealer, "DEALER", framed({"hello"}));
  pair_socket pair{executor(), saying_hello({"hello"})};
  expect_first(pair, "PAIR", framed({"hello"}));
}

TEST_F(peer_messages, a_probe_and_a_hello_are_two) {
  auto options = probing();
  options.hello_message = {"hello"};
  dealer_socket dealer{executor(), options};
  expect_first(dealer, "ROUTER", framed({""}) + framed({"hello"}));
}

TEST_F(peer_messages, a_welcome_goes_to_peers_that_subscribed_to_it) {
  socket_options options;
  options.xpub.welcome = {"welcome", "to all"};
  xpub_socket publisher{executor(), options};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  xsub_socket raw{executor()};
  raw.connect(at);
  EXPECT_EQ(take(raw), (message{"welcome", "to all"})) << "it has no filter";
  sub_socket interested{executor()};
  interested.subscribe("wel");
  interested.connect(at);
  EXPECT_EQ(take(interested), (message{"welcome", "to all"}));
  sub_socket other{executor()};
  other.subscribe("A");
  other.connect(at);
  routed_message notice;
  run_until([&] { return publisher.try_receive(notice) && notice.content.front() == "\1A"; });
  ASSERT_EQ(publisher.try_send({"A"}), send_status::queued);
  EXPECT_EQ(take(other).front(), "A");
}

TEST_F(peer_messages, a_disconnect_message_follows_the_last_message_of_a_peer) {
  pull_socket pull{executor(), saying_goodbye()};
  auto push = std::make_unique<push_socket>(executor());
  join(pull, *push);
  put(*push, {"last words"});
  EXPECT_EQ(take(pull).front(), "last words");
  push.reset();
  EXPECT_EQ(take(pull), (message{"gone", ""}));
}

TEST_F(peer_messages, each_type_with_a_disconnect_message_receives_it) {
  const auto options = saying_goodbye();
  {
    dealer_socket dealer{executor(), options};
    auto peer = std::make_unique<dealer_socket>(executor());
    join(dealer, *peer);
    wait_for_peer(dealer);
    peer.reset();
    EXPECT_EQ(take(dealer), (message{"gone", ""}));
  }
  {
    pair_socket pair{executor(), options};
    auto peer = std::make_unique<pair_socket>(executor());
    join(pair, *peer);
    wait_for_peer(pair);
    peer.reset();
    EXPECT_EQ(take(pair), (message{"gone", ""}));
  }
  {
    xsub_socket xsub{executor(), options};
    auto peer = std::make_unique<xpub_socket>(executor());
    xsub.subscribe("A");
    join(xsub, *peer);
    routed_message notice;
    run_until([&] { return peer->try_receive(notice); });
    peer.reset();
    EXPECT_EQ(take(xsub), (message{"gone", ""}));
  }
}

TEST_F(peer_messages, on_a_router_it_comes_from_the_peer_before_its_detach) {
  auto options = saying_goodbye();
  options.announce_peers = true;
  router_socket router{executor(), options};
  auto dealer = std::make_unique<dealer_socket>(executor());
  const auto peer = network_test::join(*dealer, router);
  dealer.reset();
  const auto gone = receive(router);
  EXPECT_EQ(gone.what, kind::message);
  EXPECT_EQ(gone.peer, peer);
  EXPECT_EQ(gone.content, (message{"gone", ""}));
  EXPECT_EQ(receive(router).what, kind::detached);
}

}  // namespace
}  // namespace zmtp::test
