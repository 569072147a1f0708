// SUB: its notices to publishers, its filter, and the point at which it stops reading.

#include "test/support/routing.h"
#include "zmtp/routing/subscriber_state.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using namespace std::string_literals;
using test::attach_new;
using test::peer_sends;

std::vector<std::string> receive_all(sub_state& state) {
  std::vector<std::string> received;
  message m;
  while (state.receive(m)) {
    std::string text;
    for (const auto part : m) {
      text += "[" + std::string{part} + "]";
    }
    received.push_back(text);
  }
  return received;
}

std::multiset<std::string> topics_of(const sub_state& state) {
  const auto all = state.topics();
  return {all.begin(), all.end()};
}

using texts = std::vector<std::string>;

TEST(sub_state, publishers_get_the_first_and_the_last_of_equal_subscriptions) {
  sub_state state{{}};
  EXPECT_TRUE(state.subscribe("A"));
  EXPECT_FALSE(state.subscribe("A"));
  EXPECT_FALSE(state.subscribe("A"));
  EXPECT_FALSE(state.unsubscribe("A"));
  EXPECT_FALSE(state.unsubscribe("A"));
  EXPECT_TRUE(state.unsubscribe("A"));
  EXPECT_TRUE(state.subscribe("A"));
}

TEST(sub_state, announced_publishers_come_among_the_subscribed_messages) {
  socket_options options;
  options.announce_peers = true;
  sub_state state{options};
  EXPECT_TRUE(state.subscribe("A"));
  const auto id = attach_new(state);
  peer_sends(state, id, {"B1"});
  peer_sends(state, id, {"A1"});
  state.on_detached(*state.find(id));
  std::string notified;
  routed_message m;
  while (state.receive(m)) {
    EXPECT_EQ(m.peer, id);
    switch (m.what) {
      case routed_message::kind::attached: notified += "came "; break;
      case routed_message::kind::message: notified += std::string{m.content.front()} + " "; break;
      case routed_message::kind::detached: notified += "went "; break;
    }
  }
  EXPECT_EQ(notified, "came A1 went ");
  EXPECT_EQ(state.counters().dropped_unexpected, 1U);
  EXPECT_EQ(state.counters().messages_received, 1U);
}

TEST(sub_state, topics_are_counted_apart) {
  sub_state state{{}};
  EXPECT_TRUE(state.subscribe(""));
  EXPECT_TRUE(state.subscribe("A"));
  EXPECT_TRUE(state.subscribe("A\0"s));
  EXPECT_TRUE(state.unsubscribe("A"));
  EXPECT_TRUE(state.unsubscribe("A\0"s));
  EXPECT_TRUE(state.unsubscribe(""));
}

TEST(sub_state, a_topic_without_a_subscription_cannot_be_cancelled) {
  sub_state state{{}};
  EXPECT_FALSE(state.unsubscribe("A"));
  EXPECT_FALSE(state.unsubscribe(""));
  EXPECT_TRUE(state.subscribe("A"));
  EXPECT_FALSE(state.unsubscribe("B"));
  EXPECT_TRUE(state.unsubscribe("A"));
  EXPECT_FALSE(state.unsubscribe("A"));
  EXPECT_TRUE(state.subscribe("A")) << "one too many unsubscribe() must not count below nothing";
}

TEST(sub_state, a_new_publisher_gets_each_topic_once) {
  sub_state state{{}};
  EXPECT_TRUE(state.topics().empty());
  for (const auto& topic : {"A"s, "B"s, "A"s, ""s, "\0"s, std::string(1'024, 't')}) {
    static_cast<void>(state.subscribe(topic));
  }
  EXPECT_EQ(topics_of(state), (std::multiset{""s, "\0"s, "A"s, "B"s, std::string(1'024, 't')}));
  static_cast<void>(state.unsubscribe("A"));
  EXPECT_EQ(topics_of(state).count("A"), 1U);
  static_cast<void>(state.unsubscribe("A"));
  EXPECT_EQ(topics_of(state).count("A"), 0U);
}

TEST(sub_state, thousands_of_topics_are_sent) {
  sub_state state{{}};
  std::multiset<std::string> expected;
  for (int n = 0; n < 5'000; ++n) {
    const auto topic = std::to_string(n);
    ASSERT_TRUE(state.subscribe(topic));
    expected.insert(topic);
  }
  EXPECT_EQ(topics_of(state), expected);
}

TEST(sub_state, only_messages_that_match_pass_the_filter) {
  sub_state state{{}};
  const auto peer = attach_new(state);
  peer_sends(state, peer, {"A", "before any subscription"});
  EXPECT_EQ(receive_all(state), texts{});
  static_cast<void>(state.subscribe("A"));
  peer_sends(state, peer, {"A1"});
  peer_sends(state, peer, {"B1"});
  peer_sends(state, peer, {"", "A"});
  peer_sends(state, peer, {"A", "B", ""});
  peer_sends(state, peer, {"xA"});
  EXPECT_EQ(receive_all(state), (texts{"[A1]", "[A][B][]"}));
  EXPECT_FALSE(state.readable());
}

TEST(sub_state, filtered_messages_are_counted_separately_from_received_ones) {
  sub_state state{{}};
  const auto peer = attach_new(state);
  static_cast<void>(state.subscribe("A"));
  for (const auto* first : {"A", "B", "A", "C"}) {
    peer_sends(state, peer, {first});
  }
  EXPECT_EQ(receive_all(state).size(), 2U);
  EXPECT_EQ(state.counters().messages_received, 2U) << "given to the user";
  EXPECT_EQ(state.counters().dropped_unexpected, 2U);
}

TEST(sub_state, topics_that_overlap_let_a_message_through_once) {
  sub_state state{{}};
  const auto peer = attach_new(state);
  for (const auto* topic : {"", "A", "AB"}) {
    static_cast<void>(state.subscribe(topic));
  }
  peer_sends(state, peer, {"ABC"});
  EXPECT_EQ(receive_all(state), texts{"[ABC]"});
  static_cast<void>(state.unsubscribe(""));
  static_cast<void>(state.unsubscribe("A"));
  peer_sends(state, peer, {"ABC"});
  peer_sends(state, peer, {"AC"});
  EXPECT_EQ(receive_all(state), texts{"[ABC]"});
}

// RFC 29: a CANCEL takes time to arrive; messages that the publisher sends meanwhile are unwanted.
TEST(sub_state, pending_messages_of_a_cancelled_topic_are_not_received) {
  sub_state state{{}};
  const auto peer = attach_new(state);
  static_cast<void>(state.subscribe("A"));
  static_cast<void>(state.subscribe("B"));
  peer_sends(state, peer, {"A"});
  peer_sends(state, peer, {"B"});
  static_cast<void>(state.unsubscribe("A"));
  EXPECT_EQ(receive_all(state), texts{"[B]"});
}

TEST(sub_state, receives_from_all_publishers_in_turn) {
  sub_state state{{}};
  static_cast<void>(state.subscribe(""));
  const auto first = attach_new(state);
  const auto second = attach_new(state);
  for (int i = 0; i < 3; ++i) {
    peer_sends(state, first, {"first"});
    peer_sends(state, second, {"second"});
  }
  const auto received = receive_all(state);
  ASSERT_EQ(received.size(), 6U);
  for (std::size_t i = 1; i < received.size(); ++i) {
    EXPECT_NE(received[i], received[i - 1]);
  }
}

// Reading stops at the mark, and goes on once half of it is free: nothing is dropped.
TEST(sub_state, stops_reading_when_full_and_resumes_with_space) {
  socket_options options;
  options.receive_mark.messages = 8;
  sub_state state{options};
  static_cast<void>(state.subscribe("A"));
  auto& p = state.open_pipe(false);
  state.on_attached(p, {}, 1);
  for (int i = 0; i < 8; ++i) {
    p.in.push(message{i % 2 == 0 ? "A" : "B"});
  }
  p.blocked = true;
  state.on_received(p);
  EXPECT_TRUE(p.in.full());
  EXPECT_TRUE(state.resumable().empty());
  message m;
  std::size_t received = 0;
  while (state.resumable().empty() && state.receive(m)) {
    ++received;
  }
  EXPECT_EQ(state.resumable(), std::vector{p.id});
  EXPECT_GE(received, 1U);
  EXPECT_FALSE(p.blocked);
}

// Messages without a subscription must not stop the reading: the socket drops them without the
// user.
TEST(sub_state, dropped_messages_free_space_too) {
  socket_options options;
  options.receive_mark.messages = 8;
  sub_state state{options};
  static_cast<void>(state.subscribe("A"));
  auto& p = state.open_pipe(false);
  state.on_attached(p, {}, 1);
  for (int i = 0; i < 8; ++i) {
    p.in.push(message{"B"});
  }
  p.blocked = true;
  state.on_received(p);
  message m;
  EXPECT_FALSE(state.receive(m));
  EXPECT_EQ(state.resumable(), std::vector{p.id});
}

TEST(sub_state, messages_that_arrived_before_a_disconnect_are_received) {
  sub_state state{{}};
  static_cast<void>(state.subscribe(""));
  const auto peer = attach_new(state);
  peer_sends(state, peer, {"last words"});
  state.on_detached(*state.find(peer));
  EXPECT_EQ(receive_all(state), texts{"[last words]"});
  EXPECT_EQ(state.find(peer), nullptr);
}

TEST(sub_state, announced_peers_are_not_messages) {
  socket_options options;
  options.announce_peers = true;
  sub_state state{options};
  static_cast<void>(state.subscribe(""));
  const auto peer = attach_new(state);
  peer_sends(state, peer, {""});
  state.on_detached(*state.find(peer));
  EXPECT_EQ(receive_all(state), texts{"[]"});
  EXPECT_EQ(state.find(peer), nullptr);
}

TEST(sub_state, cannot_send) {
  sub_state state{{}};
  const auto peer = attach_new(state);
  EXPECT_FALSE(state.writable());
  EXPECT_EQ(state.send(message{"A"}), send_status::unknown);
  EXPECT_TRUE(state.find(peer)->out.empty());
}

}  // namespace
}  // namespace zmtp
