// What clients of ours are told of their updates (reliability 3.2, G2).

#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

class server_acks : public testing::Test {
protected:
  static update_id id(std::uint64_t counter) {
    return update_id::of_session(test_session, counter);
  }
  static std::string client() { return "chp-ack=" + session_name(test_session); }
  static std::uint64_t counter(const std::optional<acknowledgement>& ack) {
    return ack ? ack->counter : 0;
  }
};

TEST_F(server_acks, tell_a_session_what_is_committed_once_a_millisecond) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  EXPECT_TRUE(s.told[peer].empty()) << "nothing is";
  s.set("a", "1", id(1));
  ASSERT_EQ(s.told[peer].size(), 1U);
  EXPECT_EQ(s.told[peer][0], (frames{"HUGZ", number_frame(0), "", "ack=1\n", ""}));
  s.set("a", "2", id(2));
  s.set("a", "3", id(3));
  EXPECT_EQ(s.told[peer].size(), 1U);
  s.pass(1ms);
  ASSERT_EQ(s.told[peer].size(), 2U);
  EXPECT_EQ(counter(s.last_ack(peer)), 3U);
  s.pass(100ms);
  EXPECT_EQ(s.told[peer].size(), 2U) << "once";
  EXPECT_FALSE(s.last_ack(peer)->degraded) << "an alone one has no backup to miss";
}

TEST_F(server_acks, name_the_gaps) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(2));
  s.set("a", "1", id(5));
  s.pass(1ms);
  EXPECT_EQ(s.told[peer].back()[3], "ack=5\ngaps=1-1,3-4\n");
  s.set("a", "1", id(1));
  s.set("a", "1", id(3));
  s.set("a", "1", id(4));
  s.pass(1ms);
  EXPECT_EQ(s.told[peer].back()[3], "ack=5\n");
}

TEST_F(server_acks, answer_an_update_that_comes_again) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.pass(10ms);
  s.set("a", "1", id(1));
  EXPECT_EQ(s.told[peer].size(), 2U);
}

TEST_F(server_acks, go_to_where_the_session_subscribes_now) {
  server_setting s;
  s.activate();
  s.set("a", "1", id(1));
  const auto first = s.subscribe(client());
  s.set("a", "1", id(2));
  EXPECT_EQ(counter(s.last_ack(first)), 1U) << "as soon as it is there";
  const auto second = s.subscribe(client());
  s.server.on_subscriber_detached(first);
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(second)), 2U);
  const auto stranger = s.subscribe("chp-ack=" + session_name(test_session + 1));
  const auto stock = s.subscribe();
  s.set("a", "1", id(3));
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(second)), 3U);
  EXPECT_TRUE(s.told[stranger].empty());
  EXPECT_TRUE(s.told[stock].empty());
}

TEST_F(server_acks, that_could_not_be_queued_are_told_again) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.server.on_not_told(peer);
  s.pass(1ms);
  EXPECT_EQ(s.told[peer].size(), 2U);
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
}

// With a backup.

class backed_up : public server_acks {
protected:
  explicit backed_up(degraded_policy policy = degraded_policy::ack)
      : s{with(policy), server_state::kind::paired} {
    s.activate(1);
    peer = s.subscribe(client());
    backup = s.asker("chp-ack,chp-backup");
  }
  static server_options with(degraded_policy policy) {
    server_options options;
    options.degraded = policy;
    options.backup_timeout = 2s;
    return options;
  }
  void synchronize() {
    s.snapshot(backup);
    report();
    s.pass(1ms);
  }
  void report() { report(s.server.number()); }
  void report(sequence applied) { s.say(backup, make_position_report(applied)); }

  server_setting s;
  zmtp::peer_id peer;
  zmtp::peer_id backup;
};

TEST_F(backed_up, an_update_is_committed_when_the_backup_has_it) {
  synchronize();
  EXPECT_TRUE(s.saw(server_event::backup_in_sync));
  s.set("a", "1", id(1));
  s.set("a", "2", id(2));
  s.pass(10ms);
  EXPECT_TRUE(s.told[peer].empty());
  report(make_sequence(1, 1));
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_FALSE(s.last_ack(peer)->degraded);
  EXPECT_EQ(s.server.status().committed, make_sequence(1, 1));
  report(make_sequence(1, 2));
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
}

TEST_F(backed_up, without_one_in_sync_updates_are_committed_and_that_is_said) {
  s.set("a", "1", id(1));
  ASSERT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_TRUE(s.last_ack(peer)->degraded);
  // It has asked, and not yet got what it asked for.
  s.say(backup, make_snapshot_request(""));
  s.set("a", "2", id(2));
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
}

TEST_F(backed_up, one_that_goes_is_not_waited_for) {
  synchronize();
  s.set("a", "1", id(1));
  s.server.on_asker_detached(backup, s.actions);
  s.finish();
  EXPECT_TRUE(s.saw(server_event::backup_lost));
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_TRUE(s.last_ack(peer)->degraded);
}

TEST_F(backed_up, one_that_stands_still_is_not_waited_for_until_it_has_everything) {
  synchronize();
  s.set("a", "1", id(1));
  s.set("a", "2", id(2));
  s.pass(1'990ms);
  EXPECT_TRUE(s.told[peer].empty());
  s.pass(10ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
  EXPECT_TRUE(s.last_ack(peer)->degraded);
  report(make_sequence(1, 1));
  EXPECT_FALSE(s.server.status().backup_in_sync)
      << "of what is said to be committed one is missing";
  report(make_sequence(1, 2));
  EXPECT_TRUE(s.server.status().backup_in_sync);
  s.set("a", "3", id(3));
  s.pass(10ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U) << "and it is waited for again";
}

TEST_F(backed_up, one_that_catches_up_has_what_was_committed_without_it) {
  s.snapshot(backup);
  s.set("a", "1", id(1));
  s.set("a", "2", id(2));
  s.pass(1ms);
  ASSERT_EQ(counter(s.last_ack(peer)), 2U);
  report(make_sequence(1, 0));
  EXPECT_FALSE(s.server.status().backup_in_sync);
  s.set("a", "3", id(3));
  s.pass(10ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U) << "it is waited for, so that it can catch up";
  report(make_sequence(1, 1));
  EXPECT_FALSE(s.server.status().backup_in_sync);
  s.set("a", "1", id(1));
  s.pass(1ms);
  EXPECT_TRUE(s.last_ack(peer)->degraded) << "it does not have the second";
  report(make_sequence(1, 2));
  EXPECT_TRUE(s.server.status().backup_in_sync);
  report(make_sequence(1, 3));
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 3U);
  EXPECT_FALSE(s.last_ack(peer)->degraded);
}

TEST_F(backed_up, one_that_does_not_catch_up_is_not_waited_for) {
  s.snapshot(backup);
  s.set("a", "1", id(1));
  report(make_sequence(1, 0));
  s.set("a", "2", id(2));
  s.pass(1'990ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
  s.pass(10ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
  EXPECT_TRUE(s.last_ack(peer)->degraded);
}

TEST_F(backed_up, reports_that_make_no_sense_are_not_believed) {
  report(0);
  report(make_sequence(1, 0));
  EXPECT_FALSE(s.server.status().backup_in_sync) << "it has asked for nothing";
  synchronize();
  s.set("a", "1", id(1));
  report(make_sequence(7, 7));
  EXPECT_TRUE(s.told[peer].empty()) << "there is no such update";
  const auto stranger = s.asker("chp-backup");
  s.say(stranger, make_position_report(s.server.number()));
  EXPECT_TRUE(s.told[peer].empty());
}

TEST_F(backed_up, updates_out_of_order_are_never_told_too_early) {
  synchronize();
  s.set("a", "1", id(1));
  s.set("a", "2", id(3));
  s.set("a", "3", id(2));
  report(make_sequence(1, 2));
  EXPECT_EQ(counter(s.last_ack(peer)), 1U) << "the second waits";
  report(make_sequence(1, 3));
  s.pass(1ms);
  EXPECT_EQ(s.told[peer].back()[3], "ack=3\n");
}

class backed_up_or_blocked : public backed_up {
protected:
  backed_up_or_blocked() : backed_up{degraded_policy::block} {}
};

TEST_F(backed_up_or_blocked, nothing_is_committed_without_a_backup) {
  s.set("a", "1", id(1));
  s.pass(10s);
  EXPECT_TRUE(s.told[peer].empty());
  synchronize();
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_FALSE(s.last_ack(peer)->degraded);
  s.set("a", "2", id(2));
  s.server.on_asker_detached(backup, s.actions);
  s.pass(10s);
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
}

}  // namespace
}  // namespace chp
