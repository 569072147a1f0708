// Epochs: when one is taken, persisted and used.

#include "test/bstar/machine_script.h"

namespace bstar {
namespace {

// BS-13
TEST_F(machine_script, an_epoch_is_used_only_after_it_is_persisted) {
  start(role::primary);
  persists = false;
  hear(peer_state::backup);
  EXPECT_FALSE(ask());
  EXPECT_EQ(machine->report().state, peer_state::primary);
  machine_actions out;
  machine->on_persisted(1, now, out);
  EXPECT_EQ(out.became_active, 1U);
  EXPECT_TRUE(out.publish);
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, a_promotion_ends_if_the_peer_is_active_first) {
  start(role::primary);
  persists = false;
  hear(peer_state::backup);
  hear(peer_state::active, 2);
  machine_actions out;
  machine->on_persisted(1, now, out);
  EXPECT_FALSE(out.became_active);
  EXPECT_EQ(machine->current(), state::passive);
}

TEST_F(machine_script, a_promotion_that_timed_out_is_retried_with_the_same_epoch) {
  start(role::primary);
  persists = false;
  hear(peer_state::backup);
  pass(1s);
  pass(1s);
  machine_actions out;
  machine->on_persisted(1, now, out);
  EXPECT_FALSE(machine->serving());
  hear(peer_state::backup);
  EXPECT_EQ(activated, epochs{1}) << "nothing is left to be persisted";
}

TEST_F(machine_script, a_promotion_chooses_an_epoch_after_any_received_meanwhile) {
  start(role::primary);
  pass(1s);
  persists = false;
  machine->set_position(9);
  hear(peer_state::backup, 0);
  hear(peer_state::backup, 4);
  machine_actions out;
  machine->on_persisted(1, now, out);
  EXPECT_FALSE(out.became_active);
  EXPECT_EQ(out.persist, 5U);
}

TEST_F(machine_script, an_epoch_that_cannot_be_persisted_is_retried_after_a_pause) {
  start(pair_options{.take_over = takeover::on_expiry});
  persists = false;
  pass(2s);
  machine->on_not_persisted(now);
  EXPECT_GT(machine->next_deadline(), now);
  pass(999ms);
  EXPECT_FALSE(machine->serving());
  persists = true;
  pass(1ms);
  EXPECT_TRUE(machine->serving());
}

TEST_F(machine_script, the_next_epoch_is_later_than_all_received_ones) {
  start(role::backup, 2);
  hear(peer_state::active, 7);
  EXPECT_EQ(persisted, epochs{7});
  hear(peer_state::active, 7);
  EXPECT_EQ(persisted, epochs{7}) << "once";
  pass(2s);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{8});
}

TEST_F(machine_script, the_next_epoch_is_later_than_that_of_the_data) {
  start(role::backup);
  hear(peer_state::active, 1);
  // The peer's data have arrived, but its state has not.
  machine->on_data_of(3);
  pass(2'000ms);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, std::vector<epoch>{4});
  EXPECT_EQ(persisted.back(), 4U);
}

TEST_F(machine_script, an_epoch_far_above_the_known_ones_is_neither_stored_nor_followed) {
  start(role::backup, 2);
  hear(peer_state::active, 2 + state_machine::max_epoch_step + 1);
  EXPECT_TRUE(persisted.empty());
  EXPECT_EQ(passivated, std::vector{passive_reason::peer_active})
      << "the rest of the message counts";
  pass(3s);
  EXPECT_FALSE(ask());
  EXPECT_TRUE(notified(event::epoch_unproven));
  EXPECT_GT(machine->next_deadline(), now);
  // The true peer.
  hear(peer_state::active, 3);
  EXPECT_EQ(persisted, epochs{3});
  pass(3s);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{4});

  start(role::backup, 2);
  hear(peer_state::active, 2 + state_machine::max_epoch_step);
  EXPECT_EQ(persisted.back(), 2 + state_machine::max_epoch_step);
}

TEST_F(machine_script, an_active_node_returns_after_a_message_with_an_unproven_epoch) {
  start(role::primary, 1);
  hear(peer_state::backup, 1);
  pass(1s);
  hear(peer_state::backup, 1);
  ASSERT_EQ(activated, epochs{3});
  hear(peer_state::active, max_epoch);
  ASSERT_EQ(passivated, std::vector{passive_reason::superseded});
  hear(peer_state::passive, 3);
  EXPECT_EQ(activated, (epochs{3, 5}));
}

TEST_F(machine_script, the_epoch_of_the_data_proves_that_of_the_peer) {
  start(role::backup, 2);
  hear(peer_state::active, 5'001);
  machine->on_data_of(5'001);
  hear(peer_state::active, 5'001);
  EXPECT_EQ(persisted, epochs{5'001});
  pass(3s);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{5'002});
}

TEST_F(machine_script, a_node_that_knows_no_epoch_takes_any) {
  start(role::backup);
  hear(peer_state::active, 5'001);
  EXPECT_EQ(persisted, epochs{5'001});
}

TEST_F(machine_script, is_never_active_without_an_epoch) {
  start(pair_options{.as = role::primary, .take_over = takeover::on_expiry}, max_epoch);
  pass(2s);
  EXPECT_FALSE(ask());
  EXPECT_TRUE(notified(event::epochs_exhausted));
  EXPECT_GT(machine->next_deadline(), now);

  start(role::backup, max_epoch - 2);
  hear(peer_state::active);
  hear(peer_state::primary);
  EXPECT_EQ(activated, epochs{max_epoch - 1});
}

TEST_F(machine_script, an_active_node_that_renews_its_epoch_takes_its_own_next) {
  start(role::primary);
  hear(peer_state::backup);
  ASSERT_EQ(activated, std::vector<epoch>{1});
  renew();
  EXPECT_EQ(persisted, (std::vector<epoch>{1, 3}));
  EXPECT_EQ(activated, (std::vector<epoch>{1, 3}));
  EXPECT_EQ(machine->current_epoch(), 3U);
  EXPECT_TRUE(passivated.empty());
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, only_an_active_node_renews_its_epoch) {
  start(role::backup);
  renew();
  hear(peer_state::active, 1);
  renew();
  EXPECT_TRUE(activated.empty());
  EXPECT_EQ(persisted, std::vector<epoch>{1}) << "the peer's";
}

TEST_F(machine_script, a_superseded_node_abandons_the_renewal_of_its_epoch) {
  start(role::primary);
  hear(peer_state::backup);
  persists = false;
  renew();
  hear(peer_state::passive, 4);
  EXPECT_EQ(passivated, std::vector<passive_reason>{passive_reason::superseded});
  persist_late(3);
  EXPECT_FALSE(machine->serving());
}

TEST_F(machine_script, an_active_node_keeps_its_epoch_if_a_renewal_cannot_be_persisted) {
  start(role::primary);
  hear(peer_state::backup);
  persists = false;
  renew();
  machine->on_not_persisted(now);
  EXPECT_TRUE(ask());
  EXPECT_EQ(machine->current_epoch(), 1U);
  persists = true;
  renew();
  EXPECT_EQ(machine->current_epoch(), 1U) << "no immediate retry";
  hear(peer_state::passive, 1);
  pass(1s);
  renew();
  EXPECT_EQ(machine->current_epoch(), 3U);
}

}  // namespace
}  // namespace bstar
