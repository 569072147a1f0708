// XSUB: subscriptions that are messages, and all else, to every publisher (RFC 29, protocols A8, C2-1).

#include "test/support/routing.h"
#include "zmtp/routing/subscriber_state.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using namespace std::string_literals;
using test::attach_new;
using test::content_of;
using test::parts;
using test::peer_sends;

using texts = std::vector<std::string>;

// Takes the pending notices to publishers, as "+topic" and "-topic".
texts notified(socket_state& state) {
  texts all;
  for (const auto& change : std::exchange(state.unsent_subscriptions(), {})) {
    all.push_back((change.subscribe ? "+" : "-") + change.topic);
  }
  return all;
}

void send(xsub_state& state, message m) {
  EXPECT_EQ(state.send(std::move(m)), send_status::queued);
}

TEST(xsub_state, messages_with_these_prefixes_are_subscriptions) {
  xsub_state state{{}};
  const auto peer = attach_new(state);
  send(state, {"\1A"});
  send(state, {"\1"});
  send(state, {"\1\0"s});
  EXPECT_EQ(notified(state), (texts{"+A", "+", "+\0"s}));
  send(state, {"\0A"s});
  EXPECT_EQ(notified(state), texts{"-A"});
  EXPECT_EQ(state.topics().size(), 2U);
  EXPECT_TRUE(state.find(peer)->out.empty()) << "they are the conversation's, not messages";
  EXPECT_EQ(test::ids_of(state.dirty()), std::vector{peer}) << "the shell has something to write";
}

TEST(xsub_state, publishers_get_each_topic_once) {
  xsub_state state{{}};
  static_cast<void>(attach_new(state));
  send(state, {"\1A"});
  send(state, {"\1A"});
  state.subscribe("A");
  send(state, {"\0A"s});
  state.unsubscribe("A");
  EXPECT_EQ(notified(state), texts{"+A"});
  send(state, {"\0A"s});
  send(state, {"\0A"s});
  EXPECT_EQ(notified(state), texts{"-A"});
}

TEST(xsub_state, without_publishers_no_notices_are_queued) {
  xsub_state state{{}};
  static_cast<void>(state.open_pipe(true));
  for (int i = 0; i < 3; ++i) {
    send(state, {"\1A"});
    send(state, {"\0A"s});
  }
  send(state, {"\1B"});
  EXPECT_EQ(notified(state), texts{});
  EXPECT_EQ(state.topics(), std::vector<std::string_view>{"B"}) << "for the next publisher";
}

TEST(xsub_state, a_new_publisher_gets_the_topics_in_the_order_of_the_subscriptions) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    xsub_state state{{}, seed};
    for (const auto* topic : {"D", "B", "A", "C", "B"}) {
      state.subscribe(topic);
    }
    state.unsubscribe("D");
    state.subscribe("D");
    EXPECT_EQ(state.topics(), (std::vector<std::string_view>{"B", "A", "C", "D"}));
  }
}

TEST(xsub_state, a_topic_above_the_limit_is_not_sent) {
  xsub_state state{{}};
  static_cast<void>(attach_new(state));
  message m{"\1" + std::string(1'025, 't')};
  EXPECT_EQ(state.send(std::move(m)), send_status::too_long);
  EXPECT_FALSE(m.empty());
  send(state, {"\1" + std::string(1'024, 't')});
  EXPECT_EQ(state.topics().size(), 1U);
}

TEST(xsub_state, all_other_messages_go_to_every_publisher) {
  xsub_state state{{}};
  const auto one = attach_new(state);
  const auto other = attach_new(state);
  auto& endpoint = state.open_pipe(true);
  const std::vector<parts> sent{{"hello"}, {""}, {"\1A", "two parts"}, {"\2"}, {"", "\0"s}};
  for (const auto& each : sent) {
    message m;
    for (const auto& part : each) {
      m.push_back(part);
    }
    send(state, std::move(m));
  }
  for (const auto id : {one, other, endpoint.id}) {
    EXPECT_EQ(content_of(test::write(state, id)).messages, sent);
  }
  EXPECT_EQ(state.counters().messages_sent, 3 * sent.size());
}

TEST(xsub_state, without_publishers_messages_are_dropped) {
  xsub_state state{{}};
  EXPECT_TRUE(state.writable());
  message m{"hello"};
  EXPECT_EQ(state.send(std::move(m)), send_status::queued);
  EXPECT_TRUE(m.empty());
}

TEST(xsub_state, a_full_publisher_misses_a_message_and_the_loss_is_counted) {
  socket_options options;
  options.send_mark.messages = 1;
  xsub_state state{options};
  const auto slow = attach_new(state);
  send(state, {"1"});
  const auto fresh = attach_new(state);
  message m{"2"};
  EXPECT_EQ(state.send(std::move(m)), send_status::full);
  EXPECT_EQ(m.front(), "2");
  EXPECT_TRUE(state.find(fresh)->out.empty()) << "no publisher got the message";
  EXPECT_EQ(state.send(std::move(m), if_full::drop), send_status::queued);
  EXPECT_EQ(state.counters().dropped_full, 1U);
  EXPECT_EQ(content_of(test::write(state, slow)).messages, std::vector<parts>{{"1"}});
  EXPECT_EQ(content_of(test::write(state, fresh)).messages, std::vector<parts>{{"2"}});
}

TEST(xsub_state, receives_messages_without_a_subscription) {
  xsub_state state{{}};
  const auto peer = attach_new(state);
  peer_sends(state, peer, {"B"});
  message m;
  ASSERT_TRUE(state.receive(m));
  EXPECT_EQ(m.front(), "B");
}

}  // namespace
}  // namespace zmtp
