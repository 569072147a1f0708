// XPUB and XSUB over loopback: the publisher's notices of its peers, and the messages between them.

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::string_literals;
using kind = routed_message::kind;
using notices = xpub_options::notices;

socket_options with(xpub_options what, bool announce = false) {
  socket_options options;
  options.xpub = std::move(what);
  options.announce_peers = announce;
  return options;
}

class xpub_xsub : public pub_sub_test {
protected:
  // "attached", "detached", or the parts.
  parts next(xpub_socket& from) {
    routed_message item;
    run_until([&] { return from.try_receive(item); });
    last_peer = item.peer;
    switch (item.what) {
      case kind::attached: return {"attached"};
      case kind::detached: return {"detached"};
      case kind::message: break;
    }
    return to_parts(item.content);
  }

  peer_id last_peer;
};

TEST_F(xpub_xsub, subscriptions_are_received_and_messages_follow_them) {
  xpub_socket publisher{executor(), with({}, true)};
  xsub_socket subscriber{executor()};
  join(publisher, subscriber);
  EXPECT_EQ(next(publisher), parts{"attached"});
  const auto peer = last_peer;
  send(subscriber, {"\1A"});
  subscriber.subscribe("B");
  EXPECT_EQ(next(publisher), parts{"\1A"});
  EXPECT_EQ(last_peer, peer);
  EXPECT_EQ(next(publisher), parts{"\1B"});
  for (const auto* first : {"A", "B", "C"}) {
    send(publisher, {first});
  }
  EXPECT_EQ(receive(subscriber, 2), (std::vector<parts>{{"A"}, {"B"}}));
  send(subscriber, {"\0A"s});
  EXPECT_EQ(next(publisher), parts{"\0A"s});
  subscriber.close();
  EXPECT_EQ(next(publisher), parts{"\0B"s});
  EXPECT_EQ(next(publisher), parts{"detached"});
  EXPECT_EQ(last_peer, peer);
  EXPECT_EQ(publisher.info(peer), nullptr);
}

TEST_F(xpub_xsub, works_if_the_subscriber_binds) {
  xpub_socket publisher{executor()};
  xsub_socket subscriber{executor()};
  subscriber.subscribe("A");
  join(subscriber, publisher);
  EXPECT_EQ(next(publisher), parts{"\1A"});
  send(publisher, {"A"});
  EXPECT_EQ(to_parts(receive(subscriber)), parts{"A"});
}

TEST_F(xpub_xsub, other_messages_of_a_subscriber_are_received_in_order) {
  xpub_socket publisher{executor()};
  xsub_socket subscriber{executor()};
  // The socket queues the messages for an endpoint before the connection exists, like the
  // subscription.
  join(publisher, subscriber);
  send(subscriber, {"hello", "\1no topic"});
  send(subscriber, {""});
  EXPECT_EQ(next(publisher), (parts{"hello", "\1no topic"}));
  EXPECT_EQ(next(publisher), parts{""});
  send(subscriber, {"\1A"});
  EXPECT_EQ(next(publisher), parts{"\1A"});
  send(subscriber, {"\2 is no subscription"});
  EXPECT_EQ(next(publisher), parts{"\2 is no subscription"});
}

TEST_F(xpub_xsub, a_publisher_treats_a_sub_and_an_xsub_alike) {
  xpub_socket publisher{executor(), with({.notifications = notices::all})};
  sub_socket sub{executor()};
  xsub_socket xsub{executor()};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  sub.connect(at);
  sub.subscribe("A");
  EXPECT_EQ(next(publisher), parts{"\1A"});
  xsub.connect(at);
  xsub.subscribe("A");
  EXPECT_EQ(next(publisher), parts{"\1A"});
  send(publisher, {"A1"});
  EXPECT_EQ(to_parts(receive(sub)), parts{"A1"});
  EXPECT_EQ(to_parts(receive(xsub)), parts{"A1"});
  xsub.close();
  EXPECT_EQ(next(publisher), parts{"\0A"s});
  sub.unsubscribe("A");
  EXPECT_EQ(next(publisher), parts{"\0A"s});
}

TEST_F(xpub_xsub, each_connection_gets_each_topic_once) {
  xsub_socket subscriber{executor()};
  const auto at = subscriber.bind("tcp://127.0.0.1:*");
  raw_peer first{context()};
  first.connect(at);
  first.shake_hands("XPUB");
  first.start_reading();
  subscriber.subscribe("A");
  run_until([&] { return !first.traffic().empty(); });
  // A notice in the turn in which another peer connects: neither peer gets it twice.
  raw_peer second{context()};
  second.connect(at);
  second.shake_hands("PUB");
  second.start_reading();
  subscriber.subscribe("B");
  send(subscriber, {"\1B"});
  const auto a = framed_command("SUBSCRIBE", "A");
  const auto b = framed_command("SUBSCRIBE", "B");
  run_until([&] { return second.traffic().size() >= a.size() + b.size(); });
  send(subscriber, {"\0A"s});
  const auto all = a.size() + b.size() + framed_command("CANCEL", "A").size();
  run_until([&] { return first.traffic().size() >= all && second.traffic().size() >= all; });
  EXPECT_EQ(content_of(first.traffic()).commands, (parts{"\x09SUBSCRIBEA", "\x09SUBSCRIBEB",
                                                         "\x06"
                                                         "CANCELA"}));
  EXPECT_EQ(content_of(second.traffic()).commands, (parts{"\x09SUBSCRIBEA", "\x09SUBSCRIBEB",
                                                          "\x06"
                                                          "CANCELA"}));
}

// Z-8: the publisher goes and comes back at the same place.
TEST_F(xpub_xsub, a_socket_that_reconnects_subscribes_again) {
  auto publisher = std::make_unique<xpub_socket>(executor());
  socket_options options;
  options.reconnect.initial = std::chrono::milliseconds{1};
  options.reconnect.maximum = std::chrono::milliseconds{5};
  xsub_socket subscriber{executor(), options};
  const auto at = publisher->bind("tcp://127.0.0.1:*").to_string();
  subscriber.connect(at);
  send(subscriber, {"\1A"});
  send(subscriber, {"\1B"});
  send(subscriber, {"\0B"s});
  EXPECT_EQ(next(*publisher), parts{"\1A"});
  publisher->close(std::chrono::milliseconds{0});
  publisher = std::make_unique<xpub_socket>(executor());
  error_code ec;
  run_until([&] {
    publisher->bind(at, ec);
    return !ec;
  });
  EXPECT_EQ(next(*publisher), parts{"\1A"});
  send(*publisher, {"A"});
  EXPECT_EQ(to_parts(receive(subscriber)), parts{"A"});
}

// The publisher reads all earlier notices completely, although its user does not receive for a
// while.
TEST_F(xpub_xsub, a_user_that_does_not_receive_delays_subscriptions_and_loses_none) {
  constexpr int topics = 3'000;
  socket_options options;
  options.receive_mark.messages = 10;
  xpub_socket publisher{executor(), options};
  xsub_socket subscriber{executor()};
  join(publisher, subscriber);
  for (int n = 0; n < topics; ++n) {
    subscriber.subscribe(std::to_string(n));
  }
  run_ready();
  for (int n = 0; n < topics; ++n) {
    ASSERT_EQ(next(publisher), parts{"\1" + std::to_string(n)});
  }
}

TEST_F(xpub_xsub, a_topic_above_the_limit_is_an_error_in_either_form) {
  xsub_socket subscriber{executor()};
  error_code ec;
  subscriber.subscribe(std::string(1'025, 't'), ec);
  EXPECT_EQ(ec, errc::topic_too_long);
  EXPECT_EQ(subscriber.try_send(message{"\1" + std::string(1'025, 't')}), send_status::too_long);
  std::optional<error_code> end;
  subscriber.async_send(message{"\1" + std::string(1'025, 't')},
                        [&](error_code failure) { end = failure; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, make_error_code(errc::topic_too_long));
}

TEST_F(xpub_xsub, one_subscriber_can_be_sent_to_paused_and_disconnected) {
  xpub_socket publisher{executor(), with({}, true)};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  xsub_socket one{executor()};
  one.connect(at);
  EXPECT_EQ(next(publisher), parts{"attached"});
  const auto first = last_peer;
  xsub_socket other{executor()};
  other.connect(at);
  EXPECT_EQ(next(publisher), parts{"attached"});
  const auto second = last_peer;
  EXPECT_EQ(publisher.try_send(first, {"for one"}), send_status::queued);
  std::optional<error_code> end;
  publisher.async_send(second, {"for the other"}, [&](error_code ec) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_FALSE(*end);
  EXPECT_EQ(to_parts(receive(one)), parts{"for one"});
  EXPECT_EQ(to_parts(receive(other)), parts{"for the other"});

  publisher.pause(first);
  send(one, {"\1A"});
  send(other, {"\1B"});
  EXPECT_EQ(next(publisher), parts{"\1B"});
  publisher.resume(first);
  EXPECT_EQ(next(publisher), parts{"\1A"});

  publisher.disconnect(first);
  EXPECT_EQ(next(publisher), parts{"\0A"s});
  EXPECT_EQ(next(publisher), parts{"detached"});
  EXPECT_EQ(last_peer, first);
  EXPECT_EQ(publisher.try_send(first, {"too late"}), send_status::unknown);
}

TEST_F(xpub_xsub, manual_peers_get_the_topics_that_the_user_subscribes) {
  xpub_socket publisher{executor(), with({.manual = true})};
  xsub_socket subscriber{executor()};
  join(publisher, subscriber);
  send(subscriber, {"\1A"});
  EXPECT_EQ(next(publisher), parts{"\1A"});
  error_code ec = errc::bad_option;
  publisher.subscribe(last_peer, "X", ec);
  EXPECT_FALSE(ec);
  send(publisher, {"A"});
  send(publisher, {"X"});
  EXPECT_EQ(to_parts(receive(subscriber)), parts{"X"});
  publisher.cancel(last_peer, "X", ec);
  EXPECT_FALSE(ec);
  const auto before = publisher.counters().messages_sent;
  send(publisher, {"X"});
  EXPECT_EQ(publisher.counters().messages_sent, before);
  publisher.subscribe({}, "X", ec);
  EXPECT_EQ(ec, errc::host_unreachable);
  xpub_socket other{executor()};
  other.subscribe(last_peer, "X", ec);
  EXPECT_EQ(ec, errc::bad_option);
}

// CHP-2: a peer that expects a PUB sees one.
TEST_F(xpub_xsub, can_announce_itself_as_a_pub) {
  for (const auto as_pub : {false, true}) {
    xpub_socket publisher{executor(), with({.announce_as_pub = as_pub})};
    raw_peer theirs{context()};
    theirs.connect(publisher.bind("tcp://127.0.0.1:*"));
    theirs.shake_hands("SUB");
    theirs.start_reading();
    theirs.send(framed_command("SUBSCRIBE", "A") + framed({"hello", "there"}));
    EXPECT_EQ(next(publisher), parts{"\1A"});
    EXPECT_EQ(next(publisher), (parts{"hello", "there"}));
    const auto type = "Socket-Type"s + big_endian(as_pub ? 3 : 4, 4) + (as_pub ? "PUB" : "XPUB");
    run_until([&] { return theirs.received().find(type) != std::string::npos; });
  }
}

TEST_F(xpub_xsub, no_drop_waits_for_the_slowest) {
  socket_options options;
  options.no_drop = true;
  options.send_mark.messages = 5;
  xpub_socket publisher{executor(), options};
  sub_socket subscriber{executor()};
  subscriber.subscribe("");
  join(publisher, subscriber);
  EXPECT_EQ(next(publisher), parts{"\1"});
  constexpr int count = 500;
  message_batch batch;
  for (int n = 0; n < count; ++n) {
    batch.append(std::to_string(n));
  }
  std::optional<error_code> end;
  publisher.async_send(batch, [&](error_code ec, std::size_t) { end = ec; });
  for (int n = 0; n < count; ++n) {
    ASSERT_EQ(to_parts(receive(subscriber)), parts{std::to_string(n)});
  }
  run_until([&] { return end.has_value(); });
  EXPECT_FALSE(*end);
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
}

// The parts of a topic broker: subscriptions go one way, messages the other.
TEST_F(xpub_xsub, between_the_two_subscriptions_go_up_and_messages_down) {
  pub_socket source{executor()};
  xsub_socket above{executor()};
  xpub_socket below{executor()};
  join(source, above);
  std::vector<std::unique_ptr<sub_socket>> readers;
  const auto at = below.bind("tcp://127.0.0.1:*").to_string();
  for (const auto* topic : {"A", "A", "B"}) {
    readers.push_back(std::make_unique<sub_socket>(executor()));
    readers.back()->subscribe(topic);
    readers.back()->connect(at);
  }
  const auto pass_on = [&] {
    routed_message up;
    while (below.try_receive(up)) {
      send(above, std::move(up.content));
    }
    message down;
    while (above.try_receive(down)) {
      send(below, std::move(down));
    }
  };
  const auto wanted = [&](const std::string& topic) {
    const auto before = source.counters().messages_sent;
    send(source, {topic, "wanted?"});
    return source.counters().messages_sent != before;
  };
  const auto pass_until = [&](auto&& done) {
    run_until([&] {
      pass_on();
      return done();
    });
  };
  pass_until([&] { return wanted("A") && wanted("B"); });
  send(source, {"A", "end"});
  send(source, {"B", "end"});
  message m;
  for (auto& reader : readers) {
    do {
      pass_until([&] { return reader->try_receive(m); });
    } while (m[1] != "end");
  }
  readers[0].reset();
  readers[2].reset();
  pass_until([&] { return !wanted("B"); });
  EXPECT_TRUE(wanted("A")) << "one of the two is still there";
  readers[1].reset();
  pass_until([&] { return !wanted("A"); });
}

}  // namespace
}  // namespace zmtp::test
