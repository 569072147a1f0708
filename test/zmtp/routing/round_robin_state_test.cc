#include "zmtp/routing/round_robin_state.h"

#include "test/support/routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::first_parts;
using test::framed;
using test::peer_sends;
using test::sending_at_most;
using test::write;

socket_options receiving_at_most(const high_water_mark& mark) {
  socket_options options;
  options.receive_mark = mark;
  return options;
}

message text(int number) { return {std::to_string(number)}; }

send_status send(dealer_state& dealer, int number) { return dealer.send(text(number)); }

TEST(dealer_state, without_a_peer_sends_nothing_and_keeps_the_message) {
  dealer_state dealer{{}};
  EXPECT_FALSE(dealer.writable());
  message m{"kept"};
  EXPECT_EQ(dealer.send(std::move(m)), send_status::full);
  EXPECT_EQ(m, message{"kept"});  // NOLINT: that is what is tested
  EXPECT_EQ(dealer.counters().messages_sent, 0U);
}

TEST(dealer_state, sends_to_each_peer_in_turn) {
  dealer_state dealer{{}};
  const auto a = attach_new(dealer);
  const auto b = attach_new(dealer);
  const auto c = attach_new(dealer);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(send(dealer, i), send_status::queued);
  }
  EXPECT_EQ(write(dealer, a), framed({"0"}) + framed({"3"}) + framed({"6"}));
  EXPECT_EQ(write(dealer, b), framed({"1"}) + framed({"4"}));
  EXPECT_EQ(write(dealer, c), framed({"2"}) + framed({"5"}));
  EXPECT_EQ(dealer.counters().messages_sent, 7U);
}

TEST(dealer_state, skips_full_peers_until_they_have_space) {
  dealer_state dealer{sending_at_most({.messages = 2, .bytes = {}})};
  const auto a = attach_new(dealer);
  const auto b = attach_new(dealer);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(send(dealer, i), send_status::queued);
  }
  EXPECT_FALSE(dealer.writable());
  EXPECT_EQ(send(dealer, 4), send_status::full);
  EXPECT_EQ(write(dealer, b), framed({"1"}) + framed({"3"}));
  EXPECT_TRUE(dealer.writable());
  EXPECT_EQ(send(dealer, 5), send_status::queued);
  EXPECT_EQ(send(dealer, 6), send_status::queued);
  EXPECT_EQ(send(dealer, 7), send_status::full);
  EXPECT_EQ(write(dealer, b), framed({"5"}) + framed({"6"}));
  EXPECT_EQ(write(dealer, a), framed({"0"}) + framed({"2"}));
  EXPECT_EQ(dealer.counters().dropped_full, 0U);
}

TEST(dealer_state, applies_the_byte_mark_too) {
  dealer_state dealer{sending_at_most({.messages = {}, .bytes = 1000})};
  attach_new(dealer);
  EXPECT_EQ(dealer.send({std::string(900, 'x')}), send_status::queued);
  EXPECT_EQ(dealer.send({std::string(900, 'x')}), send_status::queued);
  EXPECT_EQ(dealer.send({"x"}), send_status::full);
}

TEST(dealer_state, an_endpoint_accepts_messages_before_it_connects) {
  dealer_state dealer{sending_at_most({.messages = 2, .bytes = {}})};
  auto& p = dealer.open_pipe(true);
  EXPECT_EQ(send(dealer, 0), send_status::queued);
  EXPECT_EQ(send(dealer, 1), send_status::queued);
  EXPECT_EQ(send(dealer, 2), send_status::full);
  dealer.on_attached(p, {}, 1);
  EXPECT_EQ(send(dealer, 2), send_status::full);
  EXPECT_EQ(write(dealer, p.id), framed({"0"}) + framed({"1"}));
  EXPECT_TRUE(dealer.writable());
}

TEST(dealer_state, an_accepted_peer_accepts_messages_only_while_it_is_connected) {
  dealer_state dealer{{}};
  auto& p = dealer.open_pipe(false);
  EXPECT_FALSE(dealer.writable());
  dealer.on_attached(p, {}, 1);
  EXPECT_TRUE(dealer.writable());
  dealer.on_detached(p);
  EXPECT_FALSE(dealer.writable());
}

TEST(dealer_state, an_endpoint_keeps_its_messages_over_connections) {
  dealer_state dealer{{}};
  auto& p = dealer.open_pipe(true);
  dealer.on_attached(p, {}, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(dealer, i), send_status::queued);
  }
  EXPECT_EQ(write(dealer, p.id, 4), framed({"0"}) + framed({"1"}).substr(0, 1));
  dealer.on_detached(p);
  EXPECT_EQ(send(dealer, 3), send_status::queued);
  dealer.on_attached(p, {}, 1);
  EXPECT_EQ(write(dealer, p.id), framed({"1"}) + framed({"2"}) + framed({"3"}));
  EXPECT_EQ(dealer.counters().dropped_detached, 0U);
}

TEST(dealer_state, a_lost_connection_frees_space_for_the_messages_it_has_written) {
  dealer_state dealer{sending_at_most({.messages = 3, .bytes = {}})};
  auto& p = dealer.open_pipe(true);
  dealer.on_attached(p, {}, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(dealer, i), send_status::queued);
  }
  EXPECT_EQ(write(dealer, p.id, 7).size(), 7U);
  EXPECT_FALSE(dealer.writable());
  dealer.on_detached(p);
  EXPECT_EQ(p.out.messages(), 1U);
  EXPECT_TRUE(dealer.writable());
  EXPECT_EQ(send(dealer, 3), send_status::queued);
}

TEST(dealer_state, unsent_messages_of_an_accepted_peer_are_dropped_and_counted_with_it) {
  dealer_state dealer{{}};
  const auto id = attach_new(dealer);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(send(dealer, i), send_status::queued);
  }
  // The connection took three whole messages and one byte. It may still have delivered the whole
  // messages.
  EXPECT_EQ(write(dealer, id, 10).size(), 10U);
  dealer.on_detached(*dealer.find(id));
  EXPECT_EQ(dealer.counters().dropped_detached, 7U);
  EXPECT_EQ(dealer.find(id), nullptr);
}

TEST(dealer_state, an_endpoint_that_is_closed_drops_and_counts_its_unsent_messages) {
  dealer_state dealer{{}};
  auto& p = dealer.open_pipe(true);
  const auto id = p.id;
  dealer.on_attached(p, {}, 1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(send(dealer, i), send_status::queued);
  }
  EXPECT_EQ(write(dealer, id, 4).size(), 4U);
  peer_sends(dealer, id, {"unread"});
  dealer.on_detached(p);
  dealer.close_pipe(p);
  EXPECT_EQ(dealer.counters().dropped_detached, 3U);
  EXPECT_FALSE(dealer.writable());
  // The user can still receive messages that arrived before.
  message unread;
  ASSERT_TRUE(dealer.receive(unread));
  EXPECT_EQ(unread, message{"unread"});
  EXPECT_EQ(dealer.find(id), nullptr);
  EXPECT_FALSE(dealer.readable());
}

TEST(dealer_state, receives_from_each_peer_in_turn) {
  dealer_state dealer{{}};
  const auto a = attach_new(dealer);
  const auto b = attach_new(dealer);
  const auto c = attach_new(dealer);
  for (int i = 0; i < 3; ++i) {
    peer_sends(dealer, a, {"a" + std::to_string(i)});
  }
  peer_sends(dealer, b, {"b0"});
  peer_sends(dealer, c, {"c0"});
  peer_sends(dealer, c, {"c1"});
  EXPECT_EQ(first_parts(dealer), (std::vector<std::string>{"a0", "b0", "c0", "a1", "c1", "a2"}));
  EXPECT_EQ(dealer.counters().messages_received, 6U);
}

TEST(dealer_state, a_flooding_peer_delays_another_by_one_message) {
  dealer_state dealer{{}};
  const auto flooding = attach_new(dealer);
  const auto quiet = attach_new(dealer);
  for (int i = 0; i < 1000; ++i) {
    peer_sends(dealer, flooding, {"flood"});
  }
  message m;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(dealer.receive(m));
  }
  peer_sends(dealer, quiet, {"quiet"});
  std::vector<message> next(2);
  ASSERT_TRUE(dealer.receive(next[0]) && dealer.receive(next[1]));
  EXPECT_NE(std::find(next.begin(), next.end(), message{"quiet"}), next.end());
}

TEST(dealer_state, plain_receive_skips_attach_notices) {
  socket_options options;
  options.announce_peers = true;
  dealer_state dealer{options};
  message m;
  EXPECT_FALSE(dealer.receive(m));
  attach_new(dealer);
  EXPECT_TRUE(dealer.readable());
  EXPECT_FALSE(dealer.receive(m));
  EXPECT_FALSE(dealer.readable());
}

TEST(dealer_state, messages_that_arrived_before_a_disconnect_are_received) {
  dealer_state dealer{{}};
  const auto id = attach_new(dealer);
  peer_sends(dealer, id, {"1"});
  peer_sends(dealer, id, {"2"});
  dealer.on_detached(*dealer.find(id));
  ASSERT_NE(dealer.find(id), nullptr);
  EXPECT_FALSE(dealer.writable());
  dealer.on_written(*dealer.find(id));
  EXPECT_FALSE(dealer.writable());
  EXPECT_EQ(first_parts(dealer), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(dealer.find(id), nullptr);
}

// The rest of a connection is first_parts in spite of the mark, so that its end is noticed.
TEST(dealer_state, the_mark_is_lifted_only_for_a_connection_that_takes_nothing_more) {
  dealer_state dealer{receiving_at_most({.messages = 2, .bytes = {}})};
  auto& p = dealer.open_pipe(true);
  dealer.on_attached(p, {}, 1);
  peer_sends(dealer, p.id, text(0));
  peer_sends(dealer, p.id, text(1));
  EXPECT_TRUE(p.in.full());
  dealer.take_rest(p);
  EXPECT_FALSE(p.in.full());
  peer_sends(dealer, p.id, text(2));
  dealer.on_detached(p);
  dealer.on_attached(p, {}, 1);
  EXPECT_TRUE(p.in.full());
  EXPECT_EQ(first_parts(dealer), (std::vector<std::string>{"0", "1", "2"}));
  peer_sends(dealer, p.id, text(3));
  EXPECT_FALSE(p.in.full());
  peer_sends(dealer, p.id, text(4));
  EXPECT_TRUE(p.in.full());
}

TEST(dealer_state, lists_each_pipe_with_new_messages_once) {
  dealer_state dealer{{}};
  const auto a = attach_new(dealer);
  const auto b = attach_new(dealer);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(send(dealer, i), send_status::queued);
  }
  EXPECT_EQ(test::ids_of(dealer.dirty()), (std::vector{a, b}));
  dealer.dirty().clear();
  dealer.find(a)->dirty = false;
  EXPECT_EQ(send(dealer, 6), send_status::queued);
  EXPECT_EQ(send(dealer, 7), send_status::queued);
  EXPECT_EQ(test::ids_of(dealer.dirty()), std::vector{a});
}

TEST(dealer_state, lists_each_blocked_pipe_that_is_half_empty_again_once) {
  dealer_state dealer{receiving_at_most({.messages = 4, .bytes = {}})};
  const auto id = attach_new(dealer);
  for (int i = 0; i < 4; ++i) {
    peer_sends(dealer, id, text(i));
  }
  dealer.find(id)->blocked = true;
  message m;
  EXPECT_TRUE(dealer.receive(m));
  EXPECT_TRUE(dealer.resumable().empty());
  EXPECT_TRUE(dealer.receive(m));
  EXPECT_EQ(dealer.resumable(), std::vector{id});
  EXPECT_TRUE(dealer.receive(m));
  EXPECT_EQ(dealer.resumable().size(), 1U);
}

}  // namespace
}  // namespace zmtp
