// Two servers of the map with a store each (reliability 3.2, G7). Acknowledged updates are on both disks, and a
// server offers its own updates after a crash too.

#include "chp/pair_record.h"
#include "test/chp/kept_setting.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

struct paired_setting : kept_setting {
  explicit paired_setting(std::shared_ptr<disk> from = std::make_shared<disk>(),
                          const server_options& options = {})
      : kept_setting{std::move(from), options, server_state::kind::paired} {}

  // Connects a peer that follows this server.
  void back_up() {
    backup = snapshot_client("chp-ack,chp-backup");
    snapshot(backup);
    say(backup, make_position_report(server.number(), 0));
    pass(1ms);
  }
  // Makes the server passive, and connects it to a peer that reports to be active.
  void follow() {
    server.deactivate(now, actions);
    server.on_feed_attached();
    server.on_source_attached(metadata_of("chp-ack"), now, actions);
    server.on_publication(make_heartbeat(), now, actions);
    finish();
    asked.clear();
  }
  void hear(const zmtp::message& m) {
    server.on_source_message(m, now, 0ms, actions);
    finish();
  }
  // Receives the snapshot of the peer: one key, and the updates that the peer has applied.
  void hear_snapshot(std::string_view key, std::string_view value, sequence number,
                     std::uint64_t counter) {
    hear(make_entry(form::kvmsg, key, number, id(counter).bytes(), {}, value));
    update_register applied;
    for (std::uint64_t n = 1; n <= counter; ++n) {
      applied.insert(id(n));
    }
    for (const auto& piece : applied.pieces()) {
      hear(make_register_piece(piece));
    }
    hear(make_snapshot_end(form::kvmsg, number, ""));
  }
  void hear_update(std::string_view key, std::string_view value, sequence number,
                   std::uint64_t counter) {
    chp::update u;
    u.key = key;
    u.value = value;
    server.on_publication(make_publication(form::kvmsg, u, id(counter), number), now, actions);
    finish();
  }
  // Returns the last position that the server has reported.
  std::optional<sequence> reported() {
    std::optional<sequence> last;
    for (const auto& m : std::exchange(asked, {})) {
      if (m.front() == "CHP-POSITION") {
        last = number_of(frames_of(m));
      }
    }
    return last;
  }

  zmtp::peer_id backup;
};

TEST(server_kept_pair, an_update_is_committed_when_both_disks_have_it) {
  paired_setting s;
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.back_up();
  s.store_all();
  ASSERT_TRUE(s.server.status().backup_in_sync);
  s.set("a", "1", id(1));
  s.say(s.backup, make_position_report(s.server.number(), 0));
  s.pass(10ms);
  EXPECT_TRUE(s.notified[peer].empty()) << "its own has not";
  s.store_all();
  EXPECT_EQ(s.acked(peer), 1U);
  EXPECT_FALSE(s.last_ack(peer)->degraded);
  s.set("b", "2", id(2));
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 1U) << "the other's has not";
  s.say(s.backup, make_position_report(s.server.number(), 0));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 2U);
}

TEST(server_kept_pair, a_backup_reports_what_is_on_its_disk) {
  paired_setting s;
  s.follow();
  s.hear_snapshot("a", "1", make_sequence(1, 1), 1);
  ASSERT_TRUE(s.server.status().following);
  s.pass(10ms);
  ASSERT_EQ(s.given.size(), 1U);
  EXPECT_EQ(s.given.front().front().what, map_operation::clear) << "whole, or not at all";
  EXPECT_EQ(s.reported(), std::nullopt);
  s.hear_update("b", "2", make_sequence(1, 2), 2);
  s.store_one();
  EXPECT_EQ(s.reported(), make_sequence(1, 1));
  s.store_one();
  EXPECT_EQ(s.reported(), make_sequence(1, 2));
  paired_setting after{s.on_disk()};
  EXPECT_EQ(after.content(), (key_values{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(after.server.number(), make_sequence(1, 2));
}

TEST(server_kept_pair, a_backup_reports_refusals_that_are_on_its_disk) {
  paired_setting s;
  s.follow();
  s.hear_snapshot("a", "1", make_sequence(1, 1), 1);
  s.pass(10ms);
  s.store_all();
  s.asked.clear();
  std::string notice;
  append_refusal_notice(notice, {7, test_session, 2, errc::too_many_keys});
  s.server.on_publication(make_heartbeat(notice), s.now, s.actions);
  s.finish();
  EXPECT_TRUE(s.asked.empty());
  s.store_all();
  ASSERT_EQ(s.asked.size(), 1U);
  EXPECT_EQ(s.asked[0], make_position_report(make_sequence(1, 1), 7));
  paired_setting after{s.on_disk()};
  after.activate(2);
  after.set("b", "refused", id(2));
  EXPECT_EQ(after.content(), (key_values{{"a", "1"}}));
}

TEST(server_kept_pair, reports_a_refusal_when_both_disks_have_it) {
  paired_setting s{std::make_shared<kept_setting::disk>(), with_short_values()};
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.back_up();
  s.store_all();
  s.set("r", too_long, id(1));
  s.say(s.backup, make_position_report(s.server.number(), 1));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 0U) << "its own has not";
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 1U);
  s.set("r", too_long, id(2));
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 1U) << "the other's has not";
  s.say(s.backup, make_position_report(s.server.number(), 2));
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 2U);
}

TEST(server_kept_pair, forgets_replicated_erasures_incrementally) {
  constexpr std::uint64_t keys = 2'500;
  paired_setting s;
  s.activate(1);
  for (std::uint64_t n = 0; n < keys; ++n) {
    s.set("k" + std::to_string(n), "v", id(2 * n + 1));
    s.set("k" + std::to_string(n), "", id(2 * n + 2));
  }
  s.store_all();
  EXPECT_EQ(s.stored().size(), keys) << "the peer may not have received it";
  s.backup = s.snapshot_client("chp-ack,chp-backup");
  s.snapshot(s.backup);
  s.say(s.backup, make_position_report(s.server.number(), 0));
  s.store_all();
  EXPECT_LT(s.stored().size(), keys);
  EXPECT_GT(s.stored().size(), 0U) << "in this turn";
  s.pass(10ms);
  s.store_all();
  EXPECT_EQ(s.stored(), key_values{});
}

TEST(server_kept_pair, a_snapshot_replaces_the_stored_map_at_once) {
  paired_setting before;
  before.follow();
  before.hear_snapshot("old", "1", make_sequence(1, 1), 1);
  before.pass(10ms);
  before.store_all();
  paired_setting s{before.on_disk()};
  s.follow();
  for (int n = 0; n < 10'000; ++n) {
    s.hear(make_entry(form::kvmsg, "k" + std::to_string(n), make_sequence(1, 5), {}, {}, "v"));
  }
  s.hear_snapshot("new", "2", make_sequence(1, 5), 2);
  // The server reads the snapshot incrementally, and later messages wait behind it.
  s.server.on_deadline(s.now, s.actions);
  s.finish();
  s.hear_update("k1", "later", make_sequence(1, 6), 3);
  EXPECT_TRUE(s.given.empty());
  s.pass(10ms);
  ASSERT_EQ(s.given.size(), 2U);
  EXPECT_EQ(s.stored(), (key_values{{"old", "1"}}));
  s.store_one();
  EXPECT_EQ(s.stored().size(), 10'001U);
  EXPECT_EQ(s.stored()["k1"], "v");
  s.store_one();
  EXPECT_EQ(s.stored(), s.content());
}

TEST(server_kept_pair, acknowledges_replicated_updates_only_after_they_are_on_its_disk) {
  paired_setting s;
  s.follow();
  s.hear_snapshot("a", "1", make_sequence(1, 1), 1);
  s.pass(10ms);
  s.store_all();
  s.hear_update("b", "2", make_sequence(1, 2), 2);
  s.activate(2);
  const auto peer = s.subscribe(client());
  s.set("b", "2", id(2));
  s.set("c", "3", id(3));
  s.pass(1s);
  EXPECT_TRUE(s.notified[peer].empty());
  s.store_all();
  s.pass(10ms);
  EXPECT_EQ(s.acked(peer), 3U);
}

TEST(server_kept_pair, offers_unreplicated_updates_after_a_crash) {
  paired_setting before;
  before.activate(1);
  before.set("both", "1", id(1));
  before.set("gone before", "1", id(2));
  before.back_up();
  before.set("gone before", "", id(3));
  before.say(before.backup, make_position_report(before.server.number(), 0));
  before.server.on_snapshot_client_detached(before.backup, before.actions);
  before.set("alone", "2", id(4));
  before.set("both", "", id(5));
  before.store_all();
  EXPECT_EQ(before.stored(), (key_values{{"alone", "2"}, {"both", ""}}));

  paired_setting s{before.on_disk()};
  EXPECT_EQ(s.content(), (key_values{{"alone", "2"}}));
  s.follow();
  s.hear_snapshot("both", "1", make_sequence(2, 0), 3);
  EXPECT_TRUE(s.saw(server_event::diverged));
  s.pass(10ms);
  EXPECT_TRUE(s.given.empty()) << "its own update stays stored until the peer has it";
  s.server.on_source_writable(s.now, s.actions);
  s.finish();
  std::map<std::string, std::string> offered;
  for (const auto& m : s.asked) {
    if (m.front() == "CHP-RESUBMIT") {
      const auto parts = frames_of(m);
      EXPECT_EQ(number_of(parts), make_sequence(1, 3));
      offered.emplace(parts.at(2), parts.at(5));
    }
  }
  EXPECT_EQ(offered, (key_values{{"alone", "2"}, {"both", ""}}));
  // Once more.
  paired_setting again{before.on_disk()};
  again.follow();
  again.hear_snapshot("both", "1", make_sequence(2, 0), 3);
  EXPECT_TRUE(again.saw(server_event::diverged));
  s.hear(make_resubmission_answer(2, s.server.number()));
  EXPECT_TRUE(s.saw(server_event::reconciled));
  s.pass(10ms);
  s.store_all();
  EXPECT_EQ(s.stored(), (key_values{{"both", "1"}}));
  EXPECT_FALSE(unpack_pair_record(s.on_disk()->all().server_record)->accepted);
}

TEST(server_kept_pair, remembers_the_outcome_of_an_offer_after_a_crash) {
  paired_setting before;
  before.activate(2);
  before.store_all();
  const auto loser = before.snapshot_client("chp-ack,chp-backup");
  before.say(loser, make_resubmission(make_sequence(1, 1), "k", id(3), {}, "last"));
  update_register applied;
  for (const std::uint64_t counter : {1U, 2U, 3U}) {
    applied.insert(id(counter));
  }
  for (const auto& piece : applied.pieces()) {
    before.say(loser, make_register_piece(piece));
  }
  before.say(loser, make_resubmission_end(1));
  before.pass(10ms);
  before.store_all();
  paired_setting s{before.on_disk()};
  s.activate(4);
  s.set("k", "late", id(1));
  EXPECT_EQ(s.content(), (key_values{{"k", "last"}}));
  update_register known;
  for (const auto& piece : s.on_disk()->all().applied) {
    EXPECT_FALSE(known.unpack(piece));
  }
  EXPECT_TRUE(known.find(test_session).gaps.empty());
}

TEST(server_kept_pair, acknowledges_an_offer_when_the_accepted_updates_are_on_disk) {
  paired_setting s;
  s.activate(2);
  s.store_all();
  const auto loser = s.snapshot_client("chp-ack,chp-backup");
  s.say(loser, make_resubmission(make_sequence(1, 1), "a", id(1), {}, "1"));
  s.say(loser, make_resubmission_end(1));
  EXPECT_TRUE(s.replies[loser].empty());
  s.store_all();
  ASSERT_EQ(s.replies[loser].size(), 1U);
  EXPECT_EQ(s.replies[loser][0][0], "CHP-RESUBMITTED");
}

// A server that runs alone after a crash remembers the erased keys that its peer may offer.
TEST(server_kept_pair, an_offer_does_not_restore_a_key_erased_before_a_crash) {
  paired_setting before;
  before.activate(1);
  before.set("a", "1", id(1));
  before.back_up();
  const auto base = before.server.number();
  before.server.on_snapshot_client_detached(before.backup, before.actions);
  before.set("a", "", id(2));
  before.store_all();
  paired_setting s{before.on_disk()};
  s.activate(3);
  const auto loser = s.snapshot_client("chp-ack,chp-backup");
  const auto other = update_id::of_session(test_session + 0x10000, 1);
  s.say(loser, make_resubmission(base, "a", other, {}, "older than the erasure"));
  EXPECT_TRUE(s.content().empty());
  s.say(loser, make_resubmission(base, "b", update_id::of_random(1, 2), {}, "was never there"));
  EXPECT_EQ(s.content(), (key_values{{"b", "was never there"}}));
}

TEST(server_kept_pair, remembers_an_erasure_after_a_gap_after_a_crash) {
  for (const bool passive : {false, true}) {
    paired_setting before;
    if (passive) {
      before.follow();
      before.hear_snapshot("a", "1", make_sequence(1, 1), 1);
      before.pass(10ms);
      before.hear_update("a", "", make_sequence(1, 2), 3);
    } else {
      before.activate(1);
      before.set("a", "1", id(1));
      before.back_up();
      before.set("a", "", id(3));
      before.say(before.backup, make_position_report(before.server.number(), 0));
    }
    before.store_all();
    EXPECT_EQ(before.stored(), (key_values{{"a", ""}}));

    paired_setting s{before.on_disk()};
    s.activate(2);
    s.set("a", "late", id(2));
    EXPECT_TRUE(s.content().empty());
    // Nothing is missing any more.
    s.set("b", "", id(4));
    s.back_up();
    s.store_all();
    EXPECT_TRUE(s.stored().empty());
  }
}

TEST(pair_record, is_packed_and_unpacked) {
  const pair_record one{.base = make_sequence(5, 7),
                        .own_epoch = 3,
                        .common = 1,
                        .own = make_sequence(3, 0),
                        .begun = make_sequence(2, 0),
                        .accepted = true};
  const auto server_record = pack(one);
  const auto found = unpack_pair_record(server_record);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base, one.base);
  EXPECT_EQ(found->own_epoch, 3U);
  EXPECT_EQ(found->common, 1U);
  EXPECT_EQ(found->own, one.own);
  EXPECT_EQ(found->begun, one.begun);
  EXPECT_TRUE(found->accepted);
  EXPECT_FALSE(unpack_pair_record(server_record.substr(1)));
  EXPECT_FALSE(unpack_pair_record(server_record.substr(0, server_record.size() - 1) + '\2'));
  EXPECT_FALSE(unpack_pair_record(""));
}

}  // namespace
}  // namespace chp
