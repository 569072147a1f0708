// How many messages of one peer a batch takes before those of the next peer.

#include "test/support/routing.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::peer_sends_all;

constexpr std::size_t one_turn = 128;

// A peer, named by its messages, and how many messages of it follow each other.
using peer_turn = std::pair<std::string, std::size_t>;
using peer_turns = std::vector<peer_turn>;

void connect_and_send(socket_state& state, std::string_view name, std::size_t messages) {
  peer_sends_all(state, attach_new(state, name), std::vector<message>(messages, message{name}));
}

peer_turns turns_of(const message_batch& batch) {
  peer_turns all;
  for (const auto m : batch) {
    if (all.empty() || all.back().first != m.back()) {
      all.emplace_back(m.back(), 0);
    }
    ++all.back().second;
  }
  return all;
}

peer_turns receive_turns(socket_state& state) {
  message_batch batch;
  EXPECT_TRUE(state.receive(batch));
  return turns_of(batch);
}

peer_turns receive_enveloped_turns(socket_state& state) {
  message_batch batch;
  EXPECT_TRUE(state.receive_enveloped(batch));
  for (const auto m : batch) {
    EXPECT_EQ(m.front(), m.back());
  }
  return turns_of(batch);
}

peer_turns alternating(int rounds) {
  peer_turns all;
  for (; rounds != 0; --rounds) {
    all.emplace_back("a", one_turn);
    all.emplace_back("b", one_turn);
  }
  return all;
}

using receive_form = peer_turns (&)(socket_state&);

void alternates(socket_state&& state, receive_form receive) {
  connect_and_send(state, "a", 600);
  connect_and_send(state, "b", 600);
  EXPECT_EQ(receive(state), alternating(4));
  EXPECT_EQ(receive(state), (peer_turns{{"a", 88}, {"b", 88}}));
  EXPECT_FALSE(state.readable());
}

TEST(a_batch_of_two_peers, alternates_between_them) {
  alternates(pull_state{{}}, receive_turns);
  alternates(dealer_state{{}}, receive_turns);
  alternates(router_state{{}}, receive_turns);
  alternates(router_state{{}}, receive_enveloped_turns);
}

void takes_the_rest(socket_state&& state, receive_form receive) {
  connect_and_send(state, "a", 130);
  connect_and_send(state, "b", 1'000);
  EXPECT_EQ(receive(state), (peer_turns{{"a", 128}, {"b", 128}, {"a", 2}, {"b", 766}}));
  EXPECT_EQ(receive(state), (peer_turns{{"b", 106}}));
}

// PULL does not divide the rest of a run between two batches, but ROUTER copies it in any case.
TEST(a_batch_of_two_peers, takes_all_that_is_left_when_the_other_peer_has_no_more) {
  takes_the_rest(router_state{{}}, receive_enveloped_turns);
  pull_state pull{{}};
  connect_and_send(pull, "a", 130);
  connect_and_send(pull, "b", 900);
  EXPECT_EQ(receive_turns(pull), (peer_turns{{"a", 128}, {"b", 128}, {"a", 2}}));
  EXPECT_EQ(receive_turns(pull), (peer_turns{{"b", 772}}));
}

void takes_whole_batches(socket_state&& state, receive_form receive) {
  connect_and_send(state, "a", 3'000);
  EXPECT_EQ(receive(state), (peer_turns{{"a", socket_state::max_batch}}));
  EXPECT_EQ(receive(state), (peer_turns{{"a", socket_state::max_batch}}));
  EXPECT_EQ(receive(state), (peer_turns{{"a", 952}}));
}

TEST(a_batch_of_one_peer, is_full) {
  takes_whole_batches(pull_state{{}}, receive_turns);
  takes_whole_batches(router_state{{}}, receive_turns);
  takes_whole_batches(router_state{{}}, receive_enveloped_turns);
}

// Peers that are attached, but have sent nothing, take no turn.
TEST(a_batch_of_one_peer, is_full_beside_silent_peers) {
  pull_state pull{{}};
  (void)attach_new(pull);
  connect_and_send(pull, "a", 3'000);
  (void)attach_new(pull);
  EXPECT_EQ(receive_turns(pull), (peer_turns{{"a", socket_state::max_batch}}));
}

TEST(a_batch_of_ten_peers, has_messages_of_eight) {
  pull_state pull{{}};
  peer_turns expected;
  for (const char name : std::string_view{"abcdefghij"}) {
    connect_and_send(pull, {&name, 1}, 1'000);
    expected.emplace_back(std::string{name}, one_turn);
  }
  const peer_turns next{expected.begin() + 8, expected.end()};
  expected.resize(8);
  EXPECT_EQ(receive_turns(pull), expected);
  auto second = receive_turns(pull);
  second.resize(2);
  EXPECT_EQ(second, next);
}

}  // namespace
}  // namespace zmtp
