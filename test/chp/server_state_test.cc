// A single server of the map: updates, heartbeats, times to live, limits, and malformed messages (12/CHP,
// protocols B16-B18, C1, D1).

#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace chp {
namespace {

using pairs = std::map<std::string, std::string>;

class server : public testing::Test {
protected:
  server_setting s;
  update_id id = update_id::of_random(1, 2);
};

TEST_F(server,
       publishes_each_update_as_it_came_with_the_next_number) {  // CHP-18, CHP-19, CHP-20, CHP-29
  s.activate();
  s.publications();
  s.update({"key", number_frame(4711), id.bytes(), "x=1\n", "value"});
  s.update({"key", number_frame(0), update_id::of_random(3, 4).bytes(), "", "other"});
  const std::vector<frames> expected{
      {"key", number_frame(1), std::string{id.bytes()}, "x=1\n", "value"},
      {"key", number_frame(2), std::string{update_id::of_random(3, 4).bytes()}, "", "other"}};
  EXPECT_EQ(s.publications(), expected);
  EXPECT_EQ(s.content(), (pairs{{"key", "other"}}));
}

TEST_F(server, gives_a_unique_id_to_each_update_without_one) {  // CHP-22, protocols C1-10
  s.activate();
  s.set("a", "1");
  s.set("a", "1");
  const auto all = s.publications();
  ASSERT_EQ(all.size(), 2U) << "two without an id are two";
  EXPECT_EQ(all[0][2].size(), update_id::size);
  EXPECT_EQ(all[1][2].size(), update_id::size);
  EXPECT_NE(all[0][2], all[1][2]);
}

TEST_F(server, deletes_by_an_empty_value) {  // CHP-31
  s.activate();
  s.set("a", "1");
  s.set("b", "2");
  s.set("a", "");
  s.set("never there", "");
  const auto all = s.publications();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[2][4], "");
  EXPECT_EQ(number_of(all[3]), 4U);
  EXPECT_EQ(s.content(), (pairs{{"b", "2"}}));
}

TEST_F(server, adds_directory_counters_before_the_properties_of_the_client) {
  s.activate();
  s.set("/a/x", "1", update_id::of_random(1, 1), "p=q");
  s.set("/a/b/x", "1", update_id::of_random(1, 2));
  s.set("plain", "1", update_id::of_random(1, 3));
  const auto all = s.publications();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0][3], "d=/:1,/a/:1\np=q");
  EXPECT_EQ(all[1][3], "d=/:2,/a/:2,/a/b/:1\n");
  EXPECT_EQ(all[2][3], "");
}

TEST_F(server, a_new_epoch_continues_numbers) {  // G1
  s.activate(3);
  s.set("/x", "1");
  s.activate(5);
  s.set("/x", "2");
  s.activate(4);
  s.set("/x", "3");
  const auto all = s.publications();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(number_of(all[0]), make_sequence(3, 1));
  EXPECT_EQ(number_of(all[1]), make_sequence(5, 1));
  EXPECT_EQ(all[1][3], "d=/:2\nprev=" + std::to_string(make_sequence(3, 1)) + '\n');
  EXPECT_EQ(number_of(all[2]), make_sequence(5, 2)) << "never downwards";
}

TEST_F(server, does_not_publish_a_resent_update_again) {  // G2
  s.activate();
  s.set("a", "1", id);
  s.set("a", "2", update_id::of_random(5, 6));
  s.set("a", "1", id);
  EXPECT_EQ(s.publications().size(), 2U);
  EXPECT_EQ(s.content(), (pairs{{"a", "2"}})) << "the later value stays";
  EXPECT_EQ(s.server.status().counters.log.repeated, 1U);
}

// Heartbeats.

TEST_F(server, sends_hugz_at_once_and_each_interval_while_active) {  // CHP-25, CHP-26
  s.pass(5s);
  EXPECT_TRUE(s.published.empty()) << "a passive server sends nothing";
  s.activate();
  EXPECT_EQ(s.published, std::vector<frames>{heartbeat_frames()});
  s.pass(3s);
  EXPECT_EQ(s.published, (std::vector<frames>(4, heartbeat_frames())));
}

TEST_F(server, answers_a_subscription_to_hugz_by_one_while_it_is_active) {  // G4
  const auto early = s.connect();
  s.server.on_subscription(early, "HUGZ", s.actions);
  s.finish();
  EXPECT_TRUE(s.notified.empty());
  s.activate();
  s.published.clear();
  const auto late = s.connect();
  s.server.on_subscription(late, "/a/", s.actions);
  s.finish();
  EXPECT_TRUE(s.notified.empty());
  s.server.on_subscription(late, "HUGZ", s.actions);
  s.finish();
  EXPECT_EQ(s.notified[late], std::vector<frames>{heartbeat_frames()});
  EXPECT_TRUE(s.published.empty());
}

// Times to live.

TEST_F(server,
       publishes_the_erasure_of_an_expired_key_with_its_own_number) {  // CHP-32, CHP-33
  s.activate();
  s.set("/t", "1", id, "ttl=2\n");
  s.set("stays", "1", update_id::of_random(3, 4), "ttl=0\n");
  s.set("stays too", "1", update_id::of_random(3, 5), "ttl=nonsense\n");
  auto all = s.publications();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0][3], "d=/:1\nttl=2\n") << "as the client sent it";
  s.pass(1'999ms);
  EXPECT_TRUE(s.publications().empty()) << "never early";
  s.pass(1ms);
  all = s.publications();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0][0], "/t");
  EXPECT_EQ(number_of(all[0]), 4U);
  EXPECT_EQ(all[0][2].size(), update_id::size);
  EXPECT_NE(all[0][2], id.bytes());
  EXPECT_EQ(all[0][3], "d=/:2\n");
  EXPECT_EQ(all[0][4], "");
  s.pass(100s);
  EXPECT_TRUE(s.publications().empty());
  EXPECT_EQ(s.content().size(), 2U);
}

TEST_F(server, a_later_update_restarts_or_removes_the_time_to_live) {
  s.activate();
  s.set("a", "1", {}, "ttl=2\n");
  s.set("b", "1", {}, "ttl=2\n");
  s.pass(1s);
  s.set("a", "2", {}, "ttl=2\n");
  s.set("b", "2");
  s.pass(1'500ms);
  EXPECT_EQ(s.content().size(), 2U);
  s.pass(500ms);
  EXPECT_EQ(s.content(), (pairs{{"b", "2"}}));
}

TEST_F(server, erases_many_expired_keys_incrementally) {
  s.activate();
  for (int n = 0; n < 2'500; ++n) {
    s.set("k" + std::to_string(n), "v", {}, "ttl=1\n");
  }
  s.publications();
  s.now += 1s;
  s.server.on_deadline(s.now, s.actions);
  s.finish();
  EXPECT_EQ(s.publications().size(), 1'000U);
  s.pass(0ms);
  EXPECT_EQ(s.publications().size(), 1'500U);
  EXPECT_TRUE(s.content().empty());
}

// Messages that peers should not send.

TEST_F(server, rejects_malformed_updates_by_cause_and_continues) {
  server_options options;
  options.limit.max_value_size = 10;
  server_setting strict{options};
  strict.activate();
  strict.publications();
  const auto zeros = number_frame(0);
  const std::string uuid(16, 'u');
  const struct {
    zmtp::message sent;
    errc fault;
  } table[] = {
      {{"one"}, errc::wrong_frame_count},
      {{"key", zeros, uuid, ""}, errc::wrong_frame_count},
      {{"key", zeros, uuid, "", "value", "more"}, errc::wrong_frame_count},
      {{"key", zeros, "value"}, errc::wrong_frame_count},
      {{"key", "1234", uuid, "", "value"}, errc::wrong_sequence_size},
      {{"", zeros, uuid, "", "value"}, errc::key_empty},
      {{std::string(256, 'k'), zeros, uuid, "", "value"}, errc::key_too_long},
      {{std::string("a\0b", 3), zeros, uuid, "", "value"}, errc::key_with_zero},
      {{"HUGZ", zeros, uuid, "", "value"}, errc::key_reserved},
      {{"KTHXBAI", zeros, uuid, "", "value"}, errc::key_reserved},
      {{"key", zeros, std::string(65, 'u'), "", "value"}, errc::id_too_long},
      {{"key", zeros, uuid, std::string(70'000, 'p'), "value"}, errc::properties_too_long},
      {{"key", zeros, uuid, "", "eleven octe"}, errc::value_too_long},
  };
  for (const auto& row : table) {
    const auto before = strict.refused(row.fault);
    strict.update(row.sent);
    EXPECT_EQ(strict.refused(row.fault), before + 1) << "row " << &row - table;
  }
  EXPECT_TRUE(strict.publications().empty());
  strict.set("key", "good");
  EXPECT_EQ(strict.publications().size(), 1U);
}

TEST_F(server, does_not_accept_updates_above_the_limits_of_the_map) {
  server_options options;
  options.map.max_keys = 2;
  server_setting small{options};
  small.activate();
  small.publications();
  small.set("a", "1", update_id::of_session(test_session, 1));
  small.set("b", "1", update_id::of_session(test_session, 2));
  small.set("c", "1", update_id::of_session(test_session, 3));
  small.set("a", "2", update_id::of_session(test_session, 4));
  const auto all = small.publications();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(number_of(all[2]), 4U) << "a refusal has a number";
  EXPECT_EQ(all[2][3], "prev=2\n");
  EXPECT_EQ(small.refused(errc::too_many_keys), 1U);
  // There is room, and the update comes again: its client has been told that it is not made.
  small.set("b", "", update_id::of_session(test_session, 5));
  small.set("c", "1", update_id::of_session(test_session, 3));
  EXPECT_EQ(small.content(), (pairs{{"a", "2"}}));
}

TEST_F(server, ignores_commands_that_only_zinc_servers_may_send) {
  const auto hello_of = [](std::uint64_t greeting) { return make_message(hello{greeting, 0, 0}); };
  {
    const auto backup = s.snapshot_client("chp-log,chp-backup");
    s.activate();
    s.say(backup, hello_of(1));
    EXPECT_EQ(s.server.status().counters.ignored_messages, 1U) << "it is alone";
    EXPECT_TRUE(s.replies.empty());
  }
  server_setting pair{{}, server_state::kind::paired};
  const auto client = pair.snapshot_client();
  const auto backup = pair.snapshot_client("chp-log,chp-backup");
  pair.say(backup, hello_of(1));
  EXPECT_EQ(pair.server.status().counters.ignored_messages, 1U) << "it is passive";
  pair.activate(1);
  pair.say(client, hello_of(2));
  EXPECT_EQ(pair.server.status().counters.ignored_messages, 2U);
  EXPECT_TRUE(pair.replies.empty());
  pair.say(backup, hello_of(3));
  EXPECT_EQ(pair.replies[backup].front().front(), "CHP-FOLLOW");
}

TEST_F(server, a_single_server_that_is_not_active_does_nothing) {
  const auto peer = s.snapshot_client();
  s.set("a", "1");
  s.say(peer, make_snapshot_request(""));
  s.pass(10s);
  EXPECT_TRUE(s.published.empty());
  EXPECT_TRUE(s.replies.empty());
  EXPECT_EQ(s.server.status().counters.ignored_requests, 1U);
}

TEST(server_epochs, requests_another_one_and_continues_in_it) {
  server_setting s{{.epoch_reserve = max_position - 2}};
  s.activate(1);
  const auto ours = s.subscribe("chp-ack=" + session_name(test_session) + ",chp-log");
  s.set("a", "1");
  s.set("a", "2");
  EXPECT_EQ(s.renewals, 0U);
  s.set("a", "3");
  EXPECT_EQ(s.renewals, 1U);
  s.set("a", "4");
  EXPECT_EQ(s.renewals, 1U);
  s.pass(1s);
  EXPECT_EQ(s.renewals, 2U) << "again with each heartbeat";
  EXPECT_TRUE(s.closed.empty());
  s.activate(3);
  EXPECT_TRUE(s.closed.contains(ours)) << "its next snapshot has the new reign";
  s.set("a", "5");
  EXPECT_EQ(number_of(s.publications().back()), make_sequence(3, 1));
  EXPECT_FALSE(s.saw(server_event::epoch_used_up));
}

TEST(server_epochs, begin_as_the_user_wants_or_behind_the_stored_ones) {
  const auto next = [](bool stored, form how, std::uint64_t wanted) {
    loaded_state found;
    const server_options options{.wire_format = how};
    if (stored) {
      found.past = server_state::make_history(options, 1);
    }
    server_state one{options, server_state::kind::alone, 1, std::move(found)};
    server_actions out;
    one.activate(5, {}, out);
    return one.next_epoch(wanted);
  };
  EXPECT_EQ(next(false, form::kvmsg, 0).value(), 0U) << "without epochs";
  EXPECT_EQ(next(false, form::kvmsg, 3).value(), 3U);
  EXPECT_EQ(next(true, form::kvmsg, 0).value(), 6U);
  EXPECT_EQ(next(true, form::kvmsg, 3).value(), 6U);
  EXPECT_EQ(next(true, form::kvmsg, 6).value(), 6U);
  EXPECT_EQ(next(true, form::kvmsg, 9).value(), 9U);
  EXPECT_EQ(next(true, form::kvsimple_8, 0).value(), 0U);
  EXPECT_EQ(next(false, form::kvmsg, max_epoch).value(), max_epoch);
  EXPECT_EQ(next(false, form::kvmsg, max_epoch + 1).error(), errc::sequence_too_large);
}

TEST(server_without_epochs, has_numbers_as_long_as_they_have_room_in_a_frame) {
  for (const auto how : {form::kvsimple_4, form::kvsimple_8}) {
    server_setting s{{.wire_format = how}, server_state::kind::paired};
    s.server.on_source_attached({}, s.now, s.actions);
    s.server.on_publication(zmtp::message{"k", number_frame(1, 4), "v"}, s.now, s.actions);
    s.finish();
    s.server.on_source_message(make_snapshot_end(how, 0x7fff'fffe, ""), s.now, 0ms, s.actions);
    s.finish();
    s.activate();
    s.update(zmtp::message{"a", number_frame(0), "1"});
    EXPECT_EQ(number_of(s.publications().back()), 0x7fff'ffffU);
    s.update(zmtp::message{"a", number_frame(0), "2"});
    EXPECT_EQ(s.publications().empty(), how == form::kvsimple_4);
    s.activate();  // there is no other epoch
    s.update(zmtp::message{"a", number_frame(0), "3"});
    EXPECT_EQ(std::count(s.events.begin(), s.events.end(), server_event::epoch_used_up),
              how == form::kvsimple_4 ? 1 : 0);
  }
}

// The Guide's models 2 to 4.

class kvsimple : public testing::TestWithParam<form> {
protected:
  static server_options options() {
    server_options o;
    o.wire_format = GetParam();
    return o;
  }
  static std::string number(sequence n) {
    return number_frame(n, GetParam() == form::kvsimple_4 ? 4 : 8);
  }
};

TEST_P(kvsimple, publishes_three_frames_and_keeps_empty_values) {
  server_setting s{options()};
  s.activate();
  s.update({"/client/7", number_frame(0), "42"});
  s.update({"/client/7", number_frame(0, 4), ""});
  const std::vector<frames> expected{{"/client/7", number(1), "42"}, {"/client/7", number(2), ""}};
  EXPECT_EQ(s.published, expected) << "and no HUGZ";
  s.pass(10s);
  EXPECT_EQ(s.published.size(), 2U);
  EXPECT_EQ(s.content(), (pairs{{"/client/7", ""}}));
}

TEST_P(kvsimple, answers_icanhaz_of_one_frame_and_of_two) {
  server_setting s{options()};
  s.activate();
  s.update({"/a/1", number_frame(0), "x"});
  s.update({"/b/1", number_frame(0), "y"});
  const auto peer = s.snapshot_client();
  s.say(peer, {"ICANHAZ?"});
  s.read(peer);
  const std::vector<frames> all{
      {"/a/1", number(2), "x"}, {"/b/1", number(2), "y"}, {"KTHXBAI", number(2), ""}};
  EXPECT_EQ(s.replies[peer], all);
  const auto part = s.snapshot(peer, "/b/");
  ASSERT_EQ(part.size(), 2U);
  EXPECT_EQ(part[0], (frames{"/b/1", number(2), "y"}));
  EXPECT_EQ(part[1].at(0), "KTHXBAI");
  EXPECT_EQ(part[1].at(1), number(2));
}

INSTANTIATE_TEST_SUITE_P(forms, kvsimple, testing::Values(form::kvsimple_8, form::kvsimple_4),
                         [](const auto& tested) {
                           return tested.param == form::kvsimple_8 ? "eight" : "four";
                         });

}  // namespace
}  // namespace chp
