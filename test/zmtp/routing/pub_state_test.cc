// PUB: each subscriber gets what its topics match, once and in order (RFC 29, protocols A5, C2-1).

#include "zmtp/routing/pub_state.h"

#include "test/support/routing.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using namespace std::string_literals;
using test::attach_new;
using test::content_of;
using test::framed;
using test::parts;
using test::peer_sends;

class pub : public testing::Test {
protected:
  peer_id subscriber(const std::vector<std::string>& topics) {
    const auto id = attach_new(state_);
    for (const auto& topic : topics) {
      subscribe(id, topic);
    }
    return id;
  }
  void subscribe(peer_id id, std::string_view topic) {
    state_.on_subscription(*state_.find(id), true, topic);
  }
  void cancel(peer_id id, std::string_view topic) {
    state_.on_subscription(*state_.find(id), false, topic);
  }
  void send(message m) { EXPECT_EQ(state_.send(std::move(m)), send_status::queued); }
  // Returns the messages to the peer since the last call.
  std::vector<parts> taken(peer_id id) {
    state_.end_turn();
    const auto content = content_of(test::write(state_, id));
    EXPECT_EQ(content.unread, 0U);
    EXPECT_TRUE(content.commands.empty());
    return content.messages;
  }

  pub_state state_{socket_options{}};
};

using messages = std::vector<parts>;

TEST_F(pub, without_subscribers_messages_are_dropped_and_sending_never_fails) {
  send({"A"});
  const auto silent = subscriber({});
  send({"A"});
  EXPECT_EQ(taken(silent), messages{});
  EXPECT_TRUE(state_.writable());
  EXPECT_EQ(state_.counters().messages_sent, 0U);
  EXPECT_EQ(state_.counters().dropped_full, 0U) << "nobody missed anything";
}

TEST_F(pub, a_message_without_subscribers_is_moved_from) {
  message m{"A"};
  EXPECT_EQ(state_.send(std::move(m)), send_status::queued);
  EXPECT_TRUE(m.empty());
}

// While the empty topic is the only one, the socket does not look up the first parts of messages.
TEST_F(pub, a_topic_counts_from_its_subscription_to_its_end) {
  const auto all = subscriber({""});
  const auto b = subscriber({});
  const auto send_both = [&] {
    send({"A"});
    send({"B"});
    message_batch batch;
    batch.append("A", "batch");
    batch.append("B", "batch");
    while (!batch.empty()) {
      ASSERT_EQ(state_.send(batch, if_full::report), send_status::queued);
    }
  };
  const messages of_a_and_b{{"A"}, {"B"}, {"A", "batch"}, {"B", "batch"}};
  const messages of_b{{"B"}, {"B", "batch"}};
  send_both();
  EXPECT_EQ(taken(all), of_a_and_b);
  EXPECT_EQ(taken(b), messages{});
  subscribe(b, "B");
  send_both();
  EXPECT_EQ(taken(all), of_a_and_b);
  EXPECT_EQ(taken(b), of_b);
  cancel(all, "");
  send_both();
  EXPECT_EQ(taken(all), messages{});
  EXPECT_EQ(taken(b), of_b);
  cancel(b, "B");
  send_both();
  EXPECT_EQ(taken(b), messages{});
  subscribe(all, "");
  send_both();
  EXPECT_EQ(taken(all), of_a_and_b);
  EXPECT_EQ(taken(b), messages{});
}

TEST_F(pub, each_subscriber_gets_its_matching_messages_in_order) {
  const auto a = subscriber({"A"});
  const auto ab = subscriber({"AB"});
  const auto all = subscriber({""});
  const auto b_and_c = subscriber({"B", "C"});
  for (const auto* first : {"A", "AB", "B", "C", "ABC", "D", ""}) {
    send({first});
  }
  EXPECT_EQ(taken(a), (messages{{"A"}, {"AB"}, {"ABC"}}));
  EXPECT_EQ(taken(ab), (messages{{"AB"}, {"ABC"}}));
  EXPECT_EQ(taken(all), (messages{{"A"}, {"AB"}, {"B"}, {"C"}, {"ABC"}, {"D"}, {""}}));
  EXPECT_EQ(taken(b_and_c), (messages{{"B"}, {"C"}}));
}

TEST_F(pub, once_even_if_several_topics_match) {
  const auto id = subscriber({"", "A", "AB", "ABC"});
  send({"ABCD"});
  EXPECT_EQ(taken(id), messages{{"ABCD"}});
  EXPECT_EQ(state_.counters().messages_sent, 1U);
}

TEST_F(pub, only_the_first_part_is_matched) {
  const auto id = subscriber({"A"});
  send({"", "A"});
  send({"B", "A"});
  send({"A", "", "B"});
  EXPECT_EQ(taken(id), (messages{{"A", "", "B"}}));
}

TEST_F(pub, topics_may_be_empty_long_and_of_any_bytes) {
  const std::string longest(1'024, 't');
  const auto zero = subscriber({"\0"s});
  const auto zeros = subscriber({"\0\0"s});
  const auto at_length = subscriber({longest});
  send({"\0a"s});
  send({"\0\0"s});
  send({std::string(1'023, 't')});
  send({longest});
  send({longest + "more"});
  EXPECT_EQ(taken(zero), (messages{{"\0a"s}, {"\0\0"s}}));
  EXPECT_EQ(taken(zeros), messages{{"\0\0"s}});
  EXPECT_EQ(taken(at_length), (messages{{longest}, {longest + "more"}}));
}

// C2-1: a set for each peer, as libzmq has it, and its SUB relies on.
TEST_F(pub, one_cancel_ends_two_equal_subscriptions) {
  const auto id = subscriber({"A", "A"});
  cancel(id, "A");
  send({"A"});
  EXPECT_EQ(taken(id), messages{});
}

TEST_F(pub, each_peer_has_its_own_set) {
  const auto one = subscriber({"A"});
  const auto other = subscriber({"A"});
  cancel(one, "A");
  send({"A"});
  EXPECT_EQ(taken(one), messages{});
  EXPECT_EQ(taken(other), messages{{"A"}});
}

TEST_F(pub, cancelling_an_unknown_topic_does_nothing) {
  const auto id = subscriber({"A"});
  cancel(id, "");
  cancel(id, "B");
  cancel(id, "AA");
  send({"A"});
  EXPECT_EQ(taken(id), messages{{"A"}});
}

TEST_F(pub, changes_between_messages_of_one_turn_apply_from_the_next_message_on) {
  const auto stays = subscriber({"A"});
  const auto changes = subscriber({"A"});
  send({"A", "1"});
  cancel(changes, "A");
  send({"A", "2"});
  const auto comes = subscriber({"A"});
  send({"A", "3"});
  subscribe(changes, "A");
  send({"A", "4"});
  state_.on_detached(*state_.find(comes));
  send({"A", "5"});
  EXPECT_EQ(taken(stays), (messages{{"A", "1"}, {"A", "2"}, {"A", "3"}, {"A", "4"}, {"A", "5"}}));
  EXPECT_EQ(taken(changes), (messages{{"A", "1"}, {"A", "4"}, {"A", "5"}}));
  EXPECT_EQ(state_.find(comes), nullptr);
}

TEST_F(pub, a_slot_used_again_has_nothing_of_its_former_peer) {
  const auto before = subscriber({"A"});
  send({"A"});
  state_.on_detached(*state_.find(before));
  ASSERT_EQ(state_.find(before), nullptr);
  const auto after = attach_new(state_);
  ASSERT_EQ(after.slot, before.slot);
  send({"A"});
  EXPECT_EQ(taken(after), messages{});
  subscribe(after, "A");
  send({"A"});
  EXPECT_EQ(taken(after), messages{{"A"}});
}

TEST_F(pub, messages_queued_for_a_disconnected_peer_are_counted) {
  const auto id = subscriber({""});
  for (int i = 0; i < 5; ++i) {
    send({"small"});
  }
  send({std::string(100'000, 'x')});
  state_.on_detached(*state_.find(id));
  EXPECT_EQ(state_.counters().messages_sent, 6U);
  EXPECT_EQ(state_.counters().dropped_detached, 6U);
}

TEST_F(pub, large_and_small_messages_by_turns_keep_their_order) {
  const auto all = subscriber({""});
  const auto some = subscriber({"A"});
  messages for_all;
  messages for_some;
  std::size_t n = 0;
  for (const std::size_t size :
       {1U, 5'000U, 0U, 70'000U, 4'096U, 4'097U, 200'000U, 3U, 65'536U, 10U}) {
    for (const auto* topic : {"A", "B"}) {
      const parts m{topic, std::to_string(++n), std::string(size, 'x'), ""};
      message sent;
      for (const auto& part : m) {
        sent.push_back(part);
      }
      send(std::move(sent));
      for_all.push_back(m);
      if (m.front() == "A") {
        for_some.push_back(m);
      }
    }
  }
  EXPECT_TRUE(taken(all) == for_all);
  EXPECT_TRUE(taken(some) == for_some);
}

TEST_F(pub, a_large_body_is_shared_not_copied) {
  const auto one = subscriber({""});
  const auto other = subscriber({""});
  message m;
  m.adopt_back(std::string(100'000, 'x'));
  const auto* const body = m.tail().data();
  send(std::move(m));
  state_.end_turn();
  for (const auto id : {one, other}) {
    std::array<send_queue::piece, 4> pieces;
    const auto count = state_.find(id)->out.gather(pieces);
    ASSERT_EQ(count, 2U);
    EXPECT_EQ(pieces[1].data(), body);
  }
}

TEST_F(pub, more_than_a_buffer_of_small_messages_in_one_turn_arrives) {
  const auto one = subscriber({"A"});
  const auto other = subscriber({""});
  messages expected;
  for (int i = 0; i < 900; ++i) {
    const parts m{"A" + std::to_string(i), std::string(300, 'x')};
    send({m[0], m[1]});
    expected.push_back(m);
  }
  EXPECT_TRUE(taken(one) == expected);
  EXPECT_TRUE(taken(other) == expected);
}

TEST_F(pub, a_peer_with_output_is_listed_once_a_turn) {
  const auto wants = subscriber({"A"});
  static_cast<void>(subscriber({"B"}));
  for (int i = 0; i < 10; ++i) {
    send({"A"});
  }
  state_.end_turn();
  EXPECT_EQ(test::ids_of(state_.dirty()), std::vector{wants});
}

TEST_F(pub, other_messages_of_a_subscriber_are_dropped) {
  const auto id = subscriber({"A"});
  peer_sends(state_, id, {"hello"});
  peer_sends(state_, id, {"a", "b"});
  EXPECT_FALSE(state_.readable());
  EXPECT_TRUE(state_.find(id)->in.empty());
  EXPECT_EQ(state_.counters().dropped_unexpected, 2U);
  send({"A"});
  EXPECT_EQ(taken(id), messages{{"A"}});
}

// protocols A8: a PUB that connects drops all until the other side's subscription has come.
TEST_F(pub, an_endpoint_gets_nothing_before_it_subscribes) {
  auto& p = state_.open_pipe(true);
  const auto id = p.id;
  send({"A", "not connected"});
  state_.on_attached(p, {}, 1);
  send({"A", "not subscribed"});
  subscribe(id, "A");
  send({"A", "subscribed"});
  EXPECT_EQ(taken(id), (messages{{"A", "subscribed"}}));
}

// A reconnect repeats it: subscriptions belong to the connection. Messages that were queued for the
// endpoint stay (A8: queues of the connecting side survive).
TEST_F(pub, an_endpoint_that_reconnects_subscribes_again) {
  auto& p = state_.open_pipe(true);
  const auto id = p.id;
  state_.on_attached(p, {}, 1);
  subscribe(id, "A");
  send({"A", "1"});
  state_.on_detached(p);
  send({"A", "2"});
  state_.on_attached(p, {}, 1);
  send({"A", "3"});
  subscribe(id, "A");
  send({"A", "4"});
  EXPECT_EQ(taken(id), (messages{{"A", "1"}, {"A", "4"}}));
}

TEST_F(pub, an_endpoint_cut_within_a_message_gets_the_whole_message_again) {
  auto& p = state_.open_pipe(true);
  state_.on_attached(p, {}, 1);
  subscribe(p.id, "");
  // Enough messages for a block that several queues share.
  const auto other = subscriber({""});
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const parts m{std::to_string(i), std::string(80, 'x')};
    send({m[0], m[1]});
    if (i >= 10) {
      expected += framed(m);
    }
  }
  state_.end_turn();
  const auto ten = 10 * framed({"0", std::string(80, 'x')}).size();
  ASSERT_EQ(test::write(state_, p.id, ten + 5).size(), ten + 5);
  state_.on_detached(p);
  state_.on_attached(p, {}, 1);
  EXPECT_EQ(test::write(state_, p.id), expected);
  EXPECT_EQ(taken(other).size(), 100U);
}

TEST_F(pub, a_pub_forgets_peers_whose_announcement_is_never_received) {
  socket_options options;
  options.announce_peers = true;
  pub_state state{options};
  for (int i = 0; i < 3; ++i) {
    const auto id = attach_new(state);
    state.on_received(*state.find(id));
    state.on_detached(*state.find(id));
    EXPECT_EQ(state.find(id), nullptr) << "a PUB receives nothing, so the announcement stays";
  }
}

TEST_F(pub, counts_the_messages_of_this_turn_to_an_endpoint_that_is_disconnected) {
  auto& p = state_.open_pipe(true);
  state_.on_attached(p, {}, 1);
  state_.on_subscription(p, true, "");
  send({"m"});
  state_.close_pipe(p);
  state_.end_turn();
  EXPECT_EQ(state_.counters().dropped_detached, 1U);
}

}  // namespace
}  // namespace zmtp
