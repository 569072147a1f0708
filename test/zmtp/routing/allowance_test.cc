// While memory is short, each queue takes less than its marks allow: the peers that still get
// messages, the counter of the dropped ones, and the queues that continue when memory is free
// again.

#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace zmtp {
namespace {

using test::attach_new;
using test::peer_sends;
using test::write;

constexpr std::size_t little = 4 * 1024;
constexpr std::size_t plenty = memory_account::unlimited;

const std::string body(3'000, 'x');

TEST(quota, stops_a_sender_below_its_mark_and_resumes_it) {
  push_state push{{}};
  const auto a = attach_new(push);
  const auto b = attach_new(push);
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(push.send({body}), send_status::queued);
  }
  push.on_quota_changed(little);
  EXPECT_FALSE(push.writable());
  EXPECT_EQ(push.send({body}), send_status::full);
  write(push, a);
  EXPECT_EQ(push.send({body}), send_status::queued) << "to the one that has nothing queued";
  EXPECT_EQ(push.send({body}), send_status::queued);
  EXPECT_EQ(push.send({body}), send_status::full);
  EXPECT_EQ(push.find(a)->out.messages(), 2U);
  EXPECT_EQ(push.find(b)->out.messages(), 3U);
  push.on_quota_changed(plenty);
  EXPECT_TRUE(push.writable());
  EXPECT_EQ(push.send({body}), send_status::queued);
  EXPECT_EQ(push.counters().dropped_over_budget, 0U);
}

// A peer in the same process reports that it has taken a message only on request.
TEST(quota, causes_a_write_of_queued_messages) {
  push_state push{{}};
  const auto a = attach_new(push);
  attach_new(push);
  ASSERT_EQ(push.send({body}), send_status::queued);
  push.find(a)->dirty = false;
  push.dirty().clear();
  push.on_quota_changed(little);
  ASSERT_EQ(push.dirty().size(), 1U);
  EXPECT_EQ(push.dirty().front(), a);
}

TEST(quota, a_quota_of_any_size_accepts_a_message_if_nothing_is_queued) {
  pair_state pair{{}};
  const auto a = attach_new(pair);
  pair.on_quota_changed(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pair.send(message{std::string(1'000'000, 'x')}, if_full::report),
              send_status::queued);
    EXPECT_FALSE(pair.writable());
    write(pair, a);
    EXPECT_TRUE(pair.writable());
  }
}

TEST(quota, resumes_reading_from_a_paused_peer) {
  pull_state pull{{}};
  const auto a = attach_new(pull);
  const auto b = attach_new(pull);
  pull.on_quota_changed(little);
  for (int i = 0; i < 3; ++i) {
    peer_sends(pull, a, {body});
  }
  auto& stopped = *pull.find(a);
  EXPECT_TRUE(stopped.in.full());
  EXPECT_FALSE(pull.find(b)->in.full());
  stopped.blocked = true;
  pull.on_quota_changed(2 * little);
  EXPECT_TRUE(pull.resumable().empty()) << "there is too little room";
  pull.on_quota_changed(plenty);
  ASSERT_EQ(pull.resumable().size(), 1U);
  EXPECT_EQ(pull.resumable().front(), a);
  EXPECT_FALSE(stopped.blocked);
}

TEST(quota, makes_a_publisher_drop_messages) {
  pub_state pub{{}};
  const auto slow = attach_new(pub);
  const auto quick = attach_new(pub);
  for (const auto id : {slow, quick}) {
    pub.on_subscription(*pub.find(id), true, "");
  }
  pub.on_quota_changed(little);
  for (int i = 0; i < 5; ++i) {
    if (pub.send({body}) == send_status::full) {
      pub.end_turn();
      write(pub, quick);
      EXPECT_EQ(pub.send({body}, if_full::drop), send_status::queued);
    }
    pub.end_turn();
    write(pub, quick);
  }
  EXPECT_EQ(pub.find(slow)->out.messages(), 2U);
  EXPECT_EQ(pub.counters().dropped_over_budget, 3U);
  EXPECT_EQ(pub.find(slow)->counters.dropped_over_budget, 3U);
  EXPECT_EQ(pub.find(quick)->counters.dropped_over_budget, 0U);
  EXPECT_EQ(pub.counters().dropped_full, 0U);
  EXPECT_EQ(pub.find(slow)->counters.dropped_full, 0U);
  // The subscriber misses nothing from then on.
  pub.on_quota_changed(plenty);
  EXPECT_EQ(pub.send({body}), send_status::queued);
  pub.end_turn();
  EXPECT_EQ(pub.find(slow)->out.messages(), 3U);
}

TEST(quota, is_not_counted_if_the_mark_is_reached_first) {
  socket_options options;
  options.send_mark.messages = 1;
  pub_state pub{options};
  const auto slow = attach_new(pub);
  pub.on_subscription(*pub.find(slow), true, "");
  pub.on_quota_changed(little);
  ASSERT_EQ(pub.send({"small"}), send_status::queued);
  pub.end_turn();
  EXPECT_EQ(pub.send({"small"}, if_full::drop), send_status::queued);
  EXPECT_EQ(pub.counters().dropped_full, 1U);
  EXPECT_EQ(pub.counters().dropped_over_budget, 0U);
}

TEST(quota, makes_a_publisher_with_no_drop_wait) {
  socket_options options;
  options.no_drop = true;
  pub_state pub{options};
  const auto slow = attach_new(pub);
  pub.on_subscription(*pub.find(slow), true, "");
  pub.on_quota_changed(little);
  while (pub.send({body}) == send_status::queued) {
    pub.end_turn();
  }
  EXPECT_EQ(pub.send({body}, if_full::drop), send_status::full);
  EXPECT_FALSE(pub.writable());
  write(pub, slow);
  EXPECT_TRUE(pub.writable());
}

TEST(quota, makes_a_router_and_a_rep_drop_messages) {
  router_state router{{}};
  const auto peer = attach_new(router, "peer");
  router.on_quota_changed(1);
  ASSERT_EQ(router.send(message{"peer", body}, if_full::drop), send_status::queued);
  EXPECT_EQ(router.send(message{"peer", body}, if_full::report), send_status::full);
  EXPECT_EQ(router.send(message{"peer", body}, if_full::drop), send_status::queued);
  EXPECT_EQ(router.counters().dropped_over_budget, 1U);
  EXPECT_EQ(router.find(peer)->counters.dropped_over_budget, 1U);
  EXPECT_EQ(router.counters().dropped_full, 0U);

  rep_state rep{{}};
  const auto snapshot_client = attach_new(rep);
  rep.on_quota_changed(1);
  message request;
  for (int i = 0; i < 2; ++i) {
    peer_sends(rep, snapshot_client, {"", "question"});
    ASSERT_TRUE(rep.receive(request));
    EXPECT_EQ(rep.send({body}, if_full::drop), send_status::queued);
  }
  EXPECT_EQ(rep.counters().dropped_over_budget, 1U);
}

TEST(quota, makes_an_xsub_drop_messages) {
  xsub_state xsub{{}};
  const auto publisher = attach_new(xsub);
  xsub.on_quota_changed(1);
  ASSERT_EQ(xsub.send({body}, if_full::drop), send_status::queued);
  ASSERT_EQ(xsub.send({body}, if_full::drop), send_status::queued);
  EXPECT_EQ(xsub.counters().dropped_over_budget, 1U);
  EXPECT_EQ(xsub.find(publisher)->counters.dropped_over_budget, 1U);
}

TEST(quota, does_not_apply_to_conflating_queues) {
  socket_options options;
  options.conflate = true;
  push_state push{options};
  const auto a = attach_new(push);
  push.on_quota_changed(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(push.send({body}), send_status::queued);
  }
  EXPECT_EQ(push.find(a)->out.messages(), 1U);
  EXPECT_EQ(push.counters().dropped_conflated, 2U);
}

TEST(quota, counts_the_messages_of_all_pipes_until_they_are_freed) {
  dealer_state dealer{{}};
  const auto a = attach_new(dealer);
  ASSERT_EQ(dealer.send({body}), send_status::queued);
  peer_sends(dealer, a, {body});
  EXPECT_GE(dealer.account().bytes(), 6'000);
  dealer.on_detached(*dealer.find(a));
  EXPECT_LE(dealer.account().bytes(), 3'500) << "its messages are still to be received";
  message m;
  ASSERT_TRUE(dealer.receive(m));
  EXPECT_EQ(dealer.account().bytes(), 0);
}

}  // namespace
}  // namespace zmtp
