// Our XPUB and XSUB with libzmq's SUB, XSUB, PUB and XPUB: the messages that the user of each side receives
// (protocols A5, Z-7, Z-8).

#include "test/interop/two_sides.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using asio::use_awaitable;
using notices = xpub_options::notices;

socket_options with(xpub_options what, bool announce = false) {
  socket_options options;
  options.xpub = std::move(what);
  options.announce_peers = announce;
  return options;
}

class xpub_xsub : public testing::TestWithParam<binder> {
protected:
  asio::awaitable<void> expect(xpub_socket& ours, std::vector<parts> expected) {
    for (const auto& each : expected) {
      const routed_message m = co_await ours.async_receive(use_awaitable);
      last_peer = m.peer;
      EXPECT_EQ(to_parts(m.content), each);
    }
  }
  // If libzmq's side binds, its messages before our connection are dropped, or not repeated.
  static asio::awaitable<void> announce(xpub_socket& ours) {
    const routed_message arrival = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(arrival.what, routed_message::kind::attached);
    EXPECT_EQ(ours.try_send(arrival.peer, {"we are here"}), send_status::queued);
  }
  static asio::awaitable<void> expect(xsub_socket& ours, std::vector<parts> expected) {
    for (const auto& each : expected) {
      const message m = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(to_parts(m), each);
    }
  }
  template <class Socket>
  static void send(Socket& ours, message m) {
    EXPECT_EQ(ours.try_send(std::move(m)), send_status::queued);
  }

  two_sides sides;
  peer_id last_peer;
};

INSTANTIATE_TEST_SUITE_P(both_ways, xpub_xsub, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

TEST_P(xpub_xsub, our_xpub_receives_subscriptions_of_their_xsub_and_serves_it) {
  xpub_socket ours{sides.executor(), with({}, true)};
  libzmq::socket theirs{sides.theirs(), ZMQ_XSUB};
  join(GetParam(), ours, theirs);
  const auto ask = [&] {
    EXPECT_EQ(theirs.receive(), parts{"we are here"});
    theirs.send({"\1A"});
    theirs.send({"hello", "\1B"});
    theirs.send({""});
    theirs.send({"\1B"});
    EXPECT_EQ(theirs.receive(), (parts{"A", "for all"}));
    EXPECT_EQ(theirs.receive(), (parts{"whatever", "for one"}));
    theirs.send({"\0A"s});
    EXPECT_EQ(theirs.receive(), parts{"B"});
    theirs.close();
  };
  const auto serve = [&]() -> asio::awaitable<void> {
    co_await announce(ours);
    const std::vector<parts> heard_1{{"\1A"}, {"hello", "\1B"}, {""}, {"\1B"}};
    co_await expect(ours, heard_1);
    send(ours, {"A", "for all"});
    message one{"whatever", "for one"};
    co_await ours.async_send(last_peer, std::move(one), use_awaitable);
    const std::vector<parts> heard_2{{"\0A"s}};
    co_await expect(ours, heard_2);
    send(ours, {"A", "not any more"});
    send(ours, {"B"});
    const std::vector<parts> heard_3{{"\0B"s}};
    co_await expect(ours, heard_3);
  };
  sides.run(serve, ask);
}

TEST_P(xpub_xsub, our_xpub_receives_subscriptions_of_their_sub) {
  xpub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  theirs.set(ZMQ_SUBSCRIBE, "A");
  join(GetParam(), ours, theirs);
  const auto serve = [&]() -> asio::awaitable<void> {
    const std::vector<parts> heard_4{{"\1A"}};
    co_await expect(ours, heard_4);
    send(ours, {"A"});
    const std::vector<parts> heard_5{{"\0A"s}};
    co_await expect(ours, heard_5);
  };
  sides.run(serve, [&] {
    EXPECT_EQ(theirs.receive(), parts{"A"});
    theirs.set(ZMQ_UNSUBSCRIBE, "A");
  });
}

TEST_P(xpub_xsub, our_verbose_xpub_receives_repeated_subscriptions_of_their_xsub) {
  for (const auto notified : {notices::changes, notices::subscriptions, notices::all}) {
    xpub_socket ours{sides.executor(), with({.notifications = notified}, true)};
    libzmq::socket theirs{sides.theirs(), ZMQ_XSUB};
    join(GetParam(), ours, theirs);
    std::vector<parts> expected{{"\1A"}};
    if (notified != notices::changes) {
      expected.push_back({"\1A"});
    }
    expected.push_back({"\0A"s});
    expected.push_back({"\1end"});
    const auto listen = [&]() -> asio::awaitable<void> {
      co_await announce(ours);
      co_await expect(ours, expected);
    };
    sides.run(listen, [&] {
      EXPECT_EQ(theirs.receive(), parts{"we are here"});
      theirs.send({"\1A"});
      theirs.send({"\1A"});
      theirs.send({"\0A"s});
      theirs.send({"\0A"s});
      theirs.send({"\1end"});
    });
  }
}

TEST_P(xpub_xsub, our_manual_xpub_sends_their_xsub_the_chosen_topics) {
  xpub_socket ours{sides.executor(), with({.manual = true})};
  libzmq::socket theirs{sides.theirs(), ZMQ_XSUB};
  join(GetParam(), ours, theirs);
  const auto serve = [&]() -> asio::awaitable<void> {
    const std::vector<parts> heard_6{{"\1A"}};
    co_await expect(ours, heard_6);
    error_code ec;
    ours.subscribe(last_peer, "X", ec);
    EXPECT_FALSE(ec);
    send(ours, {"A"});
    send(ours, {"X"});
  };
  sides.run(serve, [&] {
    static_cast<void>(theirs.wait_for(ZMQ_POLLOUT));
    theirs.send({"\1A"});
    EXPECT_EQ(theirs.receive(), parts{"X"});
  });
}

TEST_P(xpub_xsub, their_sub_gets_our_welcome_and_last_values) {
  xpub_options what;
  what.welcome = {"A welcome"};
  what.last_values.emplace();
  what.announce_as_pub = true;
  xpub_socket ours{sides.executor(), with(std::move(what))};
  EXPECT_EQ(ours.try_send({"A1", "old"}), send_status::queued);
  EXPECT_EQ(ours.try_send({"A1", "new"}), send_status::queued);
  EXPECT_EQ(ours.try_send({"B", "not wanted"}), send_status::queued);
  EXPECT_EQ(ours.try_send({"A2", "x"}), send_status::queued);
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  theirs.set(ZMQ_SUBSCRIBE, "A");
  join(GetParam(), ours, theirs);
  sides.run_theirs([&] {
    EXPECT_EQ(theirs.receive(), parts{"A welcome"});
    EXPECT_EQ(theirs.receive(), (parts{"A1", "new"}));
    EXPECT_EQ(theirs.receive(), (parts{"A2", "x"}));
  });
}

TEST_P(xpub_xsub, their_xpub_receives_subscriptions_of_our_xsub_and_serves_it) {
  xsub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  theirs.set(ZMQ_XPUB_VERBOSER, 1);
  join(GetParam(), ours, theirs);
  ours.subscribe("A");
  const auto ask = [&]() -> asio::awaitable<void> {
    const std::vector<parts> heard_7{{"A", "first"}, {"A", "", std::string(70'000, 'x')}};
    co_await expect(ours, heard_7);
    send(ours, {"\1A"});
    send(ours, {"\0A"s});
    send(ours, {"\0A"s});
    send(ours, {"\1end"});
    send(ours, {"hello", "\1B"});
  };
  sides.run(ask, [&] {
    EXPECT_EQ(theirs.receive(), parts{"\1A"});
    theirs.send({"A", "first"});
    theirs.send({"B", "not wanted"});
    theirs.send({"A", "", std::string(70'000, 'x')});
    EXPECT_EQ(theirs.receive(), parts{"\0A"s}) << "each topic is sent once";
    EXPECT_EQ(theirs.receive(), parts{"\1end"});
    EXPECT_EQ(theirs.receive(), (parts{"hello", "\1B"}));
  });
}

TEST_P(xpub_xsub, their_pub_serves_our_xsub) {
  xsub_socket ours{sides.executor()};
  ours.subscribe("A");
  libzmq::socket theirs{sides.theirs(), ZMQ_PUB};
  join(GetParam(), ours, theirs);
  bool received = false;
  const auto listen = [&]() -> asio::awaitable<void> {
    const message m = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(m.front(), "A");
    received = true;
  };
  // A PUB does not report a subscription.
  std::atomic<bool> over{false};
  sides.run(
      [&]() -> asio::awaitable<void> {
        co_await listen();
        over = true;
      },
      [&] {
        while (!over) {
          theirs.send({"A"});
          std::this_thread::yield();
        }
      });
  EXPECT_TRUE(received);
}

// A broker of topics between their publishers and their subscribers: subscriptions up, messages down.
TEST_P(xpub_xsub, ours_stand_between_their_publisher_and_their_subscribers) {
  xsub_socket above{sides.executor()};
  xpub_socket below{sides.executor()};
  libzmq::socket source{sides.theirs(), ZMQ_XPUB};
  libzmq::socket one{sides.theirs(), ZMQ_SUB};
  libzmq::socket other{sides.theirs(), ZMQ_SUB};
  join(GetParam(), above, source);
  const auto at = below.bind("tcp://127.0.0.1:*").to_string();
  one.set(ZMQ_SUBSCRIBE, "A");
  other.set(ZMQ_SUBSCRIBE, "A");
  one.connect(at);
  other.connect(at);

  std::function<void()> up = [&] {
    below.async_receive([&](error_code ec, routed_message m) {
      if (!ec) {
        EXPECT_EQ(above.try_send(std::move(m.content)), send_status::queued);
        up();
      }
    });
  };
  std::function<void()> down = [&] {
    above.async_receive([&](error_code ec, message m) {
      if (!ec) {
        EXPECT_EQ(below.try_send(std::move(m)), send_status::queued);
        down();
      }
    });
  };
  up();
  down();
  sides.run_theirs([&] {
    EXPECT_EQ(source.receive(), parts{"\1A"}) << "once for both";
    // The second may come a moment later than the first.
    std::optional<parts> m;
    while (!m) {
      source.send({"A", "probe"});
      m = other.receive_within(10ms);
    }
    source.send({"A", "end"});
    while (one.receive() != parts{"A", "end"}) {
    }
    while (other.receive() != parts{"A", "end"}) {
    }
    one.close();
    EXPECT_EQ(source.receive_within(100ms), std::nullopt);
    other.close();
    EXPECT_EQ(source.receive(), parts{"\0A"s});
  });
  below.close();
  above.close();
}

}  // namespace
}  // namespace zmtp::test
