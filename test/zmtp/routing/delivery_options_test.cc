// immediate and the send policies: the peers for which a message may be queued, and the one that
// gets it.

#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::content_of;
using test::messages_to;
using test::parts;

using messages = std::vector<parts>;

socket_options immediately() {
  socket_options options;
  options.immediate = true;
  return options;
}

template <class State>
class immediate : public testing::Test {};
using senders = testing::Types<push_state, dealer_state, req_state, pair_state>;
TYPED_TEST_SUITE(immediate, senders);

TYPED_TEST(immediate, nothing_is_queued_for_a_disconnected_endpoint) {
  TypeParam state{immediately()};
  auto& p = state.open_pipe(true);
  EXPECT_FALSE(state.writable());
  EXPECT_EQ(state.send(message{"too early"}), send_status::full);
  state.on_attached(p, {}, 1);
  EXPECT_TRUE(state.writable());
  EXPECT_EQ(state.send(message{"in time"}), send_status::queued);
  EXPECT_EQ(messages_to(state, p.id).size(), 1U);
}

TYPED_TEST(immediate, messages_queued_before_a_disconnect_are_kept) {
  TypeParam state{immediately()};
  auto& p = state.open_pipe(true);
  state.on_attached(p, {}, 1);
  EXPECT_EQ(state.send(message{"kept"}), send_status::queued);
  state.on_detached(p);
  EXPECT_FALSE(state.writable());
  EXPECT_NE(state.send(message{"too late"}), send_status::queued);
  state.on_attached(p, {}, 1);
  EXPECT_EQ(messages_to(state, p.id).size(), 1U);
}

TEST(immediate_round_robin, messages_go_to_connected_peers_only) {
  push_state push{immediately()};
  auto& absent = push.open_pipe(true);
  auto& there = push.open_pipe(true);
  push.on_attached(there, {}, 1);
  for (int n = 0; n < 4; ++n) {
    ASSERT_EQ(push.send(message{"x"}), send_status::queued);
  }
  EXPECT_EQ(messages_to(push, there.id).size(), 4U);
  EXPECT_TRUE(absent.out.empty());
  // A write to a peer that has disconnected does not make the socket writable.
  push.on_detached(there);
  push.on_written(there);
  EXPECT_FALSE(push.writable());
}

TEST(immediate_router, a_disconnected_endpoint_accepts_no_message) {
  router_state router{immediately()};
  auto& p = router.open_pipe(true);
  EXPECT_EQ(router.send(p.id, {"too early"}), send_status::full);
  EXPECT_FALSE(router.writable(p.id));
  router.on_attached(p, {}, 1);
  EXPECT_EQ(router.send(p.id, {"in time"}), send_status::queued);
}

TEST(immediate_router, the_routing_id_of_an_endpoint_that_is_not_connected_is_unknown) {
  for (const bool mandatory : {false, true}) {
    auto options = immediately();
    options.mandatory = mandatory;
    router_state router{options};
    auto& p = router.open_pipe(true);
    const auto id = p.id;
    router.on_attached(p, test::announcing("server"), 1);
    EXPECT_EQ(router.send({"server", "while it is there"}), send_status::queued);
    EXPECT_EQ(messages_to(router, id), messages{{"while it is there"}});
    router.on_detached(p);
    message late{"server", "while it is not"};
    EXPECT_EQ(router.send(std::move(late)), mandatory ? send_status::unknown : send_status::queued);
    EXPECT_EQ(late.size(), mandatory ? 2U : 0U);  // NOLINT: that is what is tested
    EXPECT_TRUE(p.out.empty());
    EXPECT_EQ(router.counters().dropped_unknown, mandatory ? 0U : 1U);
    EXPECT_EQ(router.counters().messages_sent, 1U);
    ASSERT_EQ(test::attach_to(router, id, "server"), id);
    EXPECT_EQ(router.send({"server", "and again"}), send_status::queued);
    EXPECT_EQ(messages_to(router, id), messages{{"and again"}});
  }
}

TEST(immediate_router, without_immediate_messages_wait_for_the_connection) {
  router_state router{{}};
  auto& p = router.open_pipe(true);
  router.on_attached(p, test::announcing("server"), 1);
  router.on_detached(p);
  EXPECT_EQ(router.send({"server", "kept"}), send_status::queued);
  EXPECT_EQ(p.out.messages(), 1U);
}

TEST(immediate_xsub, endpoints_that_are_not_connected_are_passed_over) {
  xsub_state xsub{immediately()};
  auto& absent = xsub.open_pipe(true);
  const auto there = attach_new(xsub);
  EXPECT_EQ(xsub.send(message{"hello"}), send_status::queued);
  EXPECT_TRUE(absent.out.empty());
  EXPECT_EQ(messages_to(xsub, there), messages{{"hello"}});
  EXPECT_EQ(xsub.counters().dropped_full, 0U);
}

TEST(send_policy, round_robin_ignores_the_queue_lengths) {
  push_state push{{}};
  const auto a = attach_new(push);
  const auto b = attach_new(push);
  ASSERT_EQ(push.send(message{"0"}), send_status::queued);
  ASSERT_EQ(push.send(message{"1"}), send_status::queued);
  static_cast<void>(messages_to(push, b));
  ASSERT_EQ(push.send(message{"2"}), send_status::queued);
  EXPECT_EQ(push.find(a)->out.messages(), 2U);
}

socket_options least_queued(std::size_t mark = 1'000) {
  socket_options options;
  options.policy = send_policy::least_queued;
  options.send_mark.messages = mark;
  return options;
}

TEST(send_policy, least_queued_selects_the_peer_with_the_shortest_queue) {
  push_state push{least_queued()};
  const auto slow = attach_new(push);
  const auto fast = attach_new(push);
  const auto faster = attach_new(push);
  for (int n = 0; n < 9; ++n) {
    ASSERT_EQ(push.send(message{"x"}), send_status::queued);
  }
  for (const auto id : {slow, fast, faster}) {
    EXPECT_EQ(push.find(id)->out.messages(), 3U) << "those who are equal take turns";
  }
  static_cast<void>(messages_to(push, faster));
  for (int n = 0; n < 3; ++n) {
    ASSERT_EQ(push.send(message{"x"}), send_status::queued);
  }
  EXPECT_EQ(push.find(faster)->out.messages(), 3U);
  static_cast<void>(messages_to(push, fast));
  static_cast<void>(messages_to(push, faster));
  for (int n = 0; n < 4; ++n) {
    ASSERT_EQ(push.send(message{"x"}), send_status::queued);
  }
  EXPECT_EQ(push.find(slow)->out.messages(), 3U);
  EXPECT_EQ(push.find(fast)->out.messages(), 2U);
  EXPECT_EQ(push.find(faster)->out.messages(), 2U);
}

TEST(send_policy, least_queued_skips_full_peers_and_is_full_if_all_are) {
  dealer_state dealer{least_queued(2)};
  static_cast<void>(attach_new(dealer));
  const auto other = attach_new(dealer);
  for (int n = 0; n < 4; ++n) {
    ASSERT_EQ(dealer.send(message{"x"}), send_status::queued);
  }
  EXPECT_EQ(dealer.send(message{"x"}), send_status::full);
  static_cast<void>(messages_to(dealer, other));
  EXPECT_EQ(dealer.send(message{"y"}), send_status::queued);
  EXPECT_EQ(messages_to(dealer, other), messages{{"y"}});
}

TEST(send_policy, least_queued_with_peers_that_are_idle_takes_turns) {
  push_state push{least_queued()};
  std::vector<peer_id> all;
  for (int n = 0; n < 5; ++n) {
    all.push_back(attach_new(push));
  }
  for (int n = 0; n < 10; ++n) {
    ASSERT_EQ(push.send(message{std::to_string(n)}), send_status::queued);
    const auto to = all[static_cast<std::size_t>(n) % all.size()];
    EXPECT_EQ(messages_to(push, to), messages{{std::to_string(n)}});
  }
}

}  // namespace
}  // namespace zmtp
