// How a client gets and updates its map: its requests, the snapshot that it accepts, and its handling of
// updates around the snapshot (12/CHP, reliability.md 3.2, G3 and G4).

#include "test/chp/client_script.h"

#include <string>

namespace chp::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

class client_snapshot : public client_script {};

TEST_F(client_snapshot, requests_its_subtree_when_it_is_connected) {  // CHP-7, CHP-8
  options.subtree = "/a/";
  begin();
  EXPECT_EQ(done(), texts{"open 0"});
  snapshot();
  EXPECT_EQ(done(), texts{"ask"});
}

TEST_F(client_snapshot, the_map_is_ready_when_the_snapshot_is_complete) {  // CHP-11, CHP-14
  begin();
  ask();
  entry("/b", "2", 0);
  entry("/a", "1", 77);
  EXPECT_FALSE(state->ready());
  EXPECT_EQ(value("/a"), "");
  EXPECT_EQ(done(), texts{});
  end(5);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "/a=1", "/b=2", "ready", "following 0"}));
  EXPECT_TRUE(state->ready());
  EXPECT_EQ(value("/a"), "1");
  EXPECT_EQ(state->status().number, 5U);
  EXPECT_EQ(state->status().keys, 2U);
}

TEST_F(client_snapshot, ignores_a_snapshot_requested_before_the_subscription) {  // G4
  begin();
  subscriber();
  snapshot();
  EXPECT_EQ(done(), (texts{"open 0", "ask"}));
  entry("/a", "1");
  end(5);
  EXPECT_EQ(done(), texts{});
  EXPECT_FALSE(state->ready());
  // The request was answered: another answer would not help.
  pass(1s);
  EXPECT_EQ(done(), texts{});
  hugz();
  EXPECT_EQ(done(), texts{"renew 0"});
  snapshot();
  EXPECT_EQ(done(), texts{"ask"});
  entry("/a", "2");
  end(6);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "/a=2", "ready", "following 0"}));
}

TEST_F(client_snapshot, an_update_confirms_the_subscription_like_a_heartbeat) {  // G4
  begin();
  subscriber();
  snapshot();
  forget();
  publish("/a", "1", 5);
  EXPECT_EQ(done(), texts{"renew 0"});
  snapshot();
  end(4);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "ask", "/a=1", "ready", "following 0"}));
}

TEST_F(client_snapshot, a_refused_subtree_ends_the_wait_and_the_client_tries_again) {
  options.subtree = "/a/";
  begin();
  ask();
  entry("/a/1", "1", 0);
  state->on_snapshot_message(make_snapshot_forbidden("/a/"), now, out);
  EXPECT_EQ(done(), (texts{"close 0", "not ready", "forbidden 0"}));
  EXPECT_FALSE(state->ready());
  pass(options.longest_retry);
  EXPECT_EQ(done(), texts{"open 0"});
  ask();
  end(6);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "ready", "following 0"}));
  EXPECT_EQ(value("/a/1"), "") << "what came before the refusal does not count";
}

TEST_F(client_snapshot, after_a_refusal_the_next_server_is_tried) {
  begin(2);
  ask();
  state->on_snapshot_message(make_snapshot_forbidden(""), now, out);
  EXPECT_EQ(done(), (texts{"close 0", "open 1", "not ready", "forbidden 0"}));
}

TEST_F(client_snapshot, does_not_replace_the_dealer_if_a_heartbeat_came_first) {
  begin();
  subscriber();
  hugz();
  snapshot();
  hugz();
  EXPECT_EQ(done(), (texts{"open 0", "ask"}));
}

TEST_F(client_snapshot, accepts_any_snapshot_of_a_server_without_heartbeats) {
  options.server_ttl.reset();
  begin();
  subscriber(false);
  snapshot();
  end(3);
  EXPECT_TRUE(state->ready());
  pass(1h);
  EXPECT_TRUE(state->status().following);
}

TEST_F(client_snapshot, repeats_an_unanswered_request_every_quarter_of_a_heartbeat) {  // C1-22
  begin();
  snapshot();
  forget();
  pass(1s);
  EXPECT_EQ(done(), (texts{"ask", "ask", "ask", "ask"}));
}

TEST_F(client_snapshot, repeats_a_request_at_most_every_fifty_milliseconds) {  // C1-22
  options.heartbeat = 100ms;
  begin();
  snapshot();
  forget();
  pass(200ms);
  EXPECT_EQ(done(), (texts{"ask", "ask", "ask", "ask"}));
}

TEST_F(client_snapshot, does_not_repeat_a_request_after_the_answer_has_begun) {
  begin();
  ask();
  entry("/a", "1");
  pass(2s);
  EXPECT_EQ(done(), texts{});
}

TEST_F(client_snapshot, applies_updates_received_during_the_snapshot_after_it) {  // CHP-17, CHP-21
  begin();
  ask();
  publish("/old", "no", 4);
  publish("/a", "new", 6);
  entry("/a", "old");
  publish("/b", "2", 7);
  end(5);
  EXPECT_EQ(value("/a"), "new");
  EXPECT_EQ(value("/b"), "2");
  EXPECT_EQ(value("/old"), "");
  EXPECT_EQ(state->status().number, 7U);
  EXPECT_EQ(state->status().counters.old_updates, 1U);
}

TEST_F(client_snapshot, updates_that_do_not_rise_are_discarded) {  // CHP-21
  begin();
  follow(10);
  publish("/a", "1", 11);
  publish("/a", "again", 11);
  publish("/a", "older", 3);
  EXPECT_EQ(done(), texts{"/a=1"});
  EXPECT_EQ(value("/a"), "1");
  EXPECT_EQ(state->status().counters.old_updates, 2U);
}

TEST_F(client_snapshot, an_empty_value_erases) {  // CHP-24
  begin();
  follow();
  publish("/a", "1", 1);
  publish("/a", "", 2);
  publish("/never", "", 3);
  EXPECT_EQ(done(), (texts{"/a=1", "/a erased"}));
  EXPECT_EQ(state->map().find("/a"), nullptr);
}

TEST_F(client_snapshot, heartbeats_have_no_sequence) {  // C1-5
  begin();
  follow(10);
  hear({"HUGZ", "\0\0\0\0\0\0\0\xff"s, "", "", ""});
  EXPECT_EQ(state->status().number, 10U);
  EXPECT_EQ(state->map().keys(), 0U);
}

TEST_F(client_snapshot, an_update_needs_no_id) {  // CHP-22, C1-10
  begin();
  follow(10);
  hear({"/a", "\0\0\0\0\0\0\0\x0b"s, "", "", "1"});
  EXPECT_EQ(value("/a"), "1");
}

TEST_F(client_snapshot, keys_that_begin_like_a_heartbeat_are_not_of_the_subtree) {  // C1-24
  options.subtree = "/a/";
  begin();
  ask();
  entry("/b/x", "1");
  end(5, count("/a/", 1));
  publish("HUGZ/x", "1", 6);
  EXPECT_EQ(state->map().keys(), 0U);
  publish("/a/x", "1", 7, count("/a/", 2));
  EXPECT_EQ(state->map().keys(), 1U);
  EXPECT_TRUE(state->status().following);
}

TEST_F(client_snapshot, replaces_the_map_at_once_and_reports_the_difference) {  // C1-23
  begin();
  ask();
  for (const auto* const key : {"/a", "/b", "/c"}) {
    entry(key, "1");
  }
  end(5);
  forget();
  publish("/x", "1", 9);  // 6 to 8 are missing
  EXPECT_EQ(done(), (texts{"renew 0", "gap 0"}));
  snapshot();
  entry("/b", "2");
  entry("/c", "1");
  entry("/d", "3");
  EXPECT_EQ(value("/a"), "1") << "the old one is there until the new one is whole";
  EXPECT_FALSE(state->status().following);
  end(9);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "ask", "/b=2", "/d=3", "/a erased", "following 0"}));
  EXPECT_EQ(value("/x"), "") << "the snapshot is of that update or later, and does not have it";
}

TEST_F(client_snapshot, an_old_map_is_freed_in_pieces) {
  begin();
  ask();
  for (int i = 0; i < 25; ++i) {
    entry("/" + std::to_string(i), "1");
  }
  end(5);
  EXPECT_TRUE(state->tidy(10));
  publish("/x", "1", 9);
  snapshot();
  end(9);
  // Frees the table of entries, and the entries.
  int calls = 1;
  for (; !state->tidy(10); ++calls) {
    ASSERT_LT(calls, 5);
  }
  EXPECT_GE(calls, 4);
}

TEST_F(client_snapshot, applies_the_update_that_revealed_a_gap_after_the_snapshot) {  // G3
  begin();
  follow(1);
  publish("/x", "1", 3);
  EXPECT_EQ(state->status().counters.gaps, 1U);
  snapshot();
  entry("/y", "1");
  end(2);
  EXPECT_EQ(value("/x"), "1");
  EXPECT_EQ(value("/y"), "1");
  EXPECT_TRUE(state->status().following);
}

TEST_F(client_snapshot, detects_a_gap_after_the_snapshot) {  // G3
  begin();
  ask();
  publish("/a", "1", 6);
  publish("/b", "1", 8);
  publish("/c", "1", 9);
  end(5);
  EXPECT_EQ(state->status().counters.gaps, 1U);
  EXPECT_FALSE(state->status().following);
  snapshot();
  end(8);
  EXPECT_TRUE(state->status().following);
  EXPECT_EQ(value("/c"), "1");
}

TEST_F(client_snapshot, a_new_epoch_on_the_same_connection_is_a_gap) {  // G1
  begin();
  follow(make_sequence(1, 5));
  publish("/a", "1", make_sequence(1, 6));
  EXPECT_TRUE(state->status().following);
  publish("/a", "2", make_sequence(3, 1));
  EXPECT_FALSE(state->status().following);
  EXPECT_EQ(state->status().counters.gaps, 1U);
}

TEST_F(client_snapshot, the_counter_of_a_subtree_shows_its_gaps) {  // G3
  options.subtree = "/a/";
  begin();
  follow(10, true, count("/a/", 7));
  publish("/a/x", "1", 20, count("/a/", 8));
  publish("/a/x", "2", 31, count("/a/", 9));
  EXPECT_TRUE(state->status().following);
  publish("/a/x", "4", 40, count("/a/", 11));
  EXPECT_FALSE(state->status().following);
  EXPECT_EQ(state->status().counters.gaps, 1U);
}

TEST_F(client_snapshot, accepts_a_server_that_counts_in_tens) {  // CHP-20
  begin();
  follow(10, false);
  for (sequence s = 20; s <= 200; s += 10) {
    publish("/a", std::to_string(s), s);
  }
  EXPECT_EQ(value("/a"), "200");
  EXPECT_EQ(state->status().counters.gaps, 0U);
}

TEST_F(client_snapshot, detects_a_gap_at_a_server_without_extensions) {
  begin();
  follow(10, false);
  publish("/a", "1", 11);
  publish("/a", "3", 13);
  EXPECT_EQ(state->status().counters.gaps, 1U);
}

TEST_F(client_snapshot, updates_queued_before_a_snapshot_are_limited) {
  options.most_bytes_behind_snapshot = 1'000;
  begin();
  ask();
  for (sequence s = 1; s <= 20; ++s) {
    publish("/a", std::string(100, 'x'), s);
  }
  EXPECT_EQ(done(), (texts{"renew 0", "renew 0", "gap 0", "gap 0"}));
  snapshot();
  end(20);
  EXPECT_TRUE(state->status().following);
}

TEST_F(client_snapshot, rejects_a_map_above_the_limit) {
  options.most_keys = 2;
  begin();
  ask();
  entry("/a", "1");
  entry("/b", "1");
  entry("/c", "1");
  EXPECT_EQ(done(), (texts{"close 0", "too_large 0"}));
  EXPECT_FALSE(state->ready());
}

TEST_F(client_snapshot, rejects_an_update_above_the_limit) {
  options.most_bytes = 10;
  options.most_value_bytes = 8;
  begin();
  follow();
  publish("/a", "12345678", 1);
  EXPECT_EQ(done(), texts{"/a=12345678"});
  publish("/b", "1", 2);
  EXPECT_EQ(done(), (texts{"close 0", "too_large 0"}));
  EXPECT_EQ(state->map().bytes(), 10U);
  pass(1s);
  follow(2);
  publish("/c", "123456789", 3);
  EXPECT_EQ(done(), (texts{"close 0", "open 0", "too_large 0"}));
  EXPECT_EQ(ignored(errc::value_too_long), 1U);
}

TEST_F(client_snapshot, malformed_messages_are_counted_and_ignored) {
  begin();
  follow(5);
  const auto seq = "\0\0\0\0\0\0\0\6"s;
  hear({"/a"});
  hear({"/a", seq, "", ""});
  hear({"/a", seq, "", "", "1", "more"});
  EXPECT_EQ(ignored(errc::wrong_frame_count), 3U);
  hear({"/a", "6", "", "", "1"});
  EXPECT_EQ(ignored(errc::wrong_sequence_size), 1U);
  hear({"/a", std::string(8, '\xff'), "", "", "1"});
  EXPECT_EQ(ignored(errc::sequence_too_large), 1U);
  hear({"", seq, "", "", "1"});
  EXPECT_EQ(ignored(errc::key_empty), 1U);
  hear({std::string(256, 'k'), seq, "", "", "1"});
  EXPECT_EQ(ignored(errc::key_too_long), 1U);
  hear({"/a\0b"s, seq, "", "", "1"});
  EXPECT_EQ(ignored(errc::key_with_zero), 1U);
  hear({"KTHXBAI", seq, "", "", "1"});
  EXPECT_EQ(ignored(errc::key_reserved), 1U);
  hear({"/a", seq, std::string(65, 'u'), "", "1"});
  EXPECT_EQ(ignored(errc::id_too_long), 1U);
  EXPECT_EQ(done(), texts{});
  EXPECT_TRUE(state->status().following);
  EXPECT_EQ(state->status().number, 5U);
}

TEST_F(client_snapshot, malformed_messages_in_a_snapshot_do_not_end_it) {
  begin();
  ask();
  entry("/a", "1");
  state->on_snapshot_message(zmtp::message{"?"}, now, out);
  state->on_snapshot_message(zmtp::message{"LINEAGE", "x", "y"}, now, out);
  state->on_snapshot_message(zmtp::message{"KTHXBAI", "5", "", "", ""}, now, out);
  EXPECT_FALSE(state->ready());
  end(5);
  EXPECT_TRUE(state->ready());
  EXPECT_EQ(state->map().keys(), 1U);
}

}  // namespace
}  // namespace chp::test
