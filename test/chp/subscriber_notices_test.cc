// The notices of a server to the clients of Zinc: outcomes with their truth, and whether the server is degraded.
// Clients of the version before get a counter.

#include "chp/subscriber_notices.h"

#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

class notices : public testing::Test {
protected:
  static update_id id(std::uint64_t counter) {
    return update_id::of_session(test_session, counter);
  }
  static std::string earlier() { return "chp-ack=" + session_name(test_session); }
  static std::string client() { return earlier() + ",chp-log"; }
  static std::string last(server_setting& s, zmtp::peer_id peer) {
    const auto& all = s.notified[peer];
    return all.empty() ? std::string{} : all.back().at(3);
  }
};

TEST_F(notices, give_the_outcomes_of_a_session_once_per_millisecond) {
  server_setting s;
  s.activate(1);
  const auto peer = s.subscribe(client());
  EXPECT_TRUE(s.notified[peer].empty()) << "nothing was asked";
  s.set("a", "1", id(1), "low=1\n");
  ASSERT_EQ(s.notified[peer].size(), 1U);
  const auto first = std::to_string(make_sequence(1, 1));
  EXPECT_EQ(s.notified[peer][0],
            (frames{"HUGZ", number_frame(0), "", "answers=1-1-" + first + "-one_server\n", ""}));
  s.set("a", "2", id(2), "low=1\n");
  s.set("a", "3", id(3), "low=1\n");
  EXPECT_EQ(s.notified[peer].size(), 1U);
  s.pass(1ms);
  ASSERT_EQ(s.notified[peer].size(), 2U);
  EXPECT_EQ(last(s, peer), "answers=2-3-" + std::to_string(make_sequence(1, 3)) + "-one_server\n");
  s.pass(100ms);
  EXPECT_EQ(s.notified[peer].size(), 2U) << "once";
}

TEST_F(notices, name_the_reason_of_a_refusal) {
  server_options options;
  options.map.max_keys = 1;
  server_setting s{options};
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1), "low=1\n");
  s.set("b", "1", id(2), "low=1\n");
  s.set("a", "2", id(3), "low=1\n");
  s.pass(1ms);
  EXPECT_EQ(last(s, peer), "answers=2-2-" + std::to_string(make_sequence(1, 2)) +
                               "-one_server-too_many_keys,3-3-" +
                               std::to_string(make_sequence(1, 3)) + "-one_server\n");
}

TEST_F(notices, repeat_the_answer_to_a_resent_update) {
  server_setting s;
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1), "low=1\n");
  s.pass(10ms);
  s.set("a", "2", id(1), "low=1\n");
  EXPECT_EQ(s.notified[peer].size(), 2U);
  EXPECT_EQ(s.content().at("a"), "1") << "it is not made again";
}

TEST_F(notices, say_that_a_session_is_forgotten) {
  server_options options;
  options.clients.max_sessions = 1;
  server_setting s{options};
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1), "low=1\n");
  s.set("b", "1", update_id::of_session(test_session + (1U << 16), 1), "low=1\n");
  s.pass(10ms);
  s.set("a", "2", id(2), "low=2\n");
  EXPECT_EQ(last(s, peer), "unknown=1\n");
  EXPECT_EQ(s.content().at("a"), "1");
}

TEST_F(notices, go_to_the_present_subscription_of_the_session) {
  for (const auto& announced : {client(), earlier()}) {
    server_setting s;
    s.activate(1);
    const auto first = s.subscribe(announced);
    const auto second = s.subscribe(announced);
    s.server.on_subscriber_detached(first);
    const auto stranger = s.subscribe("chp-ack=" + session_name(test_session + 1) + ",chp-log");
    const auto stock = s.subscribe();
    s.set("a", "1", id(1), "low=1\n");
    EXPECT_TRUE(s.notified[first].empty());
    EXPECT_EQ(s.notified[second].size(), 1U);
    EXPECT_TRUE(s.notified[stranger].empty());
    EXPECT_TRUE(s.notified[stock].empty());
  }
}

TEST_F(notices, return_to_a_subscription_when_a_later_one_of_the_session_ends) {
  server_setting s;
  s.activate(1);
  const auto present = s.subscribe(client());
  const auto given_up = s.subscribe(client());
  s.server.on_subscriber_detached(given_up);
  s.finish();
  s.set("a", "1", id(1), "low=1\n");
  s.pass(1ms);
  EXPECT_NE(last(s, present), "");
}

TEST_F(notices, without_a_subscription_have_no_deadline) {
  server_setting s;
  s.activate(1);
  const auto peer = s.subscribe(client());
  s.set("a", "1", id(1), "low=1\n");
  s.set("a", "2", id(2), "low=1\n");
  EXPECT_LE(s.server.next_deadline(), s.now + subscriber_notices::interval);
  s.server.on_subscriber_detached(peer);
  EXPECT_GT(s.server.next_deadline(), s.now + subscriber_notices::interval);
}

// The version before has one counter for all outcomes.

TEST_F(notices, an_earlier_version_gets_a_counter) {
  server_setting s;
  s.activate(1);
  const auto peer = s.subscribe(earlier());
  s.set("a", "1", id(1));
  EXPECT_EQ(last(s, peer), "ack=1\n");
  s.set("a", "2", id(2));
  s.set("a", "3", id(3));
  s.pass(1ms);
  EXPECT_EQ(last(s, peer), "ack=3\n");
}

TEST_F(notices, an_earlier_version_gets_refusals_with_the_outcomes_before_them) {
  server_options options;
  options.map.max_keys = 1;
  server_setting s{options};
  s.activate(1);
  auto peer = s.subscribe(earlier());
  s.set("a", "1", id(1));
  s.set("b", "1", id(2));
  s.set("c", "1", id(3));
  s.set("a", "2", id(4));
  s.pass(1ms);
  EXPECT_EQ(last(s, peer), "ack=4\nrefused=2-3-too_many_keys\n");
  // On another connection it asks again, and the refusal comes with the first answer.
  s.server.on_subscriber_detached(peer);
  peer = s.subscribe(earlier());
  s.set("a", "2", id(4));
  s.pass(1ms);
  EXPECT_EQ(last(s, peer), "ack=4\nrefused=2-3-too_many_keys\n");
}

// A client that has sent updates to another server before does not begin with counter 1.
TEST_F(notices, an_earlier_version_may_begin_with_any_counter) {
  server_setting s;
  s.activate(1);
  const auto peer = s.subscribe(earlier());
  s.set("a", "1", id(57));
  EXPECT_EQ(last(s, peer), "ack=57\n");
  s.set("b", "1", id(59));
  s.pass(1ms);
  EXPECT_EQ(last(s, peer), "ack=57\n") << "58 is missing";
  s.set("b", "1", id(58));
  s.set("b", "2", id(59));
  s.pass(2ms);
  EXPECT_EQ(last(s, peer), "ack=59\n");
  EXPECT_EQ(s.content().at("b"), "2");
}

// A pair.

class paired_notices : public notices {
protected:
  void synchronize(server_setting& s) {
    backup = s.snapshot_client("chp-log,chp-backup");
    s.say(backup, make_message(hello{7, 0, 0}));
    confirm(s);
  }
  void confirm(server_setting& s) {
    s.say(backup, make_message(confirmation{7, s.server.number()}));
  }
  zmtp::peer_id backup;
};

TEST_F(paired_notices, say_which_servers_have_an_update) {
  server_setting s{{}, server_state::kind::paired};
  s.activate(1);
  const auto ours = s.subscribe(client());
  const auto before = s.subscribe("chp-ack=" + session_name(test_session + 1));
  s.set("a", "1", id(1), "low=1\n");
  s.set("b", "1", update_id::of_session(test_session + 1, 1));
  s.pass(1ms);
  EXPECT_EQ(last(s, ours), "answers=1-1-" + std::to_string(make_sequence(1, 1)) + "-one_server\n");
  EXPECT_EQ(last(s, before), "ack=1\ndegraded=1\n");
  s.notified.clear();
  synchronize(s);
  s.pass(1ms);
  std::string all;
  for (const auto& m : s.notified[ours]) {
    all += m.at(3);
  }
  EXPECT_NE(all.find("answers=1-1-" + std::to_string(make_sequence(1, 1)) + "-both_servers\n"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("degraded=0\n"), std::string::npos) << all;
  s.notified.clear();
  s.set("a", "2", id(2), "low=2\n");
  s.pass(1ms);
  EXPECT_TRUE(s.notified[ours].empty()) << "the backup does not have it";
  EXPECT_EQ(s.content().at("a"), "1") << "and no client has seen it";
  confirm(s);
  s.pass(1ms);
  EXPECT_EQ(last(s, ours),
            "answers=2-2-" + std::to_string(make_sequence(1, 3)) + "-both_servers\n");
}

// A client asks for such outcomes again when it hears that the server is not degraded. It would not ask for one
// that comes later.
TEST_F(paired_notices, name_one_server_only_while_the_client_knows_that_it_is_degraded) {
  server_setting s{{}, server_state::kind::paired};
  s.activate(1);
  const auto ours = s.subscribe(client());
  s.set("a", "1", id(1), "low=1\n");
  s.set("a", "2", id(2), "low=1\n");
  EXPECT_EQ(s.notified[ours].size(), 1U) << "the second waits";
  synchronize(s);
  s.pass(1ms);
  std::string all;
  for (const auto& m : s.notified[ours]) {
    all += m.at(3);
  }
  EXPECT_NE(all.find("degraded=0\n"), std::string::npos) << all;
  EXPECT_NE(all.find("answers=2-2-"), std::string::npos) << all;
  EXPECT_EQ(all.find("-one_server", all.find("degraded=0\n")), std::string::npos) << all;
}

TEST_F(paired_notices, with_block_nothing_is_told_without_the_backup) {
  server_setting s{{.degraded = degraded_policy::block}, server_state::kind::paired};
  s.activate(1);
  const auto ours = s.subscribe(client());
  s.set("a", "1", id(1), "low=1\n");
  s.pass(10s);
  EXPECT_TRUE(s.notified[ours].empty());
  EXPECT_TRUE(s.content().empty());
  synchronize(s);
  s.pass(1ms);
  EXPECT_EQ(s.content().at("a"), "1");
  EXPECT_NE(last(s, ours), "");
}

TEST_F(paired_notices, begin_with_whether_the_server_is_degraded) {
  server_setting s{{}, server_state::kind::paired};
  s.activate(1);
  const auto ours = s.connect(client());
  const auto stock = s.connect();
  for (const auto peer : {ours, stock}) {
    s.server.on_subscription(peer, "HUGZ", s.actions);
  }
  s.finish();
  EXPECT_EQ(last(s, ours), "degraded=1\n");
  EXPECT_EQ(last(s, stock), "");
}

// Otherwise the client takes them for the sign that its subscriptions hold.
TEST_F(paired_notices, wait_for_the_subscription) {
  server_setting s{{}, server_state::kind::paired};
  const auto ours = s.connect(client());
  const auto other = s.connect(earlier());
  s.activate(1);
  s.set("a", "1", id(1), "low=1\n");
  s.pass(1ms);
  EXPECT_TRUE(s.notified.empty());
  for (const auto peer : {ours, other}) {
    s.server.on_subscription(peer, "", s.actions);
    s.finish();
  }
  EXPECT_TRUE(s.notified.empty());
  s.server.on_subscription(ours, "HUGZ", s.actions);
  s.finish();
  EXPECT_EQ(s.notified[ours].size(), 1U);
  EXPECT_EQ(last(s, ours), "degraded=1\n");
  s.set("a", "1", id(1), "low=1\n");
  s.pass(1ms);
  EXPECT_EQ(s.notified[ours].size(), 2U) << "asked again";
}

TEST_F(paired_notices, say_in_each_reign_whether_the_server_is_degraded) {
  server_setting s{{}, server_state::kind::paired};
  const auto ours = s.subscribe(client());
  const auto stock = s.subscribe();
  for (const std::uint64_t epoch : {1U, 3U}) {
    s.notified.clear();
    s.activate(epoch);
    EXPECT_EQ(last(s, ours), "degraded=1\n");
    EXPECT_TRUE(s.notified[stock].empty());
    s.server.deactivate(s.now, s.actions);
    s.finish();
  }
}

}  // namespace
}  // namespace chp
