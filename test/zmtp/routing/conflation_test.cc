// conflate: of the messages queued for a peer, or received from one, only the last stays, whole.

#include "test/support/routing.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/subscriber_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::content_of;
using test::framed;
using test::parts;
using test::peer_sends;

using messages = std::vector<parts>;

socket_options conflating(bool announce = false) {
  socket_options options;
  options.conflate = true;
  options.send_mark.messages = 1;
  options.receive_mark.messages = 1;
  options.announce_peers = announce;
  return options;
}

messages written(socket_state& state, peer_id id) {
  state.end_turn();
  return content_of(test::write(state, id)).messages;
}

TEST(conflation, push_keeps_the_last_for_each_peer_and_is_never_full) {
  push_state push{conflating()};
  const auto a = attach_new(push);
  const auto b = attach_new(push);
  for (int n = 0; n < 6; ++n) {
    ASSERT_EQ(push.send(message{std::to_string(n), "whole"}), send_status::queued);
  }
  EXPECT_EQ(written(push, a), (messages{{"4", "whole"}}));
  EXPECT_EQ(written(push, b), (messages{{"5", "whole"}}));
  EXPECT_EQ(push.counters().dropped_conflated, 4U);
  EXPECT_EQ(push.counters().dropped_full, 0U);
}

TEST(conflation, a_disconnected_endpoint_gets_the_last_message_on_connect) {
  dealer_state dealer{conflating()};
  auto& p = dealer.open_pipe(true);
  for (int n = 0; n < 3; ++n) {
    ASSERT_EQ(dealer.send(message{std::to_string(n)}), send_status::queued);
  }
  dealer.on_attached(p, {}, 1);
  EXPECT_EQ(written(dealer, p.id), messages{{"2"}});
}

TEST(conflation, pub_keeps_the_last_that_each_subscriber_wants) {
  pub_state pub{conflating()};
  const auto a = attach_new(pub);
  const auto all = attach_new(pub);
  pub.on_subscription(*pub.find(a), true, "A");
  pub.on_subscription(*pub.find(all), true, "");
  const std::string large(20'000, 'x');
  for (const auto* first : {"A1", "A2", "B1"}) {
    ASSERT_EQ(pub.send(message{first, large}), send_status::queued);
    ASSERT_EQ(pub.send(message{first, "small"}), send_status::queued);
  }
  EXPECT_EQ(written(pub, a), (messages{{"A2", "small"}}));
  EXPECT_EQ(written(pub, all), (messages{{"B1", "small"}}));
  EXPECT_EQ(pub.counters().dropped_full, 0U);
  EXPECT_EQ(pub.counters().messages_sent, 10U);
  EXPECT_EQ(pub.counters().dropped_conflated, 8U);
}

TEST(conflation, a_partly_written_message_is_written_completely) {
  push_state push{conflating()};
  const auto id = attach_new(push);
  ASSERT_EQ(push.send(message{"first", "x"}), send_status::queued);
  auto bytes = test::write(push, id, 4);
  ASSERT_EQ(push.send(message{"second"}), send_status::queued);
  ASSERT_EQ(push.send(message{"third"}), send_status::queued);
  bytes += test::write(push, id);
  EXPECT_EQ(bytes, framed({"first", "x"}) + framed({"third"}));
}

TEST(conflation, pull_receives_the_last_from_each_peer) {
  pull_state pull{conflating()};
  const auto a = attach_new(pull);
  const auto b = attach_new(pull);
  for (int n = 0; n < 3; ++n) {
    peer_sends(pull, a, {"a", std::to_string(n), ""});
    peer_sends(pull, b, {"b", std::to_string(n), ""});
  }
  message m;
  ASSERT_TRUE(pull.receive(m));
  EXPECT_EQ(m, (message{"a", "2", ""}));
  ASSERT_TRUE(pull.receive(m));
  EXPECT_EQ(m, (message{"b", "2", ""}));
  EXPECT_FALSE(pull.receive(m));
  EXPECT_EQ(pull.counters().dropped_conflated, 4U);
  EXPECT_EQ(pull.counters().messages_received, 2U);
}

TEST(conflation, a_sub_that_unsubscribes_keeps_nothing_of_the_topic) {
  for (const bool in_batches : {false, true}) {
    sub_state sub{conflating()};
    static_cast<void>(sub.subscribe("A"));
    const auto id = attach_new(sub);
    peer_sends(sub, id, {"A1"});
    static_cast<void>(sub.unsubscribe("A"));
    peer_sends(sub, id, {"A2"});
    EXPECT_FALSE(sub.readable());
    EXPECT_EQ(sub.counters().dropped_unexpected, 2U);
    message m;
    message_batch batch;
    EXPECT_FALSE(in_batches ? sub.receive(batch) : sub.receive(m));
    static_cast<void>(sub.subscribe("A"));
    peer_sends(sub, id, {"A3"});
    EXPECT_TRUE(in_batches ? sub.receive(batch) : sub.receive(m));
  }
}

TEST(conflation, only_the_last_of_several_received_at_once_stays) {
  pull_state pull{conflating()};
  auto& p = pull.open_pipe(false);
  pull.on_attached(p, {}, 1);
  for (int n = 0; n < 5; ++n) {
    p.in.push(message{std::to_string(n)});
  }
  p.blocked = true;
  pull.on_received(p);
  EXPECT_FALSE(p.blocked);
  EXPECT_EQ(pull.resumable(), std::vector{p.id}) << "what is not decoded yet may be newer";
  message m;
  ASSERT_TRUE(pull.receive(m));
  EXPECT_EQ(m.front(), "4");
  EXPECT_FALSE(pull.receive(m));
}

TEST(conflation, peer_notices_are_not_conflated) {
  dealer_state dealer{conflating(true)};
  const auto id = attach_new(dealer);
  peer_sends(dealer, id, {"1"});
  peer_sends(dealer, id, {"2"});
  dealer.on_detached(*dealer.find(id));
  EXPECT_EQ(test::receive_all(dealer, [](peer_id) { return "p"; }),
            (std::vector<std::string>{"p: attached", "p: [2]", "p: detached"}));
}

// A message that is not wanted any more must not displace one that is.
TEST(conflation, a_sub_keeps_the_last_matching_message) {
  sub_state sub{conflating()};
  const auto id = attach_new(sub);
  sub.subscribe("A");
  peer_sends(sub, id, {"A", "1"});
  peer_sends(sub, id, {"A", "2"});
  peer_sends(sub, id, {"B", "3"});
  message m;
  ASSERT_TRUE(sub.receive(m));
  EXPECT_EQ(m, (message{"A", "2"}));
  EXPECT_FALSE(sub.receive(m));
  EXPECT_EQ(sub.counters().dropped_unexpected, 1U);
}

}  // namespace
}  // namespace zmtp
