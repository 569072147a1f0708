// The wire format of PUB and SUB, with raw peers (protocols A5, Z-6, Z-7).

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::string_literals;

const std::vector<std::string>& topics() {
  static const std::vector<std::string> all{
      "",
      "A",
      "\0"s,
      std::string(244, 'k'),  // both sides of the command's short form
      std::string(245, 'l'),  //
      std::string(246, 'm'),
      std::string(254, 'a'),
      std::string(255, 'b'),
      std::string(256, 'c'),
      std::string(1'024, 'd')};
  return all;
}

std::string subscribe_message(std::string_view topic) {
  return framed({"\1" + std::string{topic}});
}
std::string cancel_message(std::string_view topic) { return framed({"\0"s + std::string{topic}}); }
std::string subscribe_command(std::string_view topic) { return framed_command("SUBSCRIBE", topic); }
std::string cancel_command(std::string_view topic) { return framed_command("CANCEL", topic); }

// The parameter is the peer's minor version, which selects the form of the subscriptions.
class our_sub : public pub_sub_test, public testing::WithParamInterface<unsigned> {
protected:
  [[nodiscard]] std::string subscribing(std::string_view topic) const {
    return GetParam() == 0 ? subscribe_message(topic) : subscribe_command(topic);
  }
  [[nodiscard]] std::string cancelling(std::string_view topic) const {
    return GetParam() == 0 ? cancel_message(topic) : cancel_command(topic);
  }
  void meet(raw_peer& theirs) {
    theirs.send(greeting_of(3, GetParam()) + ready_of("PUB"));
    theirs.start_reading();
  }
  void expect_traffic(const raw_peer& from, const std::string& expected) {
    run_until([&] { return from.traffic().size() >= expected.size(); });
    run_ready();
    EXPECT_TRUE(from.traffic() == expected)
        << testing::PrintToString(from.traffic().substr(0, 100));
  }

  sub_socket ours{executor()};
};

INSTANTIATE_TEST_SUITE_P(minor, our_sub, testing::Values(0U, 1U, 2U));

TEST_P(our_sub, sends_topics_in_the_form_of_the_peers_version) {
  raw_peer theirs{context()};
  theirs.connect(ours.bind("tcp://127.0.0.1:*"));
  meet(theirs);
  ours.subscribe("first");
  expect_traffic(theirs, subscribing("first"));
  auto expected = subscribing("first");
  for (const auto& topic : topics()) {
    ours.subscribe(topic);
    expected += subscribing(topic);
  }
  for (const auto& topic : topics()) {
    ours.unsubscribe(topic);
    expected += cancelling(topic);
  }
  expect_traffic(theirs, expected);
}

TEST_P(our_sub, sends_each_topic_once_to_a_new_publisher) {
  std::size_t bytes = 0;
  for (const auto& topic : topics()) {
    ours.subscribe(topic);
    ours.subscribe(topic);
    bytes += subscribing(topic).size();
  }
  ours.subscribe("given up");
  ours.unsubscribe("given up");
  raw_listener listener{context()};
  raw_peer first{context()};
  raw_peer second{context()};
  for (auto* theirs : {&first, &second}) {
    listener.start_accepting(*theirs);
    if (theirs == &first) {
      ours.connect(listener.endpoint());
    } else {
      first.close();
    }
    run_until([&] { return listener.accepted(); });
    meet(*theirs);
    run_until([&] { return theirs->traffic().size() >= bytes; });
    run_ready();
    // In no order.
    auto rest = theirs->traffic();
    EXPECT_EQ(rest.size(), bytes);
    for (const auto& topic : topics()) {
      EXPECT_NE(rest.find(subscribing(topic)), std::string::npos) << topic.size();
    }
  }
}

TEST_P(our_sub, sends_only_the_first_and_the_last_of_a_topic) {
  raw_peer theirs{context()};
  theirs.connect(ours.bind("tcp://127.0.0.1:*"));
  meet(theirs);
  for (int i = 0; i < 3; ++i) {
    ours.subscribe("A");
  }
  for (int i = 0; i < 5; ++i) {
    ours.unsubscribe("A");
  }
  ours.unsubscribe("never");
  ours.subscribe("A");
  // Before the end of the handshake, no topic is sent twice either.
  run_until([&] { return theirs.traffic().find(subscribing("A")) != std::string::npos; });
  run_ready();
  const auto so_far = theirs.traffic();
  EXPECT_TRUE(so_far == subscribing("A") ||
              so_far == subscribing("A") + cancelling("A") + subscribing("A"));
  ours.subscribe("A");
  ours.unsubscribe("A");
  ours.unsubscribe("A");
  ours.subscribe("end");
  expect_traffic(theirs, so_far + cancelling("A") + subscribing("end"));
}

// Z-6: nothing before the peer's READY.
TEST_P(our_sub, sends_nothing_before_the_peer_is_ready) {
  ours.subscribe("A");
  raw_listener listener{context()};
  raw_peer theirs{context()};
  listener.start_accepting(theirs);
  ours.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  theirs.send(greeting_of(3, GetParam()));
  theirs.start_reading();
  run_until([&] { return theirs.received().find("READY") != std::string::npos; });
  ours.subscribe("B");
  run_ready();
  EXPECT_EQ(theirs.received().find("SUBSCRIBE"), std::string::npos);
  EXPECT_EQ(theirs.traffic(), "");
  theirs.send(ready_of("PUB"));
  run_until(
      [&] { return theirs.traffic().size() >= subscribing("A").size() + subscribing("B").size(); });
}

TEST_P(our_sub, receives_messages_that_arrive_with_the_peers_ready) {
  ours.subscribe("A");
  raw_peer theirs{context()};
  theirs.connect(ours.bind("tcp://127.0.0.1:*"));
  theirs.send(greeting_of(3, GetParam()) + ready_of("PUB") + framed({"B"}) + framed({"A", "1"}) +
              framed({"A", std::string(70'000, 'x')}));
  EXPECT_EQ(to_parts(receive(ours)), (parts{"A", "1"}));
  EXPECT_EQ(to_parts(receive(ours)), (parts{"A", std::string(70'000, 'x')}));
}

class our_pub : public pub_sub_test, public testing::WithParamInterface<unsigned> {
protected:
  our_pub() { at_ = ours.bind("tcp://127.0.0.1:*"); }

  // Sends `text`, and waits until all of it is known.
  void say(raw_peer& theirs, std::string text) {
    const auto end = "known " + std::to_string(++said_);
    theirs.send(text + subscribe_command(end));
    const auto before = ours.counters().messages_sent;
    run_until([&] {
      send(ours, {end});
      return ours.counters().messages_sent != before;
    });
  }
  void meet(raw_peer& theirs) {
    theirs.connect(at_);
    theirs.send(greeting_of(3, GetParam()) + ready_of("SUB"));
    theirs.start_reading();
  }
  // Returns the messages since the last call, without those that say() sent.
  std::vector<parts> received(const raw_peer& theirs, std::size_t count) {
    const auto all = [&] {
      auto messages = content_of(theirs.traffic()).messages;
      std::erase_if(messages, [](const parts& m) { return m.front().starts_with("known "); });
      return messages;
    };
    run_until([&] { return all().size() >= count; });
    run_ready();
    return all();
  }

  pub_socket ours{executor()};
  endpoint at_;

private:
  int said_ = 0;
};

INSTANTIATE_TEST_SUITE_P(minor, our_pub, testing::Values(0U, 1U));

using messages = std::vector<parts>;

TEST_P(our_pub, accepts_commands_and_messages) {
  for (const auto& topic : topics()) {
    if (topic.empty()) {
      continue;
    }
    raw_peer theirs{context()};
    meet(theirs);
    say(theirs, subscribe_command(topic));
    send(ours, {topic, "1"});
    say(theirs, cancel_command(topic));
    send(ours, {topic, "2"});
    say(theirs, subscribe_message(topic));
    send(ours, {topic, "3"});
    say(theirs, cancel_message(topic));
    send(ours, {topic, "4"});
    // One form gives up what the other asked for.
    say(theirs, subscribe_command(topic) + cancel_message(topic));
    send(ours, {topic, "5"});
    say(theirs, subscribe_message(topic) + cancel_command(topic));
    send(ours, {topic, "6"});
    EXPECT_TRUE(received(theirs, 2) == (messages{{topic, "1"}, {topic, "3"}})) << topic.size();
  }
}

TEST_P(our_pub, the_empty_topic_is_all_messages) {
  for (const bool by_command : {false, true}) {
    raw_peer theirs{context()};
    meet(theirs);
    say(theirs, by_command ? subscribe_command("") : subscribe_message(""));
    send(ours, {"", "1"});
    send(ours, {"anything"});
    EXPECT_EQ(received(theirs, 2), (messages{{"", "1"}, {"anything"}}));
    theirs.send(by_command ? cancel_command("") : cancel_message(""));
    run_until([&] {
      const auto before = ours.counters().messages_sent;
      send(ours, {"known to be of no interest"});
      return ours.counters().messages_sent == before;
    });
    send(ours, {"nothing more"});
    EXPECT_EQ(received(theirs, 2).size(), 2U);
  }
}

// C2-1: what libzmq's SUB relies on.
TEST_P(our_pub, one_cancel_ends_two_equal_subscriptions) {
  raw_peer theirs{context()};
  meet(theirs);
  say(theirs, subscribe_command("A") + subscribe_message("A") + subscribe_command("A"));
  send(ours, {"A", "once"});
  say(theirs, cancel_command("A"));
  send(ours, {"A", "gone"});
  say(theirs, cancel_message("A") + cancel_command("never") + subscribe_message("A"));
  send(ours, {"A", "again"});
  EXPECT_EQ(received(theirs, 2), (messages{{"A", "once"}, {"A", "again"}}));
}

TEST_P(our_pub, continues_after_malformed_subscriptions) {
  raw_peer theirs{context()};
  meet(theirs);
  say(theirs, framed({"\2A"}) + framed({""}) + framed({"\1A", "more"}) + framed({"hello"}) +
                  framed_command("JOIN", "A") + subscribe_command("B"));
  send(ours, {"A"});
  send(ours, {"B"});
  EXPECT_EQ(received(theirs, 1), messages{{"B"}});
  EXPECT_FALSE(theirs.ended());
}

TEST_P(our_pub, a_subscription_between_the_parts_of_a_message_counts) {
  raw_peer theirs{context()};
  meet(theirs);
  say(theirs, frame(more, "a") + subscribe_command("A") + frame(0, "b"));
  send(ours, {"A"});
  EXPECT_EQ(received(theirs, 1), messages{{"A"}});
}

TEST_P(our_pub, does_not_answer_churn) {
  raw_peer theirs{context()};
  meet(theirs);
  std::string churn;
  for (int n = 0; n < 20'000; ++n) {
    const auto topic = "topic " + std::to_string(n % 7);
    churn += n % 2 == 0 ? subscribe_command(topic) : subscribe_message(topic);
    churn += n % 3 == 0 ? cancel_message(topic) : cancel_command(topic);
    churn += cancel_command("never " + std::to_string(n));
  }
  say(theirs, churn);
  send(ours, {"topic 1"});
  EXPECT_EQ(received(theirs, 0), messages{});
  EXPECT_FALSE(theirs.ended());
  EXPECT_EQ(ours.counters().refused_subscriptions, 0U);
}

}  // namespace
}  // namespace zmtp::test
