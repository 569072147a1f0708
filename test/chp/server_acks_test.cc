// Acknowledgements that a server sends to clients of Zinc (reliability 3.2, G2).

#include "chp/session_acks.h"
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

TEST_F(server_acks, report_commits_to_a_session_once_per_millisecond) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  EXPECT_TRUE(s.notified[peer].empty()) << "nothing is";
  s.set("a", "1", id(1));
  ASSERT_EQ(s.notified[peer].size(), 1U);
  EXPECT_EQ(s.notified[peer][0], (frames{"HUGZ", number_frame(0), "", "ack=1\n", ""}));
  s.set("a", "2", id(2));
  s.set("a", "3", id(3));
  EXPECT_EQ(s.notified[peer].size(), 1U);
  s.pass(1ms);
  ASSERT_EQ(s.notified[peer].size(), 2U);
  EXPECT_EQ(counter(s.last_ack(peer)), 3U);
  s.pass(100ms);
  EXPECT_EQ(s.notified[peer].size(), 2U) << "once";
  EXPECT_FALSE(s.last_ack(peer)->degraded) << "an alone one has no backup to miss";
}

TEST_F(server_acks, detached_sessions_leave_no_state) {
  session_acks acks;
  for (std::uint32_t n = 0; n < 1'000; ++n) {
    acks.attach(test_session + n % 2, {n, 7});
    acks.detach({n, 7});
  }
  EXPECT_EQ(acks.owed(), 0U) << "whether an acknowledgement was sent or not";
}

TEST_F(server_acks, a_detached_session_has_no_deadline) {
  session_acks acks;
  update_register applied{test_random, {}};
  applied.insert(id(1));
  std::vector<server_actions::addressed> out;
  const session_acks::time_point now{1'000s};
  acks.attach(test_session, {1, 7});
  acks.tell(applied, false, now, out);
  ASSERT_EQ(out.size(), 1U);
  acks.owe(test_session);
  acks.tell(applied, false, now, out);
  ASSERT_EQ(acks.next_deadline(), now + session_acks::interval);
  acks.detach({1, 7});
  EXPECT_EQ(acks.next_deadline(), std::nullopt);
}

TEST_F(server_acks, name_the_gaps) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(2));
  s.set("a", "1", id(5));
  s.pass(1ms);
  EXPECT_EQ(s.notified[peer].back()[3], "ack=5\ngaps=1-1,3-4\n");
  s.set("a", "1", id(1));
  s.set("a", "1", id(3));
  s.set("a", "1", id(4));
  s.pass(1ms);
  EXPECT_EQ(s.notified[peer].back()[3], "ack=5\n");
}

TEST_F(server_acks, repeat_the_answer_to_a_resent_update) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  s.pass(10ms);
  s.set("a", "1", id(1));
  EXPECT_EQ(s.notified[peer].size(), 2U);
}

TEST_F(server_acks, go_to_the_present_subscription_of_the_session) {
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
  EXPECT_TRUE(s.notified[stranger].empty());
  EXPECT_TRUE(s.notified[stock].empty());
}

TEST_F(server_acks, that_were_not_queued_are_sent_again) {
  server_setting s;
  s.activate();
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1));
  EXPECT_FALSE(s.server.on_not_told(peer)) << "it can do without";
  s.pass(1ms);
  EXPECT_EQ(s.notified[peer].size(), 2U);
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
}

// With a backup.

class backed_up : public server_acks {
protected:
  explicit backed_up(degraded_policy policy = degraded_policy::ack)
      : s{with(policy), server_state::kind::paired} {
    s.activate(1);
    peer = s.subscribe(client());
    backup = s.snapshot_client("chp-ack,chp-backup");
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
  void report(sequence applied, std::uint64_t notices = 0) {
    s.say(backup, make_position_report(applied, notices));
  }

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
  EXPECT_TRUE(s.notified[peer].empty());
  report(make_sequence(1, 1));
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_FALSE(s.last_ack(peer)->degraded);
  EXPECT_EQ(s.server.status().committed, make_sequence(1, 1));
  report(make_sequence(1, 2));
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
}

TEST_F(backed_up, commits_without_a_synchronized_backup_are_reported) {
  s.set("a", "1", id(1));
  ASSERT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_TRUE(s.last_ack(peer)->degraded);
  // The backup has requested a snapshot that it has not received yet.
  s.say(backup, make_snapshot_request(""));
  s.set("a", "2", id(2));
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
}

TEST_F(backed_up, a_commit_does_not_wait_for_a_disconnected_backup) {
  synchronize();
  s.set("a", "1", id(1));
  s.server.on_snapshot_client_detached(backup, s.actions);
  s.finish();
  EXPECT_TRUE(s.saw(server_event::backup_lost));
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_TRUE(s.last_ack(peer)->degraded);
}

TEST_F(backed_up, a_commit_waits_for_a_stalled_backup_only_after_it_catches_up) {
  synchronize();
  s.set("a", "1", id(1));
  s.set("a", "2", id(2));
  s.pass(1'990ms);
  EXPECT_TRUE(s.notified[peer].empty());
  s.pass(10ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
  EXPECT_TRUE(s.last_ack(peer)->degraded);
  report(make_sequence(1, 1));
  EXPECT_FALSE(s.server.status().backup_in_sync) << "one committed update is missing";
  report(make_sequence(1, 2));
  EXPECT_TRUE(s.server.status().backup_in_sync);
  s.set("a", "3", id(3));
  s.pass(10ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 2U) << "and it is waited for again";
}

TEST_F(backed_up, a_backup_that_catches_up_gets_updates_committed_without_it) {
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

TEST_F(backed_up, a_commit_does_not_wait_for_a_backup_that_lags) {
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

TEST_F(backed_up, inconsistent_reports_are_ignored) {
  report(0);
  report(make_sequence(1, 0));
  EXPECT_FALSE(s.server.status().backup_in_sync) << "it has asked for nothing";
  synchronize();
  s.set("a", "1", id(1));
  report(make_sequence(7, 7));
  EXPECT_TRUE(s.notified[peer].empty()) << "there is no such update";
  const auto stranger = s.snapshot_client("chp-backup");
  s.say(stranger, make_position_report(s.server.number(), 0));
  EXPECT_TRUE(s.notified[peer].empty());
}

TEST_F(backed_up, does_not_acknowledge_updates_out_of_order_too_early) {
  synchronize();
  s.set("a", "1", id(1));
  s.set("b", "2", id(3));
  s.set("c", "3", id(2));
  report(make_sequence(1, 2));
  EXPECT_EQ(counter(s.last_ack(peer)), 1U) << "the second waits";
  report(make_sequence(1, 3));
  s.pass(1ms);
  EXPECT_EQ(s.notified[peer].back()[3], "ack=3\n");
}

class backed_up_or_blocked : public backed_up {
protected:
  backed_up_or_blocked() : backed_up{degraded_policy::block} {}
};

TEST_F(backed_up_or_blocked, nothing_is_committed_without_a_backup) {
  s.set("a", "1", id(1));
  s.pass(10s);
  EXPECT_TRUE(s.notified[peer].empty());
  synchronize();
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
  EXPECT_FALSE(s.last_ack(peer)->degraded);
  s.set("a", "2", id(2));
  s.server.on_snapshot_client_detached(backup, s.actions);
  s.pass(10s);
  EXPECT_EQ(counter(s.last_ack(peer)), 1U);
}

// An update that is refused (protocols C1-24, reliability 3.2, G7: limits).

TEST_F(server_acks, report_refused_updates_and_their_reasons) {
  server_setting s{{.limit = {.max_value_size = 4}, .map = {.max_keys = 1}}};
  s.activate();
  const auto peer = s.subscribe(client());
  const auto stock = s.subscribe();
  s.set("a", "1", id(1));
  s.set("b", "1", id(2));
  s.set("a", "12345", id(3));
  s.update(zmtp::message{"HUGZ", number_frame(0), id(4).bytes(), "", "1"});
  s.set("a", "2", id(5));
  s.pass(1ms);
  auto notified = s.last_ack(peer);
  ASSERT_TRUE(notified);
  EXPECT_EQ(notified->counter, 5U);
  EXPECT_TRUE(notified->gaps.empty());
  ASSERT_EQ(notified->refused.size(), 3U);
  EXPECT_EQ(notified->refused[0], (refusal{{2, 2}, errc::too_many_keys}));
  EXPECT_EQ(notified->refused[1], (refusal{{3, 3}, errc::value_too_long}));
  EXPECT_EQ(notified->refused[2], (refusal{{4, 4}, errc::key_reserved}));
  EXPECT_EQ(s.content(), (std::map<std::string, std::string>{{"a", "2"}}));
  EXPECT_TRUE(s.notified[stock].empty());
  for (const auto& m : s.publications()) {
    EXPECT_EQ(m[3], "") << "others see nothing of it";
  }
  // The update stays refused when there is room, and a client that resends it receives the refusal again.
  s.set("a", "", id(6));
  s.notified[peer].clear();
  s.set("b", "1", id(2));
  s.pass(1ms);
  EXPECT_TRUE(s.content().empty());
  ASSERT_TRUE(s.last_ack(peer));
  EXPECT_EQ(s.last_ack(peer)->refused.size(), 3U);
  EXPECT_EQ(s.refused(errc::too_many_keys), 1U);
}

TEST_F(server_acks, clients_without_sessions_may_retry_a_refused_update) {
  server_setting s{{.map = {.max_keys = 1}}};
  s.activate();
  const auto foreign = update_id::of_random(1, 2);
  s.set("a", "1");
  s.set("b", "1", foreign);
  s.set("a", "");
  s.set("b", "1", foreign);
  EXPECT_EQ(s.content(), (std::map<std::string, std::string>{{"b", "1"}}));
}

class refusing : public backed_up {
protected:
  explicit refusing(degraded_policy policy = degraded_policy::ack) : backed_up{policy} {
    feed = s.subscribe("chp-ack,chp-backup");
  }
  // No key is empty.
  void refused(std::uint64_t counter) {
    s.update(zmtp::message{"", number_frame(0), id(counter).bytes(), "", "1"});
  }
  [[nodiscard]] std::size_t refused_to(zmtp::peer_id whom) {
    const auto notified = s.last_ack(whom);
    return notified ? notified->refused.size() : 0;
  }

  zmtp::peer_id feed;
};

TEST_F(refusing, is_reported_when_the_backup_has_it) {
  synchronize();
  s.set("a", "1", id(1));
  refused(2);
  s.set("a", "2", id(3));
  ASSERT_EQ(s.notified[feed].size(), 1U);
  const auto notice = find_refusal_notice(s.notified[feed].front().at(3));
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->number, 1U);
  EXPECT_EQ(notice->counter, 2U);
  EXPECT_EQ(notice->why, errc::key_empty);
  report(s.server.number());
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 1U) << "later updates could be taken for committed";
  EXPECT_EQ(refused_to(peer), 0U);
  report(s.server.number(), 1);
  s.pass(1ms);
  EXPECT_EQ(counter(s.last_ack(peer)), 3U);
  EXPECT_EQ(refused_to(peer), 1U);
}

TEST_F(refusing, reports_consecutive_refusals_that_the_backup_has) {
  synchronize();
  refused(1);
  refused(2);
  refused(3);
  report(s.server.number(), 2);
  s.pass(1ms);
  ASSERT_EQ(counter(s.last_ack(peer)), 2U);
  EXPECT_EQ(s.last_ack(peer)->refused.front(), (refusal{{1, 2}, errc::key_empty}));
}

TEST_F(refusing, does_not_wait_for_a_backup_that_does_not_confirm_it) {
  synchronize();
  refused(1);
  EXPECT_EQ(refused_to(peer), 0U);
  s.pass(2s);
  EXPECT_TRUE(s.saw(server_event::backup_lost));
  EXPECT_EQ(refused_to(peer), 1U);
}

TEST_F(refusing, a_later_backup_receives_it_in_its_snapshot) {
  refused(1);
  EXPECT_EQ(refused_to(peer), 1U) << "there is none to wait for";
  s.notified[peer].clear();
  const auto parts = s.snapshot(backup);
  update_register copied;
  for (const auto& part : parts) {
    if (part.front() == "HUGZ") {
      EXPECT_FALSE(copied.unpack(part.back()));
    }
  }
  EXPECT_EQ(copied.find(test_session).refused.size(), 1U);
  report();
  EXPECT_TRUE(s.saw(server_event::backup_in_sync)) << "without having received the notice";
}

class blocking_refusals : public refusing {
protected:
  blocking_refusals() : refusing{degraded_policy::block} {}
};

TEST_F(blocking_refusals, wait_for_a_backup) {
  refused(1);
  s.pass(10s);
  EXPECT_EQ(refused_to(peer), 0U);
  synchronize();
  EXPECT_EQ(refused_to(peer), 1U);
}

// Too many wait for a backup.

class putting_off : public server_acks {
protected:
  putting_off()
      : s{{.degraded = degraded_policy::block, .waiting_updates = 2}, server_state::kind::paired} {
    s.activate(1);
    peer = s.subscribe(client());
    backup = s.snapshot_client("chp-ack,chp-backup");
  }
  void synchronize() {
    s.snapshot(backup);
    report();
  }
  void report() {
    s.say(backup, make_position_report(s.server.number(), 0));
    s.pass(1ms);
  }
  [[nodiscard]] std::string value() {
    const auto all = s.content();
    const auto found = all.find("a");
    return found == all.end() ? "" : found->second;
  }

  server_setting s;
  zmtp::peer_id peer;
  zmtp::peer_id backup;
};

TEST_F(putting_off, an_update_above_the_limit_is_deferred) {
  for (const auto counter : {1, 2, 3, 4}) {
    s.set("a", std::to_string(counter), id(static_cast<std::uint64_t>(counter)));
  }
  EXPECT_EQ(value(), "2");
  EXPECT_EQ(s.server.status().waiting, 2U);
  EXPECT_EQ(s.server.status().counters.deferred, 2U);
  EXPECT_EQ(s.publications().size(), 2U);
  // Updates of other clients do not wait.
  s.set("b", "1");
  s.set("b", "2", update_id::of_random(1, 2));
  EXPECT_EQ(s.publications().size(), 2U);
  synchronize();
  EXPECT_EQ(counter(s.last_ack(peer)), 2U);
  // Sent when those were on their way already: they come before it.
  s.set("a", "5", id(5));
  EXPECT_EQ(value(), "2");
  for (const auto counter : {3, 4, 5}) {
    s.set("a", std::to_string(counter), id(static_cast<std::uint64_t>(counter)));
    report();
  }
  EXPECT_EQ(value(), "5");
  EXPECT_EQ(counter(s.last_ack(peer)), 5U);
  s.set("a", "6", id(6));
  EXPECT_EQ(value(), "6");
}

TEST_F(putting_off, an_update_during_a_pause_does_not_overtake_a_deferred_one) {
  s.set("a", "1", id(1));
  s.set("a", "2", id(2));
  s.set("a", "3", id(3));
  s.server.suspend(s.actions);
  s.set("a", "4", id(4));
  s.activate(1);
  EXPECT_EQ(value(), "2");
}

TEST_F(putting_off, ends_when_the_peer_offers_the_deferred_update) {
  s.set("a", "1", id(1));
  s.set("a", "2", id(2));
  s.set("a", "3", id(3));
  synchronize();
  // The other server had accepted it when it was active.
  s.say(backup, make_resubmission(s.server.number(), "a", id(3), "", "3"));
  report();
  ASSERT_EQ(value(), "3");
  s.set("a", "3", id(3));
  s.set("a", "4", id(4));
  EXPECT_EQ(value(), "4");
}

TEST_F(putting_off, a_refused_update_waits_for_earlier_updates) {
  s.set("a", "1", id(1));
  s.set("a", "2", id(2));
  s.update(zmtp::message{"", number_frame(0), id(3).bytes(), "", "1"});
  EXPECT_EQ(s.server.status().waiting, 2U);
  synchronize();
  s.update(zmtp::message{"", number_frame(0), id(3).bytes(), "", "1"});
  s.set("a", "4", id(4));
  EXPECT_EQ(value(), "4");
  EXPECT_EQ(s.refused(errc::key_empty), 1U);
}

}  // namespace
}  // namespace chp
