// The log of one server, without the other of its pair.

#include "chp/update_log.h"

#include "chp/properties.h"
#include "test/chp/update_log_fixture.h"
#include "zmtp/storage/error.h"

#include <gtest/gtest.h>

namespace chp {
namespace {

using namespace std::chrono_literals;
using namespace test;

TEST(chp_update_log, alone_publishes_and_answers_within_the_turn) {
  server s;
  s.log.become_active(1, time_zero, s.out);
  s.set("k", "v", id(1));
  const auto out = s.turn();
  ASSERT_EQ(out.publish.size(), 1U);
  ASSERT_EQ(out.answers.size(), 1U);
  EXPECT_EQ(out.answers[0].session, id(1).session());
  EXPECT_EQ(out.answers[0].counter, 1U);
  EXPECT_EQ(out.answers[0].number, make_sequence(1, 1));
  EXPECT_EQ(out.answers[0].why, errc{});
  EXPECT_EQ(out.answers[0].says, truth::one_server);
  EXPECT_TRUE(out.write.empty());
  s.set("k", "again", id(1));
  const auto again = s.turn();
  EXPECT_TRUE(again.publish.empty());
  ASSERT_EQ(again.answers.size(), 1U);
  EXPECT_EQ(again.answers[0].number, make_sequence(1, 1));
}

TEST(chp_update_log, alone_without_epochs_counts_from_one) {
  server s;
  s.log.become_active(0, time_zero, s.out);
  s.set("k", "v");
  const auto out = s.turn();
  ASSERT_EQ(out.publish.size(), 1U);
  EXPECT_EQ(published(out.publish.front()).number, 1U);
}

TEST(chp_update_log, publishes_and_answers_nothing_before_the_disk_has_it) {
  update_log_options o;
  o.state.has_store = true;
  server s{o};
  s.log.become_active(1, time_zero, s.out);
  s.set("k", "v", id(1));
  auto out = s.turn();
  EXPECT_EQ(out.write.size(), 1U);
  EXPECT_TRUE(out.publish.empty());
  s.set("k", "v", id(1));
  EXPECT_TRUE(s.turn().answers.empty()) << "a copy is not answered earlier";
  s.write();
  out = s.turn();
  EXPECT_EQ(out.publish.size(), 1U);
  ASSERT_EQ(out.answers.size(), 1U);
  EXPECT_EQ(out.answers[0].says, truth::one_disk);
}

TEST(chp_update_log, publishes_a_part_in_each_turn_until_all_is_published) {
  constexpr std::uint64_t updates = 2 * published_at_once + 500;
  update_log_options o;
  o.state.has_store = true;
  server s{o};
  s.log.become_active(1, time_zero, s.out);
  (void)s.turn();
  s.write();
  (void)s.turn();
  for (std::uint64_t n = 1; n <= updates; ++n) {
    s.set("k", "v", id(n));
  }
  EXPECT_EQ(s.turn().write.size(), 1U);
  s.write();
  std::uint64_t last = 0;
  for (const std::size_t count : {published_at_once, published_at_once, std::size_t{500}}) {
    const auto out = s.turn();
    EXPECT_EQ(out.answers.size(), count);
    ASSERT_EQ(out.publish.size(), count);
    auto said = out.answers.begin();
    for (const auto m : out.publish) {
      ++last;
      EXPECT_EQ(published(m).number, make_sequence(1, last));
      EXPECT_EQ(said->counter, last);
      EXPECT_EQ(said->says, truth::one_disk);
      ++said;
    }
    EXPECT_EQ(s.log.state().commit(), make_sequence(1, last));
    EXPECT_EQ(s.log.next_deadline() == time_zero, last != updates) << "nothing else need happen";
  }
  EXPECT_EQ(last, updates);
  EXPECT_TRUE(s.turn().publish.empty());
}

// An operator has emptied the record, because the only member has lost its data and its epoch file.
TEST(chp_update_log, an_empty_server_knows_from_its_witness_that_data_is_lost) {
  update_log_options o;
  o.has_witness = true;
  server s{o};
  EXPECT_TRUE(s.log.lacks_data());
  EXPECT_TRUE(s.log.had_data(0)) << "it has not seen the record";
  s.log.on_witness_changed({});
  EXPECT_FALSE(s.log.had_data(0)) << "the pair is new";
  EXPECT_TRUE(s.log.had_data(1));
  s.log.on_witness_changed({.revision = 7, .epoch = 2});
  EXPECT_FALSE(s.log.declines());
  EXPECT_TRUE(s.log.had_data(0));
}

// The server has lost its epoch file too. A peer with a part of what both had must be preferred.
TEST(chp_update_log, an_empty_server_knows_from_its_peer_that_data_is_lost) {
  server s;
  EXPECT_TRUE(s.log.lacks_data());
  EXPECT_FALSE(s.log.had_data(0)) << "the pair is new";
  s.log.on_peer_state({.lacks_data = true}, 0);
  EXPECT_FALSE(s.log.had_data(0)) << "the peer is new too";
  s.log.on_peer_state({.lacks_data = true}, make_sequence(2, 5));
  EXPECT_TRUE(s.log.had_data(0));
}

TEST(chp_update_log, after_its_record_was_emptied_waits_for_a_peer_with_later_data) {
  update_log_options o;
  o.has_witness = true;
  server s{o};
  const auto later = make_sequence(2, 5);
  s.log.on_witness_changed({.revision = 6, .epoch = 2, .active = 3, .in_sync = {3}});
  EXPECT_TRUE(s.log.declines());
  s.log.on_peer_state({.declines = true}, later);
  s.log.on_witness_changed({.revision = 7, .epoch = 2});
  EXPECT_TRUE(s.log.declines()) << "the peer has not seen it yet";
  s.log.on_peer_state({}, later);
  EXPECT_FALSE(s.log.declines()) << "bstar compares the data";
  s.log.on_peer_state({.declines = true}, 0);
  EXPECT_FALSE(s.log.declines()) << "the peer has less";
  s.log.on_peer_state({.declines = true}, later);
  EXPECT_TRUE(s.log.declines());
  s.log.on_peer_unresponsive(s.out);
  EXPECT_FALSE(s.log.declines());
}

TEST(chp_update_log, refuses_with_an_entry_and_repeats_the_reason) {
  update_log_options o;
  o.state.map.max_keys = 1;
  server s{o};
  s.log.become_active(1, time_zero, s.out);
  s.set("a", "v", id(1));
  s.set("b", "v", id(2));
  s.set("HUGZ", "v", id(3));
  s.set("c", "v");
  auto out = s.turn();
  EXPECT_EQ(out.publish.size(), 1U);
  ASSERT_EQ(out.answers.size(), 3U);
  EXPECT_EQ(out.answers[1].why, errc::too_many_keys);
  EXPECT_EQ(out.answers[2].why, errc::key_reserved);
  EXPECT_EQ(s.log.state().end(), make_sequence(1, 3)) << "an update without an id leaves no entry";
  s.set("a", "");
  s.set("b", "v", id(2));
  EXPECT_EQ(s.turn().answers.at(0).why, errc::too_many_keys) << "though there is room now";
}

TEST(chp_update_log, refuses_a_question_about_an_update_that_it_lacks) {
  server s;
  s.log.become_active(1, time_zero, s.out);
  s.set("k", "v", id(1), "asks=1\n");
  EXPECT_EQ(s.turn().answers.at(0).why, errc::refused);
  s.set("k", "v", id(1));
  EXPECT_EQ(s.turn().answers.at(0).why, errc::refused);
  EXPECT_TRUE(s.map().empty());
}

TEST(chp_update_log, expires_a_key_after_its_full_time_in_this_reign) {
  server s;
  s.log.become_active(1, time_zero + 10s, s.out);
  s.set("k", "v", {}, "ttl=5\n");
  s.set("other", "v", {}, "ttl=5\n");
  (void)s.turn(time_zero + 10s);
  EXPECT_EQ(s.log.next_deadline(), time_zero + 15s);
  s.set("other", "v2");
  (void)s.turn(time_zero + 11s);
  s.log.on_deadline(time_zero + 14s);
  EXPECT_TRUE(s.turn(time_zero + 14s).publish.empty());
  s.log.on_deadline(time_zero + 15s);
  const auto out = s.turn(time_zero + 15s);
  ASSERT_EQ(out.publish.size(), 1U);
  EXPECT_TRUE(published(out.publish.front()).erases());
  EXPECT_EQ(s.map().count("k"), 0U);
  EXPECT_EQ(s.map().count("other"), 1U);
  EXPECT_FALSE(s.log.next_deadline());
}

TEST(chp_update_log, with_the_policy_block_commits_nothing_alone) {
  auto o = paired();
  o.policy = degraded_policy::block;
  server a{o, 1};
  a.log.become_active(1, time_zero, a.out);
  a.set("k", "v", id(1));
  const auto out = a.turn();
  EXPECT_TRUE(out.answers.empty());
  EXPECT_TRUE(out.publish.empty());
}

TEST(chp_update_log, with_the_policy_block_tells_no_outcome_of_a_guide_server) {
  for (const auto policy : {degraded_policy::ack, degraded_policy::block}) {
    auto o = paired();
    o.policy = policy;
    server a{o, 1};
    ASSERT_EQ(a.log.adopt("", make_sequence(1, 1), time_zero), errc{});
    const log_entry followed{.number = make_sequence(1, 2),
                             .kind = entry_kind::set,
                             .id = id(1),
                             .low = 1,
                             .key = "k",
                             .value = "v"};
    ASSERT_TRUE(a.log.append(followed, time_zero));
    a.log.become_active(2, time_zero, a.out);
    (void)a.turn();
    a.set("k", "v", id(1));
    EXPECT_EQ(a.turn().answers.size(), policy == degraded_policy::ack ? 1U : 0U);
  }
}

TEST(chp_update_log, without_a_backup_a_failed_store_answers_nothing) {
  auto o = paired();
  o.state.has_store = true;
  server a{o, 1};
  a.log.become_active(1, time_zero, a.out);
  a.set("k", "v", id(1));
  (void)a.turn();
  a.write(zmtp::storage_errc::store_failed);
  const auto out = a.turn();
  EXPECT_TRUE(out.answers.empty());
  EXPECT_FALSE(out.step_down);
}

}  // namespace
}  // namespace chp
