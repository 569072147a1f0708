// Two servers of the map that are full: the updates that they refuse, and those that they accept nevertheless.

#include "test/chp/pair_script.h"

namespace chp {
namespace {

class full_pair : public server_pair {
protected:
  full_pair() : server_pair{{.map = {.max_keys = 1}}} {}

  [[nodiscard]] std::size_t refused_by(node& n) const {
    return n.server.status().counters.refused[static_cast<std::size_t>(errc::too_many_keys)];
  }
};

TEST_F(full_pair, an_update_that_the_active_server_refused_stays_refused_after_failover) {
  begin();
  const auto client = a.subscribe("chp-ack=" + session_name(test_session));
  set_both("a", "1", id(1));
  set_both("b", "1", id(2));
  pass(10ms);
  ASSERT_EQ(refused_by(a), 1U);
  ASSERT_TRUE(a.last_ack(client));
  EXPECT_EQ(a.last_ack(client)->refused.size(), 1U);
  EXPECT_EQ(b.server.status().pending, 0U);
  // There is room when it takes over, and the update comes once more.
  set_both("a", "", id(3));
  unlink();
  b.set("b", "1", id(2));
  b.activate(2);
  b.set("b", "1", id(2));
  EXPECT_TRUE(b.content().empty());
  // A client that has not received the refusal receives it from this server.
  const auto again = b.subscribe("chp-ack=" + session_name(test_session));
  b.pass(1ms);
  ASSERT_TRUE(b.last_ack(again));
  EXPECT_EQ(b.last_ack(again)->counter, 3U);
  ASSERT_EQ(b.last_ack(again)->refused.size(), 1U);
  EXPECT_EQ(b.last_ack(again)->refused.front(), (refusal{{2, 2}, errc::too_many_keys}));
}

TEST_F(full_pair, a_refusal_during_the_transfer_of_a_snapshot_is_replicated) {
  a.activate(1);
  a.set("a", "1", id(1));
  make_passive(b);
  a.linked = b.linked = true;
  a.feed = a.subscribe("chp-ack,chp-backup");
  b.server.on_feed_attached();
  connect_source(b, a);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  b.finish();
  for (auto& m : std::exchange(b.asked, {})) {
    a.say(a.other, m);
  }
  set_both("b", "1", id(2));
  ASSERT_TRUE(b.server.status().following);
  EXPECT_EQ(refused_by(a), 1U);
  EXPECT_TRUE(a.server.status().backup_in_sync);
  unlink();
  b.activate(2);
  EXPECT_EQ(b.content(), (content{{"a", "1"}}));
  EXPECT_EQ(b.server.status().counters.replayed, 0U);
}

TEST_F(full_pair, a_full_server_accepts_the_offer_of_its_full_peer) {
  begin();
  unlink();
  b.activate(2);
  a.set("of a", "1", id(1));
  b.set("of b", "1", update_id::of_random(1, 2));
  make_passive(a);
  link();
  const content both{{"of a", "1"}, {"of b", "1"}};
  EXPECT_EQ(b.content(), both);
  EXPECT_EQ(a.content(), both);
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_TRUE(b.server.status().backup_in_sync);
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  set_both("more", "1", id(2));
  pass(10ms);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->refused.size(), 1U) << "clients have no more room";
  EXPECT_EQ(b.content(), both);
  unlink();
  a.activate(3);
  EXPECT_EQ(a.content(), both);
}

TEST_F(full_pair, accepts_an_offered_update_that_it_had_refused) {
  begin();
  unlink();
  b.activate(2);
  b.set("of b", "1", update_id::of_random(1, 2));
  set_both("of both", "1", id(1));
  ASSERT_EQ(refused_by(b), 1U);
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"of b", "1"}, {"of both", "1"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(full_pair, an_offer_without_room_is_not_acknowledged) {
  begin();
  set_both("k", "1", id(1));
  const auto loser = a.snapshot_client("chp-ack,chp-backup");
  for (std::uint64_t number = 2; number != 4; ++number) {
    a.say(loser, make_resubmission(0, std::to_string(number), id(number), {}, "v"));
  }
  a.say(loser, make_resubmission(0, "never there", id(4), {}, ""));
  EXPECT_EQ(a.content(), (content{{"2", "v"}, {"k", "1"}}));
  a.say(loser, make_resubmission_end(3));
  EXPECT_TRUE(a.replies[loser].empty());
  EXPECT_TRUE(a.closed.contains(loser)) << "and all is offered again";
}

// Refusals that the server reports in this time are flagged as degraded (docs/chp.md, A partition).
TEST_F(full_pair, the_backup_copies_refusals_made_during_its_absence) {
  begin();
  unlink();
  const auto client = a.subscribe("chp-ack=" + session_name(test_session));
  a.set("a", "1", id(1));
  set_both("b", "1", id(2));
  pass(10ms);
  ASSERT_TRUE(a.last_ack(client));
  EXPECT_EQ(a.last_ack(client)->refused.size(), 1U);
  EXPECT_TRUE(a.last_ack(client)->degraded);
  EXPECT_EQ(b.server.status().pending, 1U);
  link();
  EXPECT_EQ(b.server.status().pending, 0U);
  a.set("a", "", id(3));
  run();
  unlink();
  b.activate(2);
  b.set("b", "1", id(2));
  EXPECT_TRUE(b.content().empty());
}

TEST_F(full_pair, a_backup_that_missed_a_refusal_applies_the_update) {
  begin();
  unlink();
  a.set("a", "1", id(1));
  set_both("b", "1", id(2));
  ASSERT_EQ(refused_by(a), 1U);
  b.activate(2);
  EXPECT_EQ(b.content(), (content{{"b", "1"}}));
}

TEST_F(full_pair, a_server_that_takes_over_refuses_pending_updates) {
  begin();
  set_both("a", "1", id(1));
  unlink();
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  b.set("b", "1", id(2));
  b.activate(2);
  b.pass(1ms);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->counter, 2U);
  EXPECT_EQ(b.last_ack(client)->refused.size(), 1U);
}

}  // namespace
}  // namespace chp
