// Elections: which node becomes active, and which node yields.

#include "test/bstar/machine_script.h"

namespace bstar {
namespace {

// The Guide's table, with a peer of the Guide.

// BS-4
TEST_F(machine_script, a_primary_becomes_active_if_it_sees_a_backup) {
  start(role::primary);
  hear(peer_state::backup);
  EXPECT_EQ(machine->current(), state::active);
  EXPECT_EQ(activated, epochs{1});
  EXPECT_TRUE(ask());
}

// BS-4
TEST_F(machine_script, a_primary_becomes_passive_if_it_sees_an_active_peer) {
  start(role::primary);
  hear(peer_state::active);
  EXPECT_EQ(machine->current(), state::passive);
  EXPECT_EQ(passivated, reasons{passive_reason::peer_active});
  EXPECT_FALSE(ask());
}

// BS-4, BS-5
TEST_F(machine_script, a_primary_waits_for_the_expiry_before_it_serves_alone) {
  start(role::primary);
  EXPECT_FALSE(ask());
  pass(1'999ms);
  EXPECT_FALSE(ask());
  pass(1ms);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{1});
}

// BS-4
TEST_F(machine_script, a_primary_waits_for_a_passive_peer) {
  start(role::primary);
  hear(peer_state::passive);
  EXPECT_EQ(machine->current(), state::primary);
}

// BS-4
TEST_F(machine_script, backup_is_passive_beside_an_active_peer_and_does_not_serve_alone) {
  start(role::backup);
  hear(peer_state::primary);
  EXPECT_EQ(machine->current(), state::backup);
  pass(1min);
  EXPECT_FALSE(ask());
  hear(peer_state::active);
  EXPECT_EQ(machine->current(), state::passive);
}

// BS-4
TEST_F(machine_script, a_passive_node_takes_over_if_the_peer_restarts) {
  for (const auto restarted : {peer_state::primary, peer_state::backup}) {
    start(restarted == peer_state::primary ? role::backup : role::primary);
    hear(peer_state::active);
    hear(restarted);
    EXPECT_EQ(machine->current(), state::active);
  }
}

// BS-4
TEST_F(machine_script, a_passive_node_takes_over_by_a_vote_after_the_expiry) {
  start(role::backup);
  hear(peer_state::active);
  pass(1'999ms);
  EXPECT_FALSE(ask());
  pass(1ms);
  EXPECT_EQ(machine->current(), state::passive) << "time alone does not make a node active";
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{2});
}

TEST_F(machine_script, every_state_of_the_peer_defers_the_takeover) {
  start(role::backup);
  hear(peer_state::active);
  for (int i = 0; i < 5; ++i) {
    pass(1'900ms);
    hear(peer_state::active);
  }
  pass(1'900ms);
  EXPECT_FALSE(ask());
}

// BS-4
TEST_F(machine_script, an_active_node_ignores_states_that_change_nothing) {
  start(role::primary);
  hear(peer_state::backup);
  for (const auto s : {peer_state::backup, peer_state::passive, peer_state::primary}) {
    hear(s);
    EXPECT_TRUE(ask());
  }
  EXPECT_EQ(activated, epochs{1});
  EXPECT_TRUE(passivated.empty());
}

// States in which the Guide's nodes exit.

// BS-8
TEST_F(machine_script, primary_stays_and_backup_yields_if_a_guide_peer_is_active_too) {
  start(role::primary);
  hear(peer_state::backup);
  hear(peer_state::active);
  EXPECT_TRUE(ask());
  EXPECT_TRUE(notified(event::dual_active));
  EXPECT_TRUE(passivated.empty());

  start(role::backup);
  hear(peer_state::active);
  hear(peer_state::primary);
  ASSERT_TRUE(ask());
  hear(peer_state::active);
  EXPECT_EQ(machine->current(), state::passive);
  EXPECT_EQ(passivated.back(), passive_reason::yielded);
}

// BS-9
TEST_F(machine_script, takes_over_if_a_guide_peer_is_passive_too) {
  for (const auto as : {role::primary, role::backup}) {
    start(as);
    hear(peer_state::active);
    hear(peer_state::passive);
    EXPECT_EQ(machine->current(), state::active);
    EXPECT_TRUE(notified(event::dual_passive));
  }
}

// BS-8
TEST_F(machine_script, the_later_epoch_stays_if_both_nodes_are_active) {
  start(role::primary, 6);
  hear(peer_state::backup);
  ASSERT_EQ(activated, epochs{7});
  hear(peer_state::active, 6);
  EXPECT_TRUE(ask());
  hear(peer_state::active, 8);
  EXPECT_EQ(machine->current(), state::passive);
  EXPECT_EQ(passivated, reasons{passive_reason::superseded});
  EXPECT_EQ(machine->current_epoch(), 8U);
  EXPECT_EQ(persisted.back(), 8U) << "the next epoch must be later on either node";
}

TEST_F(machine_script, dual_active_is_reported_once) {
  start(role::primary);
  hear(peer_state::backup);
  const auto count = [&] { return std::count(events.begin(), events.end(), event::dual_active); };
  hear(peer_state::active);
  hear(peer_state::active);
  EXPECT_EQ(count(), 1);
  hear(peer_state::passive);
  hear(peer_state::active);
  EXPECT_EQ(count(), 2);
}

TEST_F(machine_script, an_active_node_yields_to_a_later_epoch_of_any_peer) {
  start(role::primary);
  hear(peer_state::backup);
  hear(peer_state::backup, 8);
  EXPECT_EQ(machine->current(), state::passive);
  hear(peer_state::backup, 8);
  EXPECT_EQ(machine->current(), state::passive) << "the peer's data are newer";
  machine->set_position(1);
  hear(peer_state::backup, 8);
  EXPECT_EQ(activated, (epochs{1, 9}));
}

// Newer data.

TEST_F(machine_script, the_newer_data_win_if_both_nodes_wait) {
  start(role::primary);
  pass(1s);
  hear(peer_state::backup, 0, 5);
  EXPECT_EQ(machine->current(), state::primary);
  machine->set_position(5);
  hear(peer_state::backup, 0, 5);
  EXPECT_EQ(machine->current(), state::active) << "equal positions: the table decides";

  start(role::backup);
  pass(1s);
  machine->set_position(5);
  hear(peer_state::primary, 0, 5);
  EXPECT_EQ(machine->current(), state::backup);
  machine->set_position(6);
  hear(peer_state::primary, 0, 5);
  EXPECT_EQ(machine->current(), state::active);
}

TEST_F(machine_script, a_passive_node_stays_passive_beside_a_peer_with_newer_data) {
  start(role::backup, 3);
  hear(peer_state::active, 3);
  hear(peer_state::primary, 3, 1);
  EXPECT_EQ(machine->current(), state::passive);
  hear(peer_state::primary, 3, 0);
  EXPECT_EQ(activated, epochs{4});
}

// BS-9
TEST_F(machine_script, the_primary_takes_over_if_two_passive_nodes_have_equal_data) {
  for (const auto as : {role::primary, role::backup}) {
    start(as);
    hear(peer_state::active, 3);
    pass(1s);
    hear(peer_state::passive, 3);
    EXPECT_EQ(machine->serving(), as == role::primary);
  }
}

// Options.

TEST_F(machine_script, a_takeover_on_expiry_does_not_need_a_client) {
  start(pair_options{.as = role::backup, .take_over = takeover::on_expiry});
  pass(1min);
  EXPECT_EQ(machine->current(), state::backup);
  hear(peer_state::active);
  pass(1'999ms);
  EXPECT_EQ(machine->current(), state::passive);
  pass(1ms);
  EXPECT_EQ(machine->current(), state::active);

  start(pair_options{.as = role::primary, .take_over = takeover::on_expiry});
  pass(2s);
  EXPECT_EQ(machine->current(), state::active);
  stand_still(5s);
  pass(0s);
  EXPECT_EQ(machine->current(), state::suspended);
  pass(2s);
  EXPECT_EQ(machine->current(), state::active);
}

TEST_F(machine_script, a_lone_backup_is_promoted_if_allowed_and_no_peer_was_seen) {
  start(pair_options{.as = role::backup, .promote_alone_after = 10s});
  pass(9'999ms);
  EXPECT_FALSE(ask());
  pass(1ms);
  EXPECT_EQ(activated, epochs{2});

  start(pair_options{.as = role::backup, .promote_alone_after = 10s});
  hear(peer_state::primary);
  pass(1min);
  EXPECT_EQ(machine->current(), state::backup);
}

// BS-17
TEST_F(machine_script, a_node_without_its_data_does_not_take_over) {
  for (const auto how : {takeover::on_request, takeover::on_expiry}) {
    for (const auto as : {role::primary, role::backup}) {
      start(pair_options{.as = as, .take_over = how, .primary_serves_at_once = true}, 3);
      machine->set_data_lost(true);
      pass(1min);
      EXPECT_FALSE(ask());
      hear(peer_state::active, 4, 100);
      EXPECT_EQ(machine->current(), state::passive);
      pass(1min);
      EXPECT_FALSE(ask());
      EXPECT_TRUE(machine->data_lost());
      EXPECT_EQ(events, (std::vector{event::peer_unresponsive, event::data_lost,
                                     event::peer_unresponsive, event::data_lost}))
          << "once for each timeout";
      events.clear();
      // The node has copied the data of its peer.
      hear(peer_state::active, 4, 100);
      machine->set_position(100);
      machine->set_data_lost(false);
      pass(1min);
      EXPECT_TRUE(ask());
      EXPECT_EQ(events, std::vector{event::peer_unresponsive});
      events.clear();
      activated.clear();
    }
  }
}

// BS-17
TEST_F(machine_script, one_node_becomes_active_if_both_have_lost_their_data) {
  start(role::primary, 3);
  machine->set_data_lost(true);
  hear(peer_state::backup, 4, 7);
  EXPECT_EQ(machine->current(), state::primary) << "the peer has data";
  peer_lacks_data = true;
  hear_late(peer_state::backup, 2, 0, 0);
  EXPECT_EQ(machine->current(), state::primary) << "this message is old";
  hear(peer_state::backup, 2);
  EXPECT_EQ(activated, epochs{5});
  EXPECT_FALSE(machine->data_lost());
  pass(1min);
  EXPECT_TRUE(ask()) << "its current data are not lost";
}

TEST_F(machine_script, a_node_with_data_goes_before_one_that_has_lost_them) {
  for (const bool own : {false, true}) {
    start(role::primary, 3);
    pass(1s);
    machine->set_position(5);
    machine->set_data_lost(own);
    peer_lacks_data = !own;
    hear(peer_state::passive, 2, 9);  // a part of what it had
    EXPECT_EQ(activated.size(), own ? 0U : 1U);
    activated.clear();
    peer_lacks_data = false;
  }
}

TEST_F(machine_script, a_node_that_declines_lets_its_peer_become_active) {
  start(role::primary, 3);
  pass(1s);
  machine->set_position(9);
  hear(peer_state::passive, 2, 5);
  EXPECT_EQ(activated, epochs{5});
  machine->set_declines(true);
  hand_over();
  EXPECT_EQ(machine->current(), state::passive);
  EXPECT_TRUE(machine->report().more->declines);
  hear(peer_state::passive, 2, 5);
  pass(1min);
  EXPECT_FALSE(ask()) << "neither by rank, nor by a request";
  EXPECT_EQ(activated, epochs{5});
  machine->set_declines(false);
  EXPECT_TRUE(ask());

  start(role::backup, 3);
  pass(1s);
  machine->set_position(5);
  peer_declines = true;
  hear_late(peer_state::passive, 2, 9, 0);
  EXPECT_NE(machine->current(), state::active) << "this message is old";
  hear(peer_state::passive, 2, 9);
  EXPECT_EQ(machine->current(), state::active) << "although the peer has more";
}

TEST_F(machine_script, a_node_without_data_does_not_replace_one_that_declines) {
  start(role::backup, 3);
  pass(1s);
  machine->set_data_lost(true);
  peer_declines = true;
  hear(peer_state::passive, 2, 9);
  EXPECT_NE(machine->current(), state::active);
  peer_lacks_data = true;
  hear(peer_state::passive, 2, 9);
  EXPECT_NE(machine->current(), state::active) << "the peer has more of them";
  machine->set_position(9);
  hear(peer_state::passive, 2, 9);
  EXPECT_EQ(machine->current(), state::active);
}

// BS-17
TEST_F(machine_script, a_lone_node_without_its_data_is_promoted_only_if_allowed) {
  for (const auto as : {role::primary, role::backup}) {
    activated.clear();
    start(pair_options{.as = as, .promote_alone_after = 10s}, 3);
    machine->set_data_lost(true);
    pass(9'999ms);
    EXPECT_FALSE(ask());
    pass(1ms);
    EXPECT_EQ(activated, epochs{as == role::primary ? 5U : 4U});
    EXPECT_FALSE(machine->data_lost());

    start(pair_options{.as = as, .promote_alone_after = 10s}, 3);
    machine->set_data_lost(true);
    hear(peer_state::active, 4, 100);
    pass(1min);
    EXPECT_FALSE(ask()) << "a peer was seen";
  }
}

// BS-17
TEST_F(machine_script, a_node_without_its_data_follows_the_table_with_a_guide_peer) {
  start(role::primary, 3);
  machine->set_data_lost(true);
  EXPECT_EQ(machine->report().state, peer_state::primary);
  hear(peer_state::backup);
  EXPECT_EQ(activated, epochs{5});
}

// BS-5
TEST_F(machine_script, a_primary_can_serve_at_once_as_in_the_proof_of_concept) {
  start(pair_options{.as = role::primary, .primary_serves_at_once = true});
  EXPECT_TRUE(ask());
}

// BS-10
TEST_F(machine_script, two_nodes_of_the_same_role_are_reported) {
  start(role::backup);
  hear(peer_state::backup);
  hear(peer_state::backup);
  EXPECT_EQ(events, std::vector{event::same_role});
  start(role::primary);
  hear(peer_state::primary);
  EXPECT_EQ(machine->current(), state::primary);
  EXPECT_EQ(events.size(), 2U);
}

TEST_F(machine_script, the_expiry_may_be_longer) {
  start(pair_options{.as = role::backup, .heartbeat = 100ms, .expiry = 1s});
  hear(peer_state::active);
  pass(999ms);
  EXPECT_FALSE(ask());
  EXPECT_TRUE(machine->peer_alive(now));
  pass(1ms);
  EXPECT_FALSE(machine->peer_alive(now));
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, the_state_is_published_with_each_heartbeat_and_each_change) {
  start(role::primary);
  pass(10s);
  EXPECT_EQ(published, 10U);
  hear(peer_state::backup);
  EXPECT_EQ(published, 11U);
}

}  // namespace
}  // namespace bstar
