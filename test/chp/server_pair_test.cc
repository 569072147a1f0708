// Two servers of the map, one of them active: replication, and failover with pending updates of clients
// (reliability 3.2, protocols C1-2, C1-17 to C1-21).

#include "test/chp/pair_script.h"

namespace chp {
namespace {

TEST_F(server_pair, the_passive_server_has_the_map_and_all_later_updates) {
  a.activate(1);
  a.set("before", "1");
  make_passive(b);
  link();
  EXPECT_TRUE(b.saw(server_event::synchronized));
  a.set("after", "2");
  a.set("before", "");
  run();
  EXPECT_EQ(b.content(), (content{{"after", "2"}}));
  EXPECT_EQ(b.server.number(), a.server.number());
  EXPECT_EQ(a.server.status().committed, a.server.number());
  EXPECT_TRUE(b.publications().empty());
  EXPECT_EQ(b.server.status().counters.followed, 2U);
}

TEST_F(server_pair, updates_during_the_transfer_of_a_snapshot_are_not_lost) {
  a.activate(1);
  for (int n = 0; n < 20'000; ++n) {
    a.set("k" + std::to_string(n), "old");
  }
  make_passive(b);
  a.linked = b.linked = true;
  b.server.on_feed_attached();
  connect_source(b, a);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  b.finish();
  for (auto& m : std::exchange(b.asked, {})) {
    a.say(a.other, m);
  }
  a.read(a.other, 1);
  a.set("k1", "new");
  a.set("k2", "");
  ASSERT_FALSE(b.server.status().following);
  run();
  EXPECT_TRUE(b.server.status().following);
  EXPECT_EQ(b.content(), a.content());
  EXPECT_EQ(b.server.number(), a.server.number());
}

TEST_F(server_pair, the_passive_server_takes_over_with_pending_updates_of_clients) {
  begin();
  set_both("a", "1", id(1));
  unlink();
  // The active server has ended. Two updates reach only the passive server, and one of them was confirmed.
  b.set("b", "2", id(2));
  b.set("a", "1", id(1));
  b.set("c", "3", id(3), "ttl=100\n");
  EXPECT_EQ(b.server.status().pending, 2U);
  EXPECT_TRUE(b.publications().empty());
  b.activate(2);
  const auto all = b.publications();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0][0], "b");
  EXPECT_EQ(number_of(all[0]), make_sequence(2, 1));
  EXPECT_EQ(all[1][0], "c");
  EXPECT_EQ(all[1][3], "ttl=100\n");
  EXPECT_EQ(b.content(), (content{{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(b.server.status().counters.replayed, 2U);
}

TEST_F(server_pair, a_late_update_does_not_overwrite_a_newer_value) {
  begin();
  a.set("k", "old", id(1));
  a.set("k", "new", id(2));
  run();
  b.set("k", "old", id(1));
  b.set("k", "new", id(2));
  EXPECT_EQ(b.server.status().pending, 0U);
  unlink();
  b.activate(2);
  EXPECT_TRUE(b.publications().empty());
  EXPECT_EQ(b.content(), (content{{"k", "new"}}));
}

TEST_F(server_pair, a_snapshot_tells_which_updates_the_active_server_applied) {
  a.activate(1);
  a.set("k", "old", id(1));
  a.set("k", "new", id(2));
  const auto foreign = update_id::of_random(1, 2);
  a.set("f", "old", foreign);
  a.set("f", "new", update_id::of_random(3, 4));
  make_passive(b);
  b.set("k", "old", id(1));
  EXPECT_EQ(b.server.status().pending, 1U);
  link();
  EXPECT_EQ(b.server.status().pending, 0U);
  b.set("f", "old", foreign);
  unlink();
  b.activate(2);
  EXPECT_EQ(b.content(), (content{{"k", "new"}, {"f", "new"}}));
}

TEST_F(server_pair, a_restarted_active_server_follows_and_takes_over_again) {
  begin();
  a.set("x", "1", id(1));
  run();
  unlink();
  b.activate(2);
  b.set("x", "2", id(2));
  make_passive(a);
  link();
  EXPECT_EQ(a.content(), (content{{"x", "2"}}));
  EXPECT_TRUE(b.server.status().backup_in_sync);
  unlink();
  a.activate(3);
  a.set("x", "3", id(3));
  EXPECT_EQ(number_of(a.publications().back()), make_sequence(3, 1));
}

TEST_F(server_pair, a_suspended_server_accepts_no_update_until_it_is_active) {
  begin();
  a.set("before", "1", id(1));
  run();
  a.server.suspend(a.actions);
  a.set("meanwhile", "2", id(2), "ttl=100\n");
  a.say(a.snapshot_client(), make_snapshot_request(""));
  a.pass(5s);
  run();
  EXPECT_EQ(a.content(), (content{{"before", "1"}}));
  EXPECT_EQ(a.server.status().pending, 1U);
  EXPECT_TRUE(a.wants_room.empty());
  a.activate(3);
  run();
  EXPECT_EQ(a.content(), (content{{"before", "1"}, {"meanwhile", "2"}}));
  EXPECT_EQ(a.server.number(), make_sequence(3, 1));
}

TEST_F(server_pair, a_suspended_server_that_becomes_passive_offers_its_own_updates) {
  begin();
  unlink();
  a.set("only here", "1", id(1));
  a.server.suspend(a.actions);
  a.set("pending", "2", id(2));
  b.activate(2);
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"only here", "1"}}));
  EXPECT_EQ(a.content(), b.content());
  EXPECT_EQ(a.server.status().pending, 1U) << "which its client sends to both";
}

// The history that a client of Zinc receives with its snapshot.
TEST_F(server_pair, a_history_keeps_its_start_after_a_failover) {
  const auto begun = [](node& of, const std::string& announced) {
    const auto answer = of.snapshot(of.snapshot_client(announced));
    const auto said = properties{answer.back().at(3)}.find(property_name::begun);
    return said ? std::optional{std::string{*said}} : std::nullopt;
  };
  const auto of_epoch = [](std::uint64_t epoch) { return std::to_string(make_sequence(epoch, 0)); };
  a.activate(3);
  EXPECT_EQ(begun(a, "chp-ack"), of_epoch(3));
  EXPECT_EQ(begun(a, ""), std::nullopt) << "12/CHP has nothing there";
  a.set("k", "1", id(1));
  make_passive(b);
  link();
  unlink();
  b.activate(4);
  EXPECT_EQ(begun(b, "chp-ack"), of_epoch(3));
  make_passive(a);
  a.activate(5);
  EXPECT_EQ(begun(a, "chp-ack"), of_epoch(3));
  // A server that has restarted, and follows a server that has restarted.
  node nothing{3};
  nothing.activate(7);
  EXPECT_EQ(begun(nothing, "chp-ack"), of_epoch(7));
}

// Gaps.

TEST_F(server_pair, requests_another_snapshot_after_a_gap) {
  begin();
  a.linked = false;
  a.set("missed", "1");
  a.linked = true;
  a.set("next", "2");
  run();
  EXPECT_EQ(b.server.status().counters.gaps, 1U);
  EXPECT_TRUE(b.saw(server_event::gap));
  // The new connection to the source is the one of the feed.
  EXPECT_EQ(b.content(), a.content());
  EXPECT_TRUE(b.server.status().following);
  EXPECT_TRUE(a.server.status().backup_in_sync);
}

TEST_F(server_pair, ignores_publications_that_are_repeated_or_of_an_older_epoch) {
  begin();
  a.set("k", "1", id(1));
  a.set("k", "2", id(2));
  run();
  const auto old = update{form::kvmsg, "k", 0, {}, {}, "old"};
  for (const auto number : {make_sequence(1, 1), make_sequence(0, 99), make_sequence(1, 2)}) {
    b.server.on_publication(make_publication(form::kvmsg, old, id(9), number), b.now, b.actions);
  }
  run();
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  EXPECT_EQ(b.server.status().counters.outdated, 3U);
  EXPECT_EQ(b.server.status().counters.gaps, 0U);
}

TEST_F(server_pair, a_snapshot_of_an_older_epoch_is_refused) {
  a.activate(1);
  a.set("k", "1");
  b.activate(2);
  b.set("k", "2");
  make_passive(b);
  link();
  EXPECT_EQ(std::count(b.events.begin(), b.events.end(), server_event::older_epoch), 1);
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  b.pass(4'999ms);
  EXPECT_FALSE(b.wants_source);
  b.pass(1ms);
  EXPECT_TRUE(b.wants_source) << "it is asked again, and not at once";
}

TEST_F(server_pair, retries_a_snapshot_that_is_not_answered_or_stalls) {
  make_passive(b);
  b.server.on_feed_attached();
  b.server.on_source_attached(server_setting::metadata_of("chp-ack"), b.now, b.actions);
  b.finish();
  EXPECT_TRUE(b.asked.empty()) << "before something has come on the feed";
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  b.finish();
  EXPECT_EQ(b.asked.size(), 1U);
  b.pass(250ms);
  EXPECT_EQ(b.asked.size(), 2U);
  b.server.on_source_message(make_entry(form::kvmsg, "k", 5, {}, {}, "v"), b.now, 0ms, b.actions);
  b.pass(4'999ms);
  EXPECT_FALSE(b.wants_source);
  b.pass(1ms);
  EXPECT_TRUE(b.wants_source) << "on another connection";
  EXPECT_TRUE(b.content().empty());
}

// Times to live.

TEST_F(server_pair, a_passive_server_erases_nothing_and_the_next_active_not_early) {  // G6
  begin();
  set_both("t", "1", id(1), "ttl=2\n");
  set_both("for ever", "1", id(2));
  unlink();
  b.pass(5s);
  EXPECT_EQ(b.content().size(), 2U) << "a passive one never does";
  b.activate(2);
  b.publications();
  // While no server was active, clients could not refresh the key.
  b.pass(4'900ms);
  EXPECT_EQ(b.content().size(), 2U);
  b.pass(200ms);
  EXPECT_EQ(b.content(), (content{{"for ever", "1"}}));
  const auto all = b.publications();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0][4], "");
}

TEST_F(server_pair, a_snapshot_contains_times_to_live) {  // protocols C1-2
  a.activate(1);
  a.set("t", "1", id(1), "ttl=10\n");
  a.pass(4s);
  b.now = a.now;
  make_passive(b);
  link();
  unlink();
  b.activate(2);
  b.pass(5'990ms);
  EXPECT_EQ(b.content().size(), 1U);
  b.pass(20ms);
  EXPECT_TRUE(b.content().empty());
}

// Limits.

TEST_F(server_pair, drops_pending_updates_that_clients_resend_when_there_are_too_many) {
  server_options options;
  options.pending_bytes = 2'000;
  server_setting s{options, server_state::kind::paired};
  s.server.deactivate(s.now, s.actions);
  s.set("foreign", "1", update_id::of_random(1, 1));
  for (std::uint64_t n = 1; n <= 100; ++n) {
    s.set("k" + std::to_string(n), "v", id(n));
  }
  EXPECT_GT(s.server.status().counters.pending_dropped, 50U);
  s.activate(1);
  const auto all = s.publications();
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all.front()[0], "foreign");
  EXPECT_EQ(all.back()[0], "k100");
  // The client can resend dropped updates.
  s.set("k1", "v", id(1));
  EXPECT_EQ(s.publications().size(), 1U);
}

TEST_F(server_pair, updates_queued_during_a_snapshot_are_limited) {
  server_options options;
  options.feed_bytes = 1'000;
  server_setting s{options, server_state::kind::paired};
  s.server.deactivate(s.now, s.actions);
  s.server.on_feed_attached();
  s.server.on_source_attached(server_setting::metadata_of("chp-ack"), s.now, s.actions);
  const auto u = update{form::kvmsg, "k", 0, {}, {}, "v"};
  for (sequence n = 1; n <= 100 && !s.wants_source; ++n) {
    s.server.on_publication(make_publication(form::kvmsg, u, id(n), n), s.now, s.actions);
    s.finish();
  }
  EXPECT_TRUE(s.wants_source);
  EXPECT_TRUE(s.saw(server_event::gap));
}

// Third-party peers.

TEST_F(server_pair, follows_a_server_of_the_guide_without_telling_it_anything) {
  make_passive(b);
  b.server.on_feed_attached();
  b.server.on_source_attached({}, b.now, b.actions);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  b.finish();
  ASSERT_EQ(b.asked.size(), 1U);
  EXPECT_EQ(frames_of(b.asked[0]), (frames{"ICANHAZ?", ""}));
  b.asked.clear();
  // Entries with numbers of their own, and an absolute time to live.
  const auto say = [&](const zmtp::message& m) {
    b.server.on_source_message(m, b.now, 1'700'000'000'000ms, b.actions);
    b.finish();
  };
  say({"k", number_frame(3), std::string(16, 'u'), "ttl=1700000005000\n", "v"});
  // This one has come here, too.
  const auto known = update_id::of_random(1, 2);
  b.set("m", "w", known);
  EXPECT_EQ(b.server.status().pending, 1U);
  say({"m", number_frame(9), known.bytes(), "", "w"});
  EXPECT_EQ(b.server.status().pending, 0U) << "it is not carried out again";
  say({"KTHXBAI", number_frame(9), "", "", ""});
  EXPECT_TRUE(b.server.status().following);
  b.server.on_publication({"n", number_frame(10), std::string(16, 'w'), "", "x"}, b.now, b.actions);
  b.finish();
  EXPECT_TRUE(b.asked.empty()) << "no report";
  EXPECT_EQ(b.content().size(), 3U);
  b.activate(0);
  b.set("o", "y");
  EXPECT_EQ(number_of(b.publications().back()), 11U) << "without epochs the numbers go on";
  b.pass(5'100ms);
  EXPECT_EQ(b.content().count("k"), 0U);
}

TEST_F(server_pair, malformed_messages_on_either_connection_are_counted_and_ignored) {
  begin();
  a.set("k", "1");
  run();
  for (const auto& m : {zmtp::message{"x"}, zmtp::message{"", "", "", "", ""},
                        zmtp::message{"k", "1234", "", "", "v"}}) {
    b.server.on_publication(zmtp::message{m}, b.now, b.actions);
    b.server.on_source_message(m, b.now, 0ms, b.actions);
  }
  run();
  std::uint64_t refused = 0;
  for (const auto count : b.server.status().counters.refused) {
    refused += count;
  }
  EXPECT_EQ(refused, 6U);
  EXPECT_EQ(b.content(), a.content());
  EXPECT_TRUE(b.server.status().following);
}

}  // namespace
}  // namespace chp
