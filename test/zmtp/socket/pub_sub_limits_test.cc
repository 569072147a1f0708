// Subscriptions above a limit are rejected and counted, and the connection stays open
// (reliability.md 1.4).

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp::test {
namespace {

class pub_sub_limits : public pub_sub_test {
protected:
  static socket_options limited(std::size_t subscriptions, std::size_t bytes) {
    socket_options options;
    options.limit.subscriptions = subscriptions;
    options.limit.subscription_bytes = bytes;
    return options;
  }
  // Waits until it is known to publish to this peer what begins so.
  void expect_to_get(pub_socket& ours, const raw_peer& theirs, const std::string& first) {
    run_until([&] {
      send(ours, {first});
      return theirs.traffic().find(framed({first})) != std::string::npos;
    });
    EXPECT_FALSE(theirs.ended());
  }
  static std::uint64_t refused(const pub_socket& ours) {
    return ours.counters().refused_subscriptions;
  }
};

TEST_F(pub_sub_limits, a_subscriber_over_its_number_keeps_its_topics) {
  pub_socket ours{executor(), limited(3, 1'000)};
  sub_socket theirs{executor()};
  join(ours, theirs);
  for (const auto* topic : {"A", "B", "C", "D", "E"}) {
    theirs.subscribe(topic);
  }
  run_until([&] { return refused(ours) == 2; });
  // The subscriber has three of the five topics, in an order of its own.
  const auto before = ours.counters().messages_sent;
  for (const auto* first : {"A", "B", "C", "D", "E"}) {
    send(ours, {first});
  }
  EXPECT_EQ(ours.counters().messages_sent - before, 3U);
  EXPECT_EQ(receive(theirs, 3).size(), 3U);
  EXPECT_EQ(refused(ours), 2U);
}

TEST_F(pub_sub_limits, a_subscriber_over_its_byte_limit_keeps_its_topics) {
  pub_socket ours{executor(), limited(100, 20)};
  raw_peer theirs{context()};
  theirs.connect(ours.bind("tcp://127.0.0.1:*"));
  theirs.shake_hands("SUB");
  theirs.send(framed_command("SUBSCRIBE", "first topic") +
              framed_command("SUBSCRIBE", "far too long") + framed_command("SUBSCRIBE", "second"));
  theirs.start_reading();
  expect_to_get(ours, theirs, "second");
  expect_to_get(ours, theirs, "first topic");
  EXPECT_EQ(refused(ours), 1U);
  EXPECT_EQ(theirs.traffic().find("far"), std::string::npos);
}

TEST_F(pub_sub_limits, a_topic_that_is_too_long_is_counted_like_the_others) {
  pub_socket ours{executor()};
  raw_peer theirs{context()};
  theirs.connect(ours.bind("tcp://127.0.0.1:*"));
  theirs.shake_hands("SUB");
  const std::string too_long(1'025, 't');
  theirs.send(framed_command("SUBSCRIBE", too_long) + framed({"\1" + too_long}) +
              framed_command("SUBSCRIBE", "A"));
  theirs.start_reading();
  expect_to_get(ours, theirs, "A");
  EXPECT_EQ(refused(ours), 2U) << "counted where the user can see it";
}

TEST_F(pub_sub_limits, the_default_is_a_hundred_thousand_and_others_are_served_meanwhile) {
  constexpr int allowed = 100'000;
  pub_socket ours{executor()};
  const auto at = ours.bind("tcp://127.0.0.1:*");
  sub_socket good{executor()};
  good.subscribe("good");
  good.connect(at.to_string());
  agree(ours, good);
  raw_peer greedy{context()};
  greedy.connect(at);
  greedy.shake_hands("SUB");
  std::string flood;
  for (int n = 0; n < allowed + 500; ++n) {
    flood += framed_command("SUBSCRIBE", "topic/" + std::to_string(n));
  }
  greedy.send(flood);
  int served = 0;
  run_until([&] {
    send(ours, {"good"});
    message m;
    while (good.try_receive(m)) {
      ++served;
    }
    return refused(ours) == 500;
  });
  EXPECT_GT(served, 0);
  send(ours, {"good"});
  EXPECT_EQ(receive(good).front(), "good");
  const auto before = ours.counters().messages_sent;
  send(ours, {"topic/" + std::to_string(allowed - 1)});
  EXPECT_EQ(ours.counters().messages_sent, before + 1);
}

}  // namespace
}  // namespace zmtp::test
