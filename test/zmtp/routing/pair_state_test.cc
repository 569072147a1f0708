// PAIR: one peer and no other, in both directions (RFC 31, protocols A8).

#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::content_of;
using test::first_parts;
using test::parts;
using test::peer_sends;

error_code judged(pair_state& state, std::optional<peer_id> id = {}) {
  return state.on_admission(id, {}).refused;
}

TEST(pair_state, without_a_peer_nothing_can_be_sent) {
  pair_state state{{}};
  EXPECT_FALSE(state.writable());
  message m{"A"};
  EXPECT_EQ(state.send(std::move(m)), send_status::full);
  EXPECT_EQ(state.send(std::move(m), if_full::drop), send_status::full) << "never discards";
  EXPECT_EQ(m.front(), "A");
}

TEST(pair_state, messages_go_both_ways) {
  pair_state state{{}};
  const auto peer = attach_new(state);
  EXPECT_TRUE(state.writable());
  EXPECT_EQ(state.send(message{"A", "B"}), send_status::queued);
  EXPECT_EQ(content_of(test::write(state, peer)).messages, (std::vector<parts>{{"A", "B"}}));
  peer_sends(state, peer, {"C"});
  EXPECT_EQ(first_parts(state), std::vector<std::string>{"C"});
}

TEST(pair_state, a_second_peer_is_rejected_until_the_first_disconnects) {
  pair_state state{{}};
  EXPECT_FALSE(judged(state));
  const auto first = attach_new(state);
  EXPECT_EQ(judged(state), errc::already_paired);
  EXPECT_FALSE(state.on_admission({}, {}).evict) << "the first stays";
  peer_sends(state, first, {"last words"});
  state.on_detached(*state.find(first));
  EXPECT_FALSE(judged(state));
  const auto second = attach_new(state);
  EXPECT_EQ(state.send(message{"A"}), send_status::queued);
  EXPECT_EQ(content_of(test::write(state, second)).messages, std::vector<parts>{{"A"}});
  EXPECT_EQ(first_parts(state), std::vector<std::string>{"last words"});
}

TEST(pair_state, messages_of_a_peer_come_before_those_of_the_next) {
  pair_state state{{}};
  for (const auto* const words : {"1", "2", "3"}) {
    const auto peer = attach_new(state);
    peer_sends(state, peer, {words});
    peer_sends(state, peer, {std::string{words} + " again"});
    state.on_detached(*state.find(peer));
  }
  EXPECT_EQ(first_parts(state),
            (std::vector<std::string>{"1", "1 again", "2", "2 again", "3", "3 again"}));
}

TEST(pair_state, announced_peers_come_one_at_a_time) {
  pair_state state{{.announce_peers = true}};
  for (const auto* const words : {"1", "2"}) {
    const auto peer = attach_new(state);
    peer_sends(state, peer, {words});
    state.on_detached(*state.find(peer));
  }
  using enum routed_message::kind;
  std::vector<routed_message::kind> all;
  routed_message m;
  while (state.receive(m)) {
    all.push_back(m.what);
  }
  EXPECT_EQ(all, (std::vector{attached, message, detached, attached, message, detached}));
}

TEST(pair_state, reports_a_full_queue_and_never_drops) {
  socket_options options;
  options.send_mark.messages = 2;
  pair_state state{options};
  const auto peer = attach_new(state);
  EXPECT_EQ(state.send(message{"1"}), send_status::queued);
  EXPECT_EQ(state.send(message{"2"}), send_status::queued);
  EXPECT_FALSE(state.writable());
  message m{"3"};
  EXPECT_EQ(state.send(std::move(m), if_full::drop), send_status::full);
  EXPECT_EQ(m.front(), "3");
  static_cast<void>(test::write(state, peer));
  EXPECT_TRUE(state.writable());
  EXPECT_EQ(state.counters().dropped_full, 0U);
}

TEST(pair_state, an_endpoint_accepts_messages_before_it_connects) {
  pair_state state{{}};
  auto& p = state.open_pipe(true);
  EXPECT_EQ(state.send(message{"1"}), send_status::queued);
  EXPECT_FALSE(judged(state, p.id));
  state.on_attached(p, {}, 1);
  state.on_detached(p);
  EXPECT_EQ(state.send(message{"2"}), send_status::queued);
  EXPECT_EQ(judged(state), errc::already_paired) << "the endpoint is the peer, and may come back";
  state.on_attached(p, {}, 1);
  EXPECT_EQ(content_of(test::write(state, p.id)).messages, (std::vector<parts>{{"1"}, {"2"}}));
}

TEST(pair_state, the_first_of_two_endpoints_is_the_peer_until_it_is_disconnected) {
  pair_state state{{}};
  auto& first = state.open_pipe(true);
  auto& second = state.open_pipe(true);
  EXPECT_EQ(judged(state, second.id), errc::already_paired);
  EXPECT_EQ(state.send(message{"1"}), send_status::queued);
  state.close_pipe(first);
  EXPECT_EQ(state.counters().dropped_detached, 1U)
      << "what was queued for an endpoint goes with it";
  EXPECT_FALSE(state.writable());
  EXPECT_FALSE(judged(state, second.id));
  state.on_attached(second, {}, 1);
  EXPECT_EQ(state.send(message{"2"}), send_status::queued);
  EXPECT_EQ(content_of(test::write(state, second.id)).messages, std::vector<parts>{{"2"}});
}

TEST(pair_state, messages_queued_for_an_accepted_peer_are_dropped_when_it_disconnects) {
  pair_state state{{}};
  const auto peer = attach_new(state);
  EXPECT_EQ(state.send(message{"1"}), send_status::queued);
  state.on_detached(*state.find(peer));
  EXPECT_EQ(state.find(peer), nullptr);
  EXPECT_EQ(state.counters().dropped_detached, 1U);
  EXPECT_FALSE(state.writable());
}

}  // namespace
}  // namespace zmtp
