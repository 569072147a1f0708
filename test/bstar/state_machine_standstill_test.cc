// Nodes that were paused, and nodes that read old messages.

#include "test/bstar/machine_script.h"

namespace bstar {
namespace {

TEST_F(machine_script, a_peer_that_has_not_received_our_state_does_not_activate_us) {
  start(role::primary);
  pass(1s);
  for (int i = 0; i < 10; ++i) {
    hear_late(peer_state::backup, 0, 0, 0);
    hear_late(peer_state::backup, 0, 0, 4711);
    hear_late(peer_state::backup, 0, 0, machine->report().more->tick + 1);
  }
  EXPECT_EQ(machine->current(), state::primary);
  hear(peer_state::backup, 0);
  EXPECT_EQ(machine->current(), state::active);
}

TEST_F(machine_script, an_old_acknowledgement_by_the_peer_does_not_activate_us) {
  start(role::primary);
  pass(1s);
  const auto then = machine->report().more->tick;
  pass(4s);
  hear_late(peer_state::backup, 0, 0, then);
  EXPECT_EQ(machine->current(), state::primary);
  hear_late(peer_state::backup, 0, 0, then + 2);
  EXPECT_EQ(machine->current(), state::active);
}

TEST_F(machine_script, a_peer_that_has_not_received_our_state_gets_it_only_once) {
  start(role::primary);
  for (int i = 0; i < 10; ++i) {
    hear_late(peer_state::backup, 0, 0, 0);
  }
  EXPECT_EQ(published, 1U);
  pass(1s);
  hear_late(peer_state::backup, 0, 0, 0);
  EXPECT_EQ(published, 3U);
}

TEST_F(machine_script, a_paused_active_node_is_suspended_before_it_serves) {
  start(role::primary);
  hear(peer_state::backup);
  pass(3s);
  ASSERT_TRUE(ask());
  stand_still(1'750ms);
  EXPECT_FALSE(ask());
  EXPECT_EQ(machine->current(), state::suspended);
  EXPECT_EQ(machine->report().state, peer_state::active);
  EXPECT_TRUE(notified(event::suspended));
}

TEST_F(machine_script, a_short_pause_does_not_suspend_an_active_node) {
  start(role::primary);
  hear(peer_state::backup);
  pass(3s);
  stand_still(1'749ms);
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, a_suspended_node_resumes_after_the_peer_received_its_state) {
  start(role::primary);
  pass(1s);
  hear(peer_state::backup, 0);
  pass(1s);
  const auto before = machine->report().more->tick;
  stand_still(5s);
  hear_late(peer_state::passive, 1, 0, before);
  EXPECT_EQ(machine->current(), state::suspended);
  pass(250ms);
  hear(peer_state::passive, 1);
  EXPECT_TRUE(ask());
  EXPECT_TRUE(notified(event::resumed));
  EXPECT_EQ(activated, epochs{1}) << "the node has been active since then";
  EXPECT_TRUE(passivated.empty());
}

TEST_F(machine_script, a_suspended_node_resumes_after_a_new_state_from_a_guide_peer) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "pending messages";
  pass(1'499ms);
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "the peer may not have received our state yet";
  pass(1ms);
  hear(peer_state::passive);
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, a_suspended_node_yields_to_a_peer_that_took_over) {
  for (const auto as : {role::primary, role::backup}) {
    start(as, as == role::primary ? 0 : 1);
    hear(peer_state::active);
    hear(as == role::primary ? peer_state::backup : peer_state::primary);
    ASSERT_TRUE(ask());
    pass(1s);
    published = 0;
    stand_still(5s);
    if (as == role::primary) {
      hear(peer_state::active);
      EXPECT_EQ(passivated.back(), passive_reason::peer_active);
    } else {
      hear(peer_state::active, 3);
      EXPECT_EQ(passivated.back(), passive_reason::superseded);
    }
    EXPECT_EQ(machine->current(), state::passive);
    EXPECT_EQ(machine->report().state, peer_state::passive);
    EXPECT_FALSE(ask());
  }
}

TEST_F(machine_script, pending_messages_are_read_before_the_node_publishes_its_state) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  published = 0;
  stand_still(5s);
  pass(0s);
  EXPECT_EQ(published, 0U) << "the Guide's program would exit if it had taken over";
  pass(1'249ms);
  EXPECT_EQ(published, 0U) << "the peer has not had time to send its state";
  pass(1ms);
  EXPECT_EQ(published, 1U);
}

// With the shortest expiry, the wait after a pause is as long as a pause.
TEST_F(machine_script, the_wait_for_a_guide_peer_is_not_another_pause) {
  start({.as = role::primary, .heartbeat = 1s, .expiry = 1'500ms});
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  hear(peer_state::passive);
  published = 0;
  pass(1'249ms);
  EXPECT_EQ(published, 0U);
  pass(1ms);
  EXPECT_EQ(published, 1U);
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "the peer may not have received our state yet";
  pass(250ms);
  hear(peer_state::passive);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{1}) << "the node has been active since then";
}

TEST_F(machine_script, a_pause_within_the_wait_for_a_guide_peer_counts) {
  start({.as = role::primary, .heartbeat = 1s, .expiry = 1'500ms});
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  hear(peer_state::passive);
  published = 0;
  stand_still(1'500ms);
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "a pending message";
  pass(1'249ms);
  EXPECT_EQ(published, 0U);
  pass(1ms);
  EXPECT_EQ(published, 1U);
}

TEST_F(machine_script, a_suspended_node_takes_a_new_epoch_if_the_peer_is_unresponsive) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  EXPECT_FALSE(ask());
  pass(1'999ms);
  EXPECT_FALSE(ask());
  pass(1ms);
  EXPECT_TRUE(ask());
  // The peer may have taken epoch 2 meanwhile, and may have disconnected.
  EXPECT_EQ(activated, (epochs{1, 3}));
  EXPECT_TRUE(passivated.empty());
  EXPECT_TRUE(notified(event::resumed));
}

TEST_F(machine_script, a_suspended_node_that_pauses_again_stays_suspended) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  EXPECT_FALSE(ask());
  stand_still(5s);
  EXPECT_FALSE(ask());
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "messages from before the second pause";
}

TEST_F(machine_script, a_pause_of_a_passive_node_does_not_count_as_silence) {
  for (const auto standstill : {1'500ms, 2'000ms, 10'000ms}) {
    start(role::backup);
    hear(peer_state::active);
    pass(1s);
    hear(peer_state::active);
    pass(900ms);
    stand_still(standstill);
    EXPECT_FALSE(ask()) << standstill.count();
    hear(peer_state::active);
    pass(1'999ms);
    EXPECT_FALSE(ask()) << standstill.count();
    pass(1ms);
    EXPECT_TRUE(ask()) << standstill.count();
  }
}

TEST_F(machine_script, a_passive_node_waits_for_the_expiry_again_after_a_pause) {
  for (const auto first : {role::backup, role::primary}) {
    start(first);
    if (first == role::backup) {
      hear(peer_state::active);
    }
    pass(1s);
    stand_still(10s);
    EXPECT_FALSE(ask());
    pass(1'999ms);
    EXPECT_FALSE(ask()) << "its connection may have ended, and nothing is pending";
    pass(1ms);
    EXPECT_TRUE(ask());
  }
}

TEST_F(machine_script, a_passive_node_checks_twice_before_it_takes_over) {
  start(role::backup);
  hear(peer_state::active);
  pass(1s);
  stand_still(1'200ms);
  EXPECT_FALSE(ask()) << "too short a pause to be noticed";
  pass(249ms);
  EXPECT_FALSE(ask());
  stand_still(300ms);
  EXPECT_FALSE(ask()) << "a second pause";
  pass(250ms);
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, silence_from_before_a_pause_does_not_count) {
  start(role::backup);
  hear(peer_state::active);
  pass(3s);
  stand_still(2s);
  EXPECT_FALSE(ask()) << "the peer may have restarted and be active";
  hear(peer_state::active);
  EXPECT_FALSE(ask());
}

TEST_F(machine_script, an_old_message_read_after_a_pause_does_not_activate_the_node) {
  start(role::backup);
  hear(peer_state::active, 1);
  pass(1s);
  const auto before = machine->report().more->tick;
  stand_still(3s);
  hear_late(peer_state::primary, 1, 0, before);
  EXPECT_EQ(machine->current(), state::passive);
  hear_late(peer_state::active, 3, 0, before);
  EXPECT_EQ(machine->current(), state::passive);

  start(role::backup);
  hear(peer_state::active);
  pass(1s);
  stand_still(3s);
  hear(peer_state::primary);
  EXPECT_EQ(machine->current(), state::passive) << "also if the peer is the Guide's program";
  pass(1'500ms);
  hear(peer_state::primary);
  EXPECT_EQ(machine->current(), state::active);
}

}  // namespace
}  // namespace bstar
