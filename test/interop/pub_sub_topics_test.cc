// Subscriptions between our sockets and libzmq's: of all sizes, repeated, cancelled, in churn, and resent after
// a reconnect (protocols A5, C2-1, Z-7, Z-8).

#include "test/interop/two_sides.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using asio::use_awaitable;

// No topic is a prefix of another, except the empty one. libzmq's SUB does not filter messages that begin with
// the byte 1, so no topic does.
const std::vector<std::string>& topics() {
  static const auto all = [] {
    std::vector<std::string> list{"", "A", "\0"s, "\2"s, std::string(1'024, 'z')};
    // libzmq 4.3.4 writes SUBSCRIBE of a topic of 246 to 255 bytes, and CANCEL of 249 to 255, with a size of
    // eight bytes but without the flag for it. Even libzmq's own PUB does not understand these commands.
    for (std::size_t size = 244; size <= 257; ++size) {
      list.emplace_back(size, static_cast<char>('a' + size - 244));
    }
    return list;
  }();
  return all;
}

class pub_sub_topics : public testing::TestWithParam<binder> {
protected:
  static asio::awaitable<void> publish(pub_socket& ours, std::string first) {
    message m{first};
    co_await ours.async_send(std::move(m), use_awaitable);
  }
  // Publishes until a peer subscribes to this prefix, or until no peer does.
  static asio::awaitable<void> publish_until(pub_socket& ours, std::string first, bool wanted) {
    const auto executor = ours.get_executor();
    for (bool taken = !wanted; taken != wanted;) {
      const auto before = ours.counters().messages_sent;
      std::string again = first;
      co_await publish(ours, std::move(again));
      taken = ours.counters().messages_sent != before;
      co_await asio::post(executor, use_awaitable);
    }
  }
  static asio::awaitable<void> expect_nobody_wants(pub_socket& ours, std::string first) {
    const auto before = ours.counters().messages_sent;
    co_await publish(ours, std::move(first));
    EXPECT_EQ(ours.counters().messages_sent, before);
  }

  two_sides sides;
};

INSTANTIATE_TEST_SUITE_P(both_ways, pub_sub_topics, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

TEST_P(pub_sub_topics, their_xpub_sees_ours_of_all_sizes) {  // Z-7
  sub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  join(GetParam(), ours, theirs);
  ours.subscribe("start");
  sides.run_theirs([&] { EXPECT_EQ(theirs.receive(), parts{"\1start"}); });
  for (const auto& topic : topics()) {
    ours.subscribe(topic);
    sides.run_theirs([&] { EXPECT_EQ(theirs.receive(), parts{"\1" + topic}); });
  }
  for (const auto& topic : topics()) {
    ours.unsubscribe(topic);
    sides.run_theirs([&] { EXPECT_EQ(theirs.receive(), parts{"\0"s + topic}); });
  }
}

// ZMQ_XPUB_VERBOSER shows each that comes.
TEST_P(pub_sub_topics, their_xpub_sees_the_first_and_the_last_of_ours_alone) {
  sub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  theirs.set(ZMQ_XPUB_VERBOSER, 1);
  join(GetParam(), ours, theirs);
  ours.subscribe("start");
  sides.run_theirs([&] { EXPECT_EQ(theirs.receive(), parts{"\1start"}); });
  for (int i = 0; i < 3; ++i) {
    ours.subscribe("A");
  }
  for (int i = 0; i < 5; ++i) {
    ours.unsubscribe("A");
  }
  ours.unsubscribe("never");
  ours.subscribe("end");
  sides.run_theirs([&] {
    EXPECT_EQ(theirs.receive(), parts{"\1A"});
    EXPECT_EQ(theirs.receive(), parts{"\0A"s});
    EXPECT_EQ(theirs.receive(), parts{"\1end"});
  });
}

TEST_P(pub_sub_topics, their_xpub_sees_each_of_our_churn_in_order) {
  constexpr int count = 5'000;
  // All changes of one handler are sent up to a thousand of them.
  constexpr int at_once = 500;
  sub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  theirs.set(ZMQ_XPUB_VERBOSER, 1);
  // Notifications to its user count against its mark.
  theirs.set(ZMQ_RCVHWM, 0);
  join(GetParam(), ours, theirs);
  ours.subscribe("start");
  sides.run_theirs([&] { EXPECT_EQ(theirs.receive(), parts{"\1start"}); });
  for (int first = 0; first < count; first += at_once) {
    for (int n = first; n < first + at_once; ++n) {
      ours.subscribe("topic " + std::to_string(n));
      ours.unsubscribe("topic " + std::to_string(n));
    }
    sides.run_theirs([&] {
      for (int n = first; n < first + at_once; ++n) {
        ASSERT_EQ(theirs.receive(), parts{"\1topic " + std::to_string(n)});
        ASSERT_EQ(theirs.receive(), parts{"\0topic "s + std::to_string(n)});
      }
    });
  }
}

// Where it connects it keeps our subscriptions until we are back.
class pub_sub_topics_they_accept : public pub_sub_topics {};
INSTANTIATE_TEST_SUITE_P(binders, pub_sub_topics_they_accept, testing::Values(binder::theirs));

TEST_P(pub_sub_topics_they_accept, their_xpub_sees_our_disconnect) {
  auto ours = std::make_unique<sub_socket>(sides.executor());
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  join(GetParam(), *ours, theirs);
  ours->subscribe("A");
  sides.run_theirs([&] { EXPECT_EQ(theirs.receive(), parts{"\1A"}); });
  ours.reset();
  sides.run_theirs([&] { EXPECT_EQ(theirs.receive(), parts{"\0A"s}); });
}

TEST_P(pub_sub_topics, our_pub_understands_theirs_of_all_sizes) {  // Z-7
  pub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  join(GetParam(), ours, theirs);
  for (const auto& topic : topics()) {
    sides.run([&] { return publish_until(ours, topic + "!", true); },
              [&] {
                theirs.set(ZMQ_SUBSCRIBE, topic);
                EXPECT_EQ(theirs.receive(), parts{topic + "!"}) << topic.size();
              });
    sides.run([&] { return publish_until(ours, topic + "!", false); },
              [&] { theirs.set(ZMQ_UNSUBSCRIBE, topic); });
  }
  EXPECT_EQ(ours.counters().ended, socket_counters{}.ended);
}

// libzmq's SUB sends SUBSCRIBE each time and CANCEL once.
TEST_P(pub_sub_topics, our_pub_keeps_a_set_as_theirs_expects) {  // Z-7
  pub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  join(GetParam(), ours, theirs);
  const auto serve = [&]() -> asio::awaitable<void> {
    co_await publish_until(ours, "first", true);
    co_await publish_until(ours, "A", true);
    co_await publish_until(ours, "second", true);
    co_await expect_nobody_wants(ours, "A");
    co_await publish_until(ours, "third", true);
  };
  sides.run(serve, [&] {
    for (int i = 0; i < 3; ++i) {
      theirs.set(ZMQ_SUBSCRIBE, "A");
    }
    theirs.set(ZMQ_SUBSCRIBE, "first");
    EXPECT_EQ(theirs.receive(), parts{"first"});
    EXPECT_EQ(theirs.receive(), parts{"A"});
    for (int i = 0; i < 3; ++i) {
      theirs.set(ZMQ_UNSUBSCRIBE, "A");
    }
    theirs.set(ZMQ_SUBSCRIBE, "second");
    EXPECT_EQ(theirs.receive(), parts{"second"});
    theirs.set(ZMQ_SUBSCRIBE, "third");
    EXPECT_EQ(theirs.receive(), parts{"third"});
  });
}

TEST_P(pub_sub_topics, our_pub_is_not_confused_by_their_churn) {
  constexpr int count = 10'000;
  pub_socket ours{sides.executor()};
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  theirs.set(ZMQ_SNDHWM, 0);
  join(GetParam(), ours, theirs);
  const auto serve = [&]() -> asio::awaitable<void> {
    co_await publish_until(ours, "start", true);
    co_await publish_until(ours, "end", true);
    for (int n = 0; n < 50; ++n) {
      std::string topic = "topic " + std::to_string(n) + "!";
      if (n % 2 == 0) {
        co_await expect_nobody_wants(ours, std::move(topic));
      } else {
        co_await publish(ours, std::move(topic));
      }
    }
  };
  sides.run(serve, [&] {
    theirs.set(ZMQ_SUBSCRIBE, "start");
    EXPECT_EQ(theirs.receive(), parts{"start"});
    for (int n = 0; n < count; ++n) {
      const auto topic = "topic " + std::to_string(n % 50) + "!";
      theirs.set(ZMQ_SUBSCRIBE, topic);
      theirs.set(ZMQ_UNSUBSCRIBE, topic);
    }
    for (int n = 1; n < 50; n += 2) {
      theirs.set(ZMQ_SUBSCRIBE, "topic " + std::to_string(n) + "!");
    }
    theirs.set(ZMQ_SUBSCRIBE, "end");
    EXPECT_EQ(theirs.receive(), parts{"end"});
    for (int n = 1; n < 50; n += 2) {
      EXPECT_EQ(theirs.receive(), parts{"topic " + std::to_string(n) + "!"});
    }
  });
  EXPECT_EQ(ours.counters().refused_subscriptions, 0U);
}

class pub_sub_restart : public pub_sub_topics {
protected:
  static socket_options impatient() {
    socket_options options;
    options.reconnect = {.initial = 10ms, .maximum = 50ms};
    return options;
  }
  std::unique_ptr<libzmq::socket> their(int type, const std::string& at) {
    auto theirs = std::make_unique<libzmq::socket>(sides.theirs(), type);
    theirs->bind(at);
    return theirs;
  }
  // Closes the socket so that another can bind where it was.
  void evict(std::unique_ptr<libzmq::socket> theirs, const std::string& at) {
    libzmq::monitor events{sides.theirs(), *theirs};
    ASSERT_EQ(zmq_unbind(theirs->handle(), at.c_str()), 0);
    events.wait(ZMQ_EVENT_CLOSED);
  }

  reserved_endpoint vacant{sides.ours(), medium::tcp};
};

TEST_F(pub_sub_restart, our_subscriptions_are_resent_to_their_publisher) {  // Z-8
  const auto at = vacant.to_string();
  sub_socket ours{sides.executor(), impatient()};
  ours.connect(at);
  for (const auto* topic : {"A", "B", "C"}) {
    ours.subscribe(topic);
    ours.subscribe(topic);
  }
  for (int round = 0; round < 3; ++round) {
    auto theirs = their(ZMQ_XPUB, at);
    const auto listen = [&]() -> asio::awaitable<void> {
      for (const auto* first : {"A", "B", "C"}) {
        const message m = co_await ours.async_receive(use_awaitable);
        EXPECT_EQ(to_parts(m), (parts{first, std::to_string(round)}));
      }
    };
    sides.run(listen, [&] {
      std::multiset<parts> notified;
      for (int i = 0; i < 3; ++i) {
        notified.insert(theirs->receive());
      }
      EXPECT_EQ(notified, (std::multiset<parts>{{"\1A"}, {"\1B"}, {"\1C"}}));
      for (const auto* first : {"A", "D", "B", "C"}) {
        theirs->send({first, std::to_string(round)});
      }
    });
    evict(std::move(theirs), at);
  }
}

TEST_F(pub_sub_restart, their_subscriptions_are_resent_to_our_publisher) {  // Z-8
  const auto at = vacant.to_string();
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  theirs.set(ZMQ_SUBSCRIBE, "A");
  theirs.set(ZMQ_RECONNECT_IVL, 10);
  theirs.connect(at);
  for (int round = 0; round < 3; ++round) {
    pub_socket ours{sides.executor()};
    ours.bind(at);
    const auto text = "A" + std::to_string(round);
    sides.run([&] { return publish_until(ours, text, true); },
              [&] { EXPECT_EQ(theirs.receive(), parts{text}); });
    ours.close(0ms);
  }
}

TEST_F(pub_sub_restart, their_subscriptions_are_resent_to_our_connecting_publisher) {
  const auto at = vacant.to_string();
  pub_socket ours{sides.executor(), impatient()};
  ours.connect(at);
  for (int round = 0; round < 3; ++round) {
    auto theirs = their(ZMQ_SUB, at);
    theirs->set(ZMQ_SUBSCRIBE, "A");
    const auto text = "A" + std::to_string(round);
    sides.run([&] { return publish_until(ours, text, true); },
              [&] {
                // Messages that were queued for the last peer are for this one (A8: the queue belongs to the
                // endpoint).
                parts m;
                do {
                  m = theirs->receive();
                } while (m < parts{text});
                EXPECT_EQ(m, parts{text});
              });
    evict(std::move(theirs), at);
    // The subscription of the peer ends with its connection.
    sides.run_ours([&] { return publish_until(ours, text, false); });
  }
}

TEST_F(pub_sub_restart, our_subscriptions_are_resent_to_their_connecting_publisher) {
  const auto at = vacant.to_string();
  libzmq::socket theirs{sides.theirs(), ZMQ_XPUB};
  // libzmq's XPUB keeps the subscriptions of the last peer, and reports those of this peer only with VERBOSE.
  theirs.set(ZMQ_XPUB_VERBOSE, 1);
  theirs.set(ZMQ_RECONNECT_IVL, 10);
  theirs.connect(at);
  for (int round = 0; round < 3; ++round) {
    sub_socket ours{sides.executor()};
    ours.subscribe("A");
    ours.bind(at);
    const auto listen = [&]() -> asio::awaitable<void> {
      const message m = co_await ours.async_receive(use_awaitable);
      EXPECT_EQ(to_parts(m), (parts{"A", std::to_string(round)}));
    };
    sides.run(listen, [&] {
      EXPECT_EQ(theirs.receive(), parts{"\1A"});
      theirs.send({"A", std::to_string(round)});
    });
    ours.close(0ms);
  }
}

}  // namespace
}  // namespace zmtp::test
