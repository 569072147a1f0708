// Two servers of the map were active, and one became passive. The tests cover updates that only the passive
// server had accepted (reliability 3.2).

#include "test/chp/pair_script.h"

namespace chp {
namespace {

TEST_F(server_pair, the_active_server_accepts_updates_that_only_its_peer_had) {
  begin();
  set_both("both", "1", id(1));
  a.set("erased by a", "x", id(2));
  run();
  unlink();
  b.activate(2);
  a.set("a only", "1", id(3), "ttl=50\n");
  a.set("erased by a", "", id(4));
  a.set("both", "a", id(5));
  b.set("both", "b", id(6));
  b.set("b only", "1", id(7));
  make_passive(a);
  link();
  const content expected{{"a only", "1"}, {"b only", "1"}, {"both", "b"}};
  EXPECT_EQ(b.content(), expected) << "where both have a value the winner's stays";
  EXPECT_EQ(a.content(), expected);
  EXPECT_TRUE(a.saw(server_event::diverged));
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_EQ(b.server.status().counters.resubmitted, 2U);
  EXPECT_EQ(b.server.status().counters.resubmissions_outdated, 1U);
  EXPECT_EQ(a.server.number(), b.server.number());
  EXPECT_TRUE(b.server.status().backup_in_sync);
  // The times to live go on where they were.
  pass(60s);
  EXPECT_EQ(b.content(), (content{{"b only", "1"}, {"both", "b"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, an_offered_update_that_the_client_resent_is_applied_once) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  b.set("k", "1", id(1));
  b.set("k", "", id(2));
  make_passive(a);
  link();
  EXPECT_TRUE(b.content().empty()) << "a key that was erased later stays erased";
  EXPECT_TRUE(a.content().empty());
}

TEST_F(server_pair, an_offer_does_not_restore_a_key_that_was_erased) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  b.set("k", "2", id(2));
  b.set("k", "", id(3));
  make_passive(a);
  link();
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_TRUE(b.content().empty()) << "the offer is older";
  EXPECT_TRUE(a.content().empty());
  EXPECT_EQ(b.server.status().counters.resubmissions_outdated, 1U);
  EXPECT_TRUE(b.server.status().backup_in_sync);
}

TEST_F(server_pair, an_offer_wins_over_an_earlier_value_of_the_same_server) {
  begin();
  // b has the update, and a does not receive that from b.
  a.set("k", "1", id(1));
  unlink();
  b.activate(2);
  ASSERT_EQ(b.content(), (content{{"k", "1"}}));
  a.set("k", "2", id(2));
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, the_last_change_of_a_client_wins_over_a_replayed_one) {
  begin();
  unlink();
  for (auto* n : {&b, &a}) {
    n->set("k", "1", id(1));
    n->set("gone", "1", id(2));
  }
  a.set("k", "2", id(3));
  a.set("gone", "", id(4));
  b.activate(2);
  ASSERT_EQ(b.content(), (content{{"gone", "1"}, {"k", "1"}}));
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, the_last_set_of_a_client_wins_over_a_replayed_erasure) {
  begin();
  set_both("k", "1", id(1));
  unlink();
  for (auto* n : {&b, &a}) {
    n->set("k", "", id(2));
  }
  a.set("k", "2", id(3));
  b.activate(2);
  ASSERT_TRUE(b.content().empty());
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, repeats_an_interrupted_offer) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 5'000; ++n) {
    a.set("k" + std::to_string(n), std::string(100, 'v'), id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return b.server.status().counters.resubmitted != 0; });
  EXPECT_LT(b.server.status().counters.resubmitted, 5'000U);
  EXPECT_FALSE(a.saw(server_event::reconciled));
  link();
  EXPECT_EQ(b.server.status().counters.resubmitted, 5'000U);
  EXPECT_EQ(a.content(), b.content());
  EXPECT_TRUE(a.saw(server_event::reconciled));
}

TEST_F(server_pair, a_server_that_is_promoted_again_applies_its_own_offer_first) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 5'000; ++n) {
    a.set("k" + std::to_string(n), std::string(100, 'v'), id(static_cast<std::uint64_t>(n) + 1));
  }
  b.set("k7", "of b", update_id::of_random(9, 9));
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  EXPECT_EQ(a.content().size(), 1U);
  a.activate(3);
  a.pass(1s);
  EXPECT_EQ(a.content().size(), 5'000U);
  EXPECT_EQ(a.content()["k7"], "of b");
  EXPECT_TRUE(a.saw(server_event::reconciled));
}

TEST_F(server_pair, an_interrupted_reconciliation_loses_no_update) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 10'000; ++n) {
    a.set("k" + std::to_string(n), "v", id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  a.activate(3);
  ASSERT_LT(a.content().size(), 10'000U);
  b.activate(4);
  make_passive(a);
  link();
  EXPECT_EQ(b.content().size(), 10'000U);
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, a_promotion_before_the_snapshot_loses_no_update) {
  begin();
  a.set("k", "1", id(1));
  run();
  unlink();
  a.set("k", "2", id(2));
  make_passive(a);
  a.activate(3);
  EXPECT_EQ(a.content(), (content{{"k", "2"}}));
  a.set("k", "3", id(3));
  EXPECT_EQ(number_of(a.publications().back()), make_sequence(3, 1));
}

TEST_F(server_pair, repeats_an_offer_that_a_pause_of_the_peer_interrupted) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 5'000; ++n) {
    a.set("k" + std::to_string(n), std::string(100, 'v'), id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  const auto on_published = std::exchange(b.on_published, [&](zmtp::message&& m) {
    a.server.on_publication(std::move(m), a.now, a.actions);
    if (b.server.status().counters.resubmitted == 100 && b.server.active()) {
      b.server.suspend(b.actions);
    }
  });
  link();
  ASSERT_LT(b.content().size(), 5'000U);
  EXPECT_FALSE(a.saw(server_event::reconciled));
  b.on_published = on_published;
  b.activate(4);
  EXPECT_TRUE(b.closed.contains(b.other));
  unlink();
  link();
  EXPECT_EQ(b.content().size(), 5'000U);
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, an_incomplete_offer_is_not_acknowledged) {
  begin();
  const auto backup = a.snapshot_client("chp-ack,chp-backup");
  const auto offer = [&](std::uint64_t number) {
    a.say(backup, make_resubmission(0, "k" + std::to_string(number), id(number), {}, "v"));
  };
  offer(1);
  a.server.suspend(a.actions);
  offer(2);
  a.activate(1);
  offer(3);
  a.replies[backup].clear();
  a.say(backup, make_resubmission_end(3));
  EXPECT_TRUE(a.replies[backup].empty());
  EXPECT_TRUE(a.closed.contains(backup)) << "and all is offered again";
  EXPECT_EQ(a.content(), (content{{"k1", "v"}, {"k3", "v"}}));
}

// The answer uses another connection than the publication of the offered updates.
TEST_F(server_pair, keeps_offered_updates_until_it_receives_the_outcome) {
  begin();
  set_both("both", "1", id(1));
  unlink();
  b.activate(2);
  a.set("k", "of the loser", id(2));
  make_passive(a);
  const auto feed = std::exchange(b.on_published, nullptr);
  link();
  EXPECT_FALSE(a.saw(server_event::reconciled));
  ASSERT_EQ(b.content(), (content{{"both", "1"}, {"k", "of the loser"}}));
  ASSERT_EQ(a.content(), (content{{"both", "1"}}));
  unlink();
  b.on_published = feed;
  a.activate(3);
  run();
  EXPECT_EQ(a.content(), (content{{"both", "1"}, {"k", "of the loser"}}));
  EXPECT_TRUE(a.saw(server_event::reconciled));
}

TEST_F(server_pair, a_malformed_offer_is_not_acknowledged) {
  begin();
  for (const bool is_piece : {false, true}) {
    const auto backup = a.snapshot_client("chp-ack,chp-backup");
    a.say(backup, make_resubmission(0, "k", id(1), {}, "v"));
    a.say(backup, is_piece ? make_register_piece("nonsense") : zmtp::message{"CHP-RESUBMIT", "x"});
    a.replies[backup].clear();
    a.say(backup, make_resubmission_end(2));
    EXPECT_TRUE(a.replies[backup].empty());
    EXPECT_TRUE(a.closed.contains(backup));
  }
}

TEST_F(server_pair, two_offers_at_once_make_one_peer_repeat_its_offer) {
  begin();
  const auto one = a.snapshot_client("chp-ack,chp-backup");
  const auto other = a.snapshot_client("chp-ack,chp-backup");
  a.say(one, make_resubmission(0, "k1", id(1), {}, "v"));
  a.say(other, make_resubmission(0, "k2", id(2), {}, "v"));
  a.replies[one].clear();
  a.say(one, make_resubmission_end(1));
  EXPECT_TRUE(a.replies[one].empty());
  EXPECT_TRUE(a.closed.contains(one));
  a.replies[other].clear();
  a.say(other, make_resubmission_end(1));
  EXPECT_EQ(a.replies[other].size(), 1U);
}

TEST_F(server_pair, a_promotion_during_reconciliation_keeps_only_values_that_changed) {
  begin();
  set_both("of a", "1", update_id::of_random(5, 5));
  set_both("of b", "1", id(2));
  unlink();
  b.activate(2);
  a.set("of a", "2", id(3));
  a.set("of b", "2", id(4));
  b.set("of b", "3", id(5));
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  a.activate(3);
  a.pass(1s);
  EXPECT_EQ(a.content(), (content{{"of a", "2"}, {"of b", "3"}}));
}

TEST_F(server_pair, an_active_server_stops_its_offer) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 10'000; ++n) {
    a.set("k" + std::to_string(n), "v", id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  // The connections stand, and nothing goes over them any more.
  link_and_cut_when([&] {
    a.linked = b.linked = a.linked && !a.server.status().following;
    return false;
  });
  a.activate(3);
  // There was room on the connection that it had.
  a.server.on_source_writable(a.now, a.actions);
  a.pass(1s);
  EXPECT_EQ(a.content().size(), 10'000U);
}

TEST_F(server_pair, a_suspended_server_pauses_its_offer) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 10'000; ++n) {
    a.set("k" + std::to_string(n), "v", id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  a.activate(3);
  a.server.suspend(a.actions);
  // The server has maps to free.
  for (int turn = 0; turn < 100; ++turn) {
    a.server.on_deadline(a.now, a.actions);
  }
  EXPECT_EQ(a.server.next_deadline(), std::nullopt);
}

TEST_F(server_pair, drops_an_update_older_than_the_last_of_its_client) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  a.set("k", "2", id(2));
  a.set("e", "1", id(3));
  b.set("e", "0", update_id::of_random(1, 2));
  a.set("e", "", id(4));
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"e", "0"}, {"k", "2"}}));
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  b.set("k", "1", id(1));
  run();
  EXPECT_EQ(b.content()["k"], "2");
  b.set("k", "", id(6));
  b.set("k", "3", id(5));
  run();
  b.pass(1ms);
  EXPECT_FALSE(b.content().contains("k"));
  EXPECT_EQ(a.content(), b.content());
  EXPECT_EQ(b.server.status().counters.repeated, 2U);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->counter, 6U) << "its client need not resend it";
}

TEST_F(server_pair, a_late_update_does_not_undo_an_erasure_of_nothing) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  a.set("k", "", id(2));
  make_passive(a);
  link();
  ASSERT_TRUE(a.saw(server_event::reconciled));
  a.set("k", "1", id(1));
  unlink();
  b.set("k", "1", id(1));
  EXPECT_TRUE(b.content().empty());
  a.activate(3);
  EXPECT_TRUE(a.content().empty()) << "where it was pending";
  a.set("k", "1", id(1));
  EXPECT_TRUE(a.content().empty());
}

TEST_F(server_pair, remembers_an_erasure_while_earlier_updates_may_arrive) {
  begin();
  set_both("k", "0", update_id::of_random(1, 2));
  a.set("k", "", id(2));
  a.set("other", "", id(4));
  run();
  ASSERT_TRUE(a.server.status().backup_in_sync) << "it has both";
  a.set("k", "1", id(1));
  EXPECT_TRUE(a.content().empty());
  run();
  unlink();
  b.activate(2);
  for (const auto late : {1U, 3U}) {
    b.set(late == 1U ? "k" : "other", "late", id(late));
    EXPECT_TRUE(b.content().empty());
  }
  b.set("k", "2", id(5));
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
}

TEST_F(server_pair, does_not_replay_a_superseded_update_over_a_value_of_another_client) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  a.set("k", "2", id(2));
  make_passive(a);
  link();
  ASSERT_EQ(b.content(), (content{{"k", "2"}}));
  set_both("k", "1", id(1));
  set_both("k", "of another", update_id::of_random(1, 2));
  unlink();
  a.activate(3);
  EXPECT_EQ(a.content(), (content{{"k", "of another"}}));
}

// The passive server does not offer overwritten updates, and clients do not resend acknowledged ones.
TEST_F(server_pair, acknowledges_overwritten_updates_of_clients_of_the_old_active_server) {
  begin();
  unlink();
  b.activate(2);
  std::uint64_t last = 0;
  for (std::uint64_t n = 0; n != 1'000; ++n) {
    // Each key twice, in an order of no meaning to counters.
    a.set("k" + std::to_string(n * 7'919 % 500), std::to_string(n), id(++last));
  }
  a.set("of another", "1", id(++last));
  a.set("of another", "2", update_id::of_session(test_session + 0x10000, 1));
  a.set("z", "1", id(++last));
  make_passive(a);
  link();
  ASSERT_TRUE(a.saw(server_event::reconciled));
  EXPECT_EQ(b.server.status().counters.resubmitted, 502U);
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  set_both("next", "1", id(++last));
  pass(10ms);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->counter, last);
  EXPECT_TRUE(b.last_ack(client)->gaps.empty());
  b.set("of another", "1", id(1'001));
  EXPECT_EQ(b.content()["of another"], "2");
  // The same holds for the next one.
  unlink();
  a.activate(3);
  a.set("k1", "late", id(1));
  a.set("of another", "1", id(1'001));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, an_empty_server_that_takes_over_is_offered_everything) {
  begin();
  set_both("k", "1", id(1));
  unlink();
  node restarted{3};
  join(a, restarted);
  join(restarted, a);
  make_passive(restarted);
  restarted.activate(2);
  restarted.set("other", "2", id(2));
  make_passive(a);
  a.linked = restarted.linked = true;
  a.server.on_feed_attached();
  connect_source(a, restarted);
  restarted.activate(4);
  restarted.server.on_deadline(restarted.now += 1s, restarted.actions);
  run(restarted, a);
  EXPECT_EQ(restarted.content(), (content{{"k", "1"}, {"other", "2"}}));
  EXPECT_EQ(a.content(), restarted.content());
}

TEST_F(server_pair, an_empty_active_server_is_offered_the_map_of_its_backup) {
  begin();
  set_both("k", "1", id(1));
  set_both("changed", "1", id(2));
  unlink();
  // a was started again, and made active by hand: b has been passive all the time.
  node restarted{3};
  join(restarted, b);
  join(b, restarted);
  restarted.activate(3);
  restarted.set("changed", "2", id(3));
  restarted.linked = b.linked = true;
  b.server.on_feed_attached();
  connect_source(b, restarted);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  run(restarted, b);
  EXPECT_EQ(restarted.content(), (content{{"changed", "2"}, {"k", "1"}}));
  EXPECT_EQ(b.content(), restarted.content());
  EXPECT_TRUE(b.saw(server_event::reconciled));
}

TEST_F(server_pair, replays_a_lost_update_after_a_later_one_of_its_client) {
  begin();
  unlink();
  set_both("k", "1", id(1));
  // a was started again, and made active by hand.
  node restarted{3};
  join(restarted, b);
  join(b, restarted);
  restarted.activate(3);
  restarted.set("later", "2", id(2));
  restarted.linked = b.linked = true;
  b.server.on_feed_attached();
  connect_source(b, restarted);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  run(restarted, b);
  ASSERT_EQ(b.content(), (content{{"later", "2"}}));
  restarted.linked = b.linked = false;
  b.activate(4);
  EXPECT_EQ(b.content(), (content{{"k", "1"}, {"later", "2"}}));
}

}  // namespace
}  // namespace chp
