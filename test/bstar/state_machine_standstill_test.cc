// What a node does that stood still, or reads what is old.

#include "test/bstar/machine_script.h"

namespace bstar {
namespace {

TEST_F(machine_script, peer_that_has_not_heard_us_makes_nobody_active) {
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

TEST_F(machine_script, what_the_peer_heard_long_ago_makes_nobody_active) {
  start(role::primary);
  pass(1s);
  const auto then = machine->report().more->tick;
  pass(4s);
  hear_late(peer_state::backup, 0, 0, then);
  EXPECT_EQ(machine->current(), state::primary);
  hear_late(peer_state::backup, 0, 0, then + 2);
  EXPECT_EQ(machine->current(), state::active);
}

TEST_F(machine_script, peer_that_has_not_heard_us_is_told_at_once_but_not_again_and_again) {
  start(role::primary);
  for (int i = 0; i < 10; ++i) {
    hear_late(peer_state::backup, 0, 0, 0);
  }
  EXPECT_EQ(published, 1U);
  pass(1s);
  hear_late(peer_state::backup, 0, 0, 0);
  EXPECT_EQ(published, 3U);
}

TEST_F(machine_script, active_that_stood_still_serves_nobody_before_it_knows_better) {
  start(role::primary);
  hear(peer_state::backup);
  pass(3s);
  ASSERT_TRUE(ask());
  stand_still(1'750ms);
  EXPECT_FALSE(ask());
  EXPECT_EQ(machine->current(), state::suspended);
  EXPECT_EQ(machine->report().state, peer_state::active);
  EXPECT_TRUE(told(event::suspended));
}

TEST_F(machine_script, short_standstill_suspends_nobody) {
  start(role::primary);
  hear(peer_state::backup);
  pass(3s);
  stand_still(1'749ms);
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, suspended_resumes_when_the_peer_has_heard_it_since) {
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
  EXPECT_TRUE(told(event::resumed));
  EXPECT_EQ(activated, epochs{1}) << "it has been active all the while";
  EXPECT_TRUE(passivated.empty());
}

TEST_F(machine_script, suspended_resumes_by_a_state_of_the_guides_that_is_new) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "what had waited";
  pass(1'499ms);
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "it may not have heard us yet";
  pass(1ms);
  hear(peer_state::passive);
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, suspended_gives_way_to_a_peer_that_took_over) {
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

TEST_F(machine_script, what_has_waited_is_read_before_the_peer_is_told_what_was) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  published = 0;
  stand_still(5s);
  pass(0s);
  EXPECT_EQ(published, 0U) << "a peer of the Guide that took over would die of it";
  pass(1'249ms);
  EXPECT_EQ(published, 0U) << "it has not had the time to say so";
  pass(1ms);
  EXPECT_EQ(published, 1U);
}

TEST_F(machine_script, suspended_takes_a_new_epoch_when_the_peer_stays_silent) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  EXPECT_FALSE(ask());
  pass(1'999ms);
  EXPECT_FALSE(ask());
  pass(1ms);
  EXPECT_TRUE(ask());
  // The peer may have taken 2 meanwhile, and be gone.
  EXPECT_EQ(activated, (epochs{1, 3}));
  EXPECT_TRUE(passivated.empty());
  EXPECT_TRUE(told(event::resumed));
}

TEST_F(machine_script, suspended_stands_still_again) {
  start(role::primary);
  hear(peer_state::backup);
  pass(1s);
  stand_still(5s);
  EXPECT_FALSE(ask());
  stand_still(5s);
  EXPECT_FALSE(ask());
  hear(peer_state::passive);
  EXPECT_FALSE(ask()) << "what had waited for the second time";
}

TEST_F(machine_script, time_in_which_a_passive_stood_still_is_no_silence) {
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

TEST_F(machine_script, passive_that_stood_still_looks_twice_before_it_takes_over) {
  start(role::backup);
  hear(peer_state::active);
  pass(1s);
  stand_still(10s);
  EXPECT_FALSE(ask());
  pass(249ms);
  EXPECT_FALSE(ask());
  stand_still(300ms);
  EXPECT_FALSE(ask()) << "it stood still again";
  pass(250ms);
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, silence_from_before_a_standstill_does_not_count) {
  start(role::backup);
  hear(peer_state::active);
  pass(3s);
  stand_still(2s);
  EXPECT_FALSE(ask()) << "the peer may have come back and be active";
  hear(peer_state::active);
  EXPECT_FALSE(ask());
}

TEST_F(machine_script, old_message_read_after_a_standstill_makes_nobody_active) {
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
  EXPECT_EQ(machine->current(), state::passive) << "one of the Guide's, too";
  pass(1'500ms);
  hear(peer_state::primary);
  EXPECT_EQ(machine->current(), state::active);
}

}  // namespace
}  // namespace bstar
