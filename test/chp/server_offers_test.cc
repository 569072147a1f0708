// Two servers of the map were active, and one has lost: what it had accepted that the other one has never seen
// (reliability 3.2).

#include "test/chp/pair_script.h"

namespace chp {
namespace {

TEST_F(server_pair, what_the_loser_had_accepted_is_accepted_by_the_winner) {
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

TEST_F(server_pair, what_the_client_has_sent_again_meanwhile_is_not_accepted_twice) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  b.set("k", "1", id(1));
  b.set("k", "", id(2));
  make_passive(a);
  link();
  EXPECT_TRUE(b.content().empty()) << "what was erased later stays erased";
  EXPECT_TRUE(a.content().empty());
}

TEST_F(server_pair, what_the_loser_offers_is_not_taken_over_what_the_winner_erased) {
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

TEST_F(server_pair, what_the_winner_had_of_the_loser_is_not_later_than_what_that_offers) {
  begin();
  // b has it, and a does not hear of that.
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

TEST_F(server_pair, what_a_client_did_last_counts_though_something_earlier_of_it_is_replayed) {
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

TEST_F(server_pair, what_a_client_set_last_counts_though_its_erasing_before_is_replayed) {
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

TEST_F(server_pair, an_offer_that_was_cut_off_is_made_again) {
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

TEST_F(server_pair, a_loser_that_is_active_again_first_looks_at_its_offer_itself) {
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

TEST_F(server_pair, a_loser_that_is_passive_again_before_it_has_looked_at_all_loses_nothing_of_it) {
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

TEST_F(server_pair, one_that_is_active_again_before_it_has_a_snapshot_has_lost_nothing) {
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

TEST_F(server_pair, an_offer_to_one_that_stands_still_meanwhile_is_made_again) {
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

TEST_F(server_pair, an_offer_of_which_something_was_missed_is_not_said_to_be_looked_at) {
  begin();
  const auto backup = a.asker("chp-ack,chp-backup");
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

// The answer goes by another connection than what was made of the offer.
TEST_F(server_pair, a_loser_has_what_it_offers_until_what_came_of_it_is_here) {
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

TEST_F(server_pair, an_offer_that_cannot_be_read_is_not_said_to_be_looked_at) {
  begin();
  for (const bool is_piece : {false, true}) {
    const auto backup = a.asker("chp-ack,chp-backup");
    a.say(backup, make_resubmission(0, "k", id(1), {}, "v"));
    a.say(backup, is_piece ? make_register_piece("nonsense") : zmtp::message{"CHP-RESUBMIT", "x"});
    a.replies[backup].clear();
    a.say(backup, make_resubmission_end(2));
    EXPECT_TRUE(a.replies[backup].empty());
    EXPECT_TRUE(a.closed.contains(backup));
  }
}

TEST_F(server_pair, of_two_that_offer_at_once_one_offers_again) {
  begin();
  const auto one = a.asker("chp-ack,chp-backup");
  const auto other = a.asker("chp-ack,chp-backup");
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

TEST_F(server_pair, a_loser_that_is_active_again_tells_what_has_changed_from_what_has_not) {
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

TEST_F(server_pair, a_loser_that_is_active_again_offers_no_more_to_the_other_one) {
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

TEST_F(server_pair, one_that_stands_still_waits_with_its_offer_too) {
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
  // It has maps to free.
  for (int turn = 0; turn < 100; ++turn) {
    a.server.on_deadline(a.now, a.actions);
  }
  EXPECT_EQ(a.server.next_deadline(), std::nullopt);
}

TEST_F(server_pair, an_update_that_comes_behind_a_later_one_of_its_client_is_not_applied) {
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
  EXPECT_EQ(b.last_ack(client)->counter, 6U) << "who sent it need not send it again";
}

TEST_F(server_pair, what_comes_behind_an_erasure_that_left_nothing_to_erase_does_not_undo_it) {
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

TEST_F(server_pair, an_erasure_is_remembered_as_long_as_something_before_it_may_come) {
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

TEST_F(server_pair, what_was_settled_by_something_later_is_not_replayed_over_what_others_did) {
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

// Of what has been overwritten nothing is offered, and nothing is sent again if its client has been told.
TEST_F(server_pair,
       who_was_with_the_loser_is_told_what_is_committed_whatever_it_had_overwritten_there) {
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
  // And so with the one that follows.
  unlink();
  a.activate(3);
  a.set("k1", "late", id(1));
  a.set("of another", "1", id(1'001));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, one_that_takes_over_with_nothing_is_offered_everything) {
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

TEST_F(server_pair, one_that_begins_with_nothing_is_offered_what_its_backup_had) {
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

TEST_F(server_pair,
       what_the_one_before_has_lost_is_replayed_though_something_later_of_its_client_came_first) {
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
