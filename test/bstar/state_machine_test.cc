#include "bstar/state_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace bstar {
namespace {

using namespace std::chrono_literals;

// One node, and what a peer says to it.
class machine_script : public testing::Test {
public:
  void start(pair_options options, epoch last = 0) {
    machine.emplace(options, last, 7, now);
    actions.clear();
  }
  void start(role as, epoch last = 0) { start(pair_options{.as = as}, last); }

  // A node of the Guide.
  void hear(peer_state s) {
    take([&] { machine->on_peer({.state = s}, now, actions); });
  }
  // One of ours, which has heard our last tick, or no tick at all.
  void hear(peer_state s, epoch e, std::uint64_t position = 0) {
    hear_late(s, e, position, machine->report().more->tick);
  }
  void hear_late(peer_state s, epoch e, std::uint64_t position, std::uint64_t heard) {
    const peer_report report{
        .state = s,
        .more = account{.of = e, .position = position, .tick = ++peer_tick, .heard = heard}};
    take([&] { machine->on_peer(report, now, actions); });
  }
  bool ask() {
    bool served = false;
    take([&] { served = machine->on_client_request(now, actions); });
    return served || machine->serving();
  }
  void persist_late(epoch which) {
    take([&] { machine->on_persisted(which, now, actions); });
  }
  void renew() {
    take([&] { machine->renew_epoch(now, actions); });
  }
  // Time passes, in which the machine is called when it asks for it.
  void pass(std::chrono::milliseconds time) {
    const auto until = now + time;
    while (machine->next_deadline() <= until) {
      now = std::max(now, machine->next_deadline());
      take([&] { machine->on_deadline(now, actions); });
    }
    now = until;
  }
  // Time passes in which it stands still.
  void stand_still(std::chrono::milliseconds time) { now += time; }

  bool told(event what) const {
    return std::find(events.begin(), events.end(), what) != events.end();
  }

  state_machine::time_point now{1h};
  std::optional<state_machine> machine;
  std::uint64_t peer_tick = 1'000;
  bool persists = true;
  // What the shell would have done.
  std::vector<epoch> persisted;
  std::vector<epoch> activated;
  std::vector<passive_reason> passivated;
  std::vector<event> events;
  unsigned published = 0;

private:
  template <class Input>
  void take(Input input) {
    input();
    const auto asked = actions.persist;
    collect();
    if (asked && persists) {
      persisted.push_back(*asked);
      machine->on_persisted(*asked, now, actions);
      collect();
    }
  }
  void collect() {
    if (actions.became_active) {
      activated.push_back(*actions.became_active);
    }
    if (actions.became_passive) {
      passivated.push_back(*actions.became_passive);
    }
    published += actions.publish ? 1 : 0;
    events.insert(events.end(), actions.events.begin(), actions.events.end());
    actions.clear();
  }

  machine_actions actions;
};

using epochs = std::vector<epoch>;
using reasons = std::vector<passive_reason>;

// The Guide's table, with a peer of the Guide.

// BS-4
TEST_F(machine_script, primary_that_hears_a_backup_is_active) {
  start(role::primary);
  hear(peer_state::backup);
  EXPECT_EQ(machine->current(), state::active);
  EXPECT_EQ(activated, epochs{1});
  EXPECT_TRUE(ask());
}

// BS-4
TEST_F(machine_script, primary_that_hears_an_active_is_passive) {
  start(role::primary);
  hear(peer_state::active);
  EXPECT_EQ(machine->current(), state::passive);
  EXPECT_EQ(passivated, reasons{passive_reason::peer_active});
  EXPECT_FALSE(ask());
}

// BS-4, BS-5
TEST_F(machine_script, primary_waits_for_the_expiry_before_it_serves_alone) {
  start(role::primary);
  EXPECT_FALSE(ask());
  pass(1'999ms);
  EXPECT_FALSE(ask());
  pass(1ms);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{1});
}

// BS-4
TEST_F(machine_script, primary_that_hears_a_passive_waits_for_it) {
  start(role::primary);
  hear(peer_state::passive);
  EXPECT_EQ(machine->current(), state::primary);
}

// BS-4
TEST_F(machine_script, backup_is_passive_beside_an_active_and_serves_nobody_alone) {
  start(role::backup);
  hear(peer_state::primary);
  EXPECT_EQ(machine->current(), state::backup);
  pass(1min);
  EXPECT_FALSE(ask());
  hear(peer_state::active);
  EXPECT_EQ(machine->current(), state::passive);
}

// BS-4
TEST_F(machine_script, passive_takes_over_when_the_peer_restarts) {
  for (const auto restarted : {peer_state::primary, peer_state::backup}) {
    start(restarted == peer_state::primary ? role::backup : role::primary);
    hear(peer_state::active);
    hear(restarted);
    EXPECT_EQ(machine->current(), state::active);
  }
}

// BS-4
TEST_F(machine_script, passive_takes_over_by_a_vote_after_the_expiry) {
  start(role::backup);
  hear(peer_state::active);
  pass(1'999ms);
  EXPECT_FALSE(ask());
  pass(1ms);
  EXPECT_EQ(machine->current(), state::passive) << "time alone makes nobody active";
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{2});
}

TEST_F(machine_script, every_state_of_the_peer_puts_the_takeover_off) {
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
TEST_F(machine_script, active_hears_what_changes_nothing) {
  start(role::primary);
  hear(peer_state::backup);
  for (const auto s : {peer_state::backup, peer_state::passive, peer_state::primary}) {
    hear(s);
    EXPECT_TRUE(ask());
  }
  EXPECT_EQ(activated, epochs{1});
  EXPECT_TRUE(passivated.empty());
}

// What the Guide's nodes die of.

// BS-8
TEST_F(machine_script, of_two_actives_the_primary_stays_and_the_backup_gives_way_to_the_guides) {
  start(role::primary);
  hear(peer_state::backup);
  hear(peer_state::active);
  EXPECT_TRUE(ask());
  EXPECT_TRUE(told(event::dual_active));
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
TEST_F(machine_script, of_two_passives_we_take_over_from_the_guides) {
  for (const auto as : {role::primary, role::backup}) {
    start(as);
    hear(peer_state::active);
    hear(peer_state::passive);
    EXPECT_EQ(machine->current(), state::active);
    EXPECT_TRUE(told(event::dual_passive));
  }
}

// BS-8
TEST_F(machine_script, of_two_actives_the_later_epoch_stays) {
  start(role::primary, 6);
  hear(peer_state::backup);
  ASSERT_EQ(activated, epochs{7});
  hear(peer_state::active, 6);
  EXPECT_TRUE(ask());
  hear(peer_state::active, 8);
  EXPECT_EQ(machine->current(), state::passive);
  EXPECT_EQ(passivated, reasons{passive_reason::superseded});
  EXPECT_EQ(machine->current_epoch(), 8U);
  EXPECT_EQ(persisted.back(), 8U) << "so that the next one is later, whoever is there then";
}

TEST_F(machine_script, dual_active_is_told_once_until_it_is_over) {
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

TEST_F(machine_script, active_gives_way_to_a_later_epoch_even_of_a_peer_that_is_not_active) {
  start(role::primary);
  hear(peer_state::backup);
  hear(peer_state::backup, 8);
  EXPECT_EQ(machine->current(), state::passive);
  hear(peer_state::backup, 8);
  EXPECT_EQ(machine->current(), state::passive) << "the peer's data are the newer";
  machine->set_position(1);
  hear(peer_state::backup, 8);
  EXPECT_EQ(activated, (epochs{1, 9}));
}

// Newer data.

TEST_F(machine_script, of_two_that_wait_the_newer_data_win) {
  start(role::primary);
  pass(1s);
  hear(peer_state::backup, 0, 5);
  EXPECT_EQ(machine->current(), state::primary);
  machine->set_position(5);
  hear(peer_state::backup, 0, 5);
  EXPECT_EQ(machine->current(), state::active) << "equal: the table decides";

  start(role::backup);
  pass(1s);
  machine->set_position(5);
  hear(peer_state::primary, 0, 5);
  EXPECT_EQ(machine->current(), state::backup);
  machine->set_position(6);
  hear(peer_state::primary, 0, 5);
  EXPECT_EQ(machine->current(), state::active);
}

TEST_F(machine_script, passive_stays_so_beside_a_restarted_peer_with_newer_data) {
  start(role::backup, 3);
  hear(peer_state::active, 3);
  hear(peer_state::primary, 3, 1);
  EXPECT_EQ(machine->current(), state::passive);
  hear(peer_state::primary, 3, 0);
  EXPECT_EQ(activated, epochs{4});
}

// BS-9
TEST_F(machine_script, of_two_passives_with_equal_data_the_primary_takes_over) {
  for (const auto as : {role::primary, role::backup}) {
    start(as);
    hear(peer_state::active, 3);
    pass(1s);
    hear(peer_state::passive, 3);
    EXPECT_EQ(machine->serving(), as == role::primary);
  }
}

// Old messages.

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

// Standing still.

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

// Epochs.

// BS-13
TEST_F(machine_script, epoch_is_used_once_it_is_persisted) {
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

TEST_F(machine_script, promotion_ends_when_the_peer_is_active_first) {
  start(role::primary);
  persists = false;
  hear(peer_state::backup);
  hear(peer_state::active, 2);
  machine_actions out;
  machine->on_persisted(1, now, out);
  EXPECT_FALSE(out.became_active);
  EXPECT_EQ(machine->current(), state::passive);
}

TEST_F(machine_script, promotion_that_took_too_long_is_tried_again_with_the_same_epoch) {
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

TEST_F(machine_script, later_epoch_heard_meanwhile_is_overtaken) {
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

TEST_F(machine_script, epoch_that_cannot_be_persisted_is_tried_again_not_at_once) {
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

TEST_F(machine_script, next_epoch_is_later_than_all_that_were_heard_of) {
  start(role::backup, 2);
  hear(peer_state::active, 7);
  EXPECT_EQ(persisted, epochs{7});
  hear(peer_state::active, 7);
  EXPECT_EQ(persisted, epochs{7}) << "once";
  pass(2s);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, epochs{8});
}

TEST_F(machine_script, next_epoch_is_later_than_that_of_the_data) {
  start(role::backup);
  hear(peer_state::active, 1);
  // Which have come from the peer, though its state has not.
  machine->on_data_of(3);
  pass(2'000ms);
  EXPECT_TRUE(ask());
  EXPECT_EQ(activated, std::vector<epoch>{4});
  EXPECT_EQ(persisted.back(), 4U);
}

TEST_F(machine_script, nobody_is_active_without_an_epoch) {
  start(pair_options{.as = role::primary, .take_over = takeover::on_expiry}, max_epoch);
  pass(2s);
  EXPECT_FALSE(ask());
  EXPECT_TRUE(told(event::epochs_exhausted));
  EXPECT_GT(machine->next_deadline(), now);

  start(role::backup, max_epoch - 2);
  hear(peer_state::active);
  hear(peer_state::primary);
  EXPECT_EQ(activated, epochs{max_epoch - 1});
}

// Options.

TEST_F(machine_script, takeover_on_expiry_needs_no_client) {
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

TEST_F(machine_script, backup_alone_is_promoted_if_it_may_be_and_has_heard_nobody) {
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
TEST_F(machine_script, one_that_has_lost_its_data_takes_nobodys_place) {
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
      EXPECT_EQ(events, (std::vector{event::data_lost, event::data_lost})) << "for each silence";
      events.clear();
      // It has its peer's.
      hear(peer_state::active, 4, 100);
      machine->set_position(100);
      machine->set_data_lost(false);
      pass(1min);
      EXPECT_TRUE(ask());
      EXPECT_TRUE(events.empty());
      events.clear();
      activated.clear();
    }
  }
}

// BS-17
TEST_F(machine_script, of_two_that_have_lost_their_data_one_becomes_active) {
  start(role::primary, 3);
  machine->set_data_lost(true);
  hear(peer_state::backup, 4, 7);
  EXPECT_EQ(machine->current(), state::primary) << "the peer has some";
  hear_late(peer_state::backup, 2, 0, 0);
  EXPECT_EQ(machine->current(), state::primary) << "and this is old";
  hear(peer_state::backup, 2);
  EXPECT_EQ(activated, epochs{5});
  EXPECT_FALSE(machine->data_lost());
  pass(1min);
  EXPECT_TRUE(ask()) << "what it has now is not lost";
}

// BS-17
TEST_F(machine_script, one_that_has_lost_its_data_is_promoted_alone_if_it_may_be) {
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
    EXPECT_FALSE(ask()) << "there was somebody";
  }
}

// BS-17
TEST_F(machine_script, a_peer_of_the_guide_decides_by_the_table_who_has_lost_its_data) {
  start(role::primary, 3);
  machine->set_data_lost(true);
  EXPECT_EQ(machine->report().state, peer_state::primary);
  hear(peer_state::backup);
  EXPECT_EQ(activated, epochs{5});
}

// BS-5
TEST_F(machine_script, primary_of_the_proof_of_concept_serves_at_once) {
  start(pair_options{.as = role::primary, .primary_serves_at_once = true});
  EXPECT_TRUE(ask());
}

// BS-10
TEST_F(machine_script, two_of_one_role_are_reported) {
  start(role::backup);
  hear(peer_state::backup);
  hear(peer_state::backup);
  EXPECT_EQ(events, std::vector{event::same_role});
  start(role::primary);
  hear(peer_state::primary);
  EXPECT_EQ(machine->current(), state::primary);
  EXPECT_EQ(events.size(), 2U);
}

TEST_F(machine_script, expiry_may_be_longer) {
  start(pair_options{.as = role::backup, .heartbeat = 100ms, .expiry = 1s});
  hear(peer_state::active);
  pass(999ms);
  EXPECT_FALSE(ask());
  EXPECT_TRUE(machine->peer_alive(now));
  pass(1ms);
  EXPECT_FALSE(machine->peer_alive(now));
  EXPECT_TRUE(ask());
}

TEST_F(machine_script, state_is_told_with_each_heartbeat_and_each_change) {
  start(role::primary);
  pass(10s);
  EXPECT_EQ(published, 10U);
  hear(peer_state::backup);
  EXPECT_EQ(published, 11U);
}

TEST_F(machine_script, active_whose_epoch_is_used_up_takes_the_next_of_its_own) {
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

TEST_F(machine_script, only_an_active_one_takes_another_epoch) {
  start(role::backup);
  renew();
  hear(peer_state::active, 1);
  renew();
  EXPECT_TRUE(activated.empty());
  EXPECT_EQ(persisted, std::vector<epoch>{1}) << "the peer's";
}

TEST_F(machine_script, active_that_is_superseded_gives_up_the_epoch_it_asked_for) {
  start(role::primary);
  hear(peer_state::backup);
  persists = false;
  renew();
  hear(peer_state::passive, 4);
  EXPECT_EQ(passivated, std::vector<passive_reason>{passive_reason::superseded});
  persist_late(3);
  EXPECT_FALSE(machine->serving());
}

TEST_F(machine_script, active_goes_on_in_its_epoch_when_the_next_cannot_be_persisted) {
  start(role::primary);
  hear(peer_state::backup);
  persists = false;
  renew();
  machine->on_not_persisted(now);
  EXPECT_TRUE(ask());
  EXPECT_EQ(machine->current_epoch(), 1U);
  persists = true;
  renew();
  EXPECT_EQ(machine->current_epoch(), 1U) << "not at once again";
  hear(peer_state::passive, 1);
  pass(1s);
  renew();
  EXPECT_EQ(machine->current_epoch(), 3U);
}

}  // namespace
}  // namespace bstar
