// Updates of a client. The client sends them when a server is connected, resends them until they are committed,
// and keeps their order (reliability.md 3.2, G2; protocols.md C1-8, C1-12, C1-20, C1-24).

#include "test/chp/client_script.h"

#include <set>
#include <string>

namespace chp::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

class client_updates : public client_script {};

TEST_F(client_updates, wait_for_the_subscription_of_the_collector) {  // C1-12, CHP-28
  begin();
  follow();
  set("/a", "1");
  EXPECT_EQ(done(), texts{});
  EXPECT_EQ(state->status().unsent, 1U);
  collector();
  EXPECT_EQ(done(), texts{"publish 0 /a=1 #1"});
  collector();
  EXPECT_EQ(done(), texts{}) << "it has subscribed to something else besides";
}

TEST_F(client_updates, wait_until_the_client_follows_a_server) {
  begin();
  collector();
  set("/a", "1");
  EXPECT_EQ(done(), texts{"open 0"});
  ask(false);
  end(0);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "publish 0 /a=1 #1", "ready", "following 0"}))
      << "once: a third-party server would apply it twice";
}

TEST_F(client_updates, become_visible_when_the_server_publishes_them) {
  begin();
  follow();
  collector();
  set("/a", "1");
  EXPECT_EQ(value("/a"), "");
  publish("/a", "2", 1);
  publish("/a", "1", 2, {}, own(1));
  EXPECT_EQ(value("/a"), "1");
}

TEST_F(client_updates, are_committed_by_an_answer_of_a_zinc_server) {  // G2
  begin();
  follow();
  collector();
  for (const auto* const v : {"1", "2", "3", "4"}) {
    set("/a", v);
  }
  publish("/a", "1", 1, {}, own(1));
  forget();
  EXPECT_EQ(state->status().sent, 4U) << "an echo is not enough";
  answer(1, 2, truth::both_disks);
  EXPECT_EQ(done(), (texts{"committed 1 both_disks", "committed 2 both_disks"}));
  answer(4, 9);
  EXPECT_EQ(done(), texts{"committed 4 both_servers"});
  answer(3, 3);
  EXPECT_EQ(done(), texts{"committed 3 both_servers"});
  answer(3, 4);
  answer(1, 2);
  EXPECT_EQ(done(), texts{});
  EXPECT_EQ(state->status().sent, 0U);
}

TEST_F(client_updates, are_committed_by_the_echo_of_a_third_party_server) {  // G2
  begin();
  follow(0, false);
  collector();
  set("/a", "1");
  set("/a", "2");
  forget();
  publish("/a", "2", 1, {}, own(2));
  EXPECT_EQ(done(), (texts{"/a=2", "committed 2"}));
  publish("/a", "1", 2, {}, own(1));
  EXPECT_EQ(done(), (texts{"/a=1", "committed 1"}));
  publish("/a", "3", 3, {}, update_id::of_session(session + 1, 1));
  publish("/a", "4", 4, {}, own(99));
  EXPECT_EQ(done(), (texts{"/a=3", "/a=4"}));
}

TEST_F(client_updates, are_committed_by_a_guide_snapshot_after_a_missed_echo) {
  begin();
  follow(0, false);
  collector();
  set("/a", "1");
  state->on_lost(now, out);
  pass(1s);
  ask(false);
  entry("/a", "1", 1, own(1).bytes());
  end(1);
  EXPECT_EQ(done(), (texts{"close snapshot 0", "/a=1", "committed 1", "following 0"}));
}

TEST_F(client_updates, are_not_committed_by_a_guide_snapshot_without_its_end) {
  begin(2);
  follow(0, false);
  collector();
  set("/a", "1");
  state->on_lost(now, out);
  pass(1s);
  forget();
  ask(false);
  entry("/a", "1", 1, own(1).bytes());
  EXPECT_EQ(done(), texts{});
  state->on_lost(now, out);
  pass(1s);
  forget();
  ask(false);
  end(1);
  EXPECT_EQ(done(), (texts{"close snapshot 1", "following 1"}));
}

TEST_F(client_updates, outside_the_subtree_are_committed_at_third_party_servers_when_written) {
  options.subtree = "/a/";
  begin();
  follow(0, false);
  collector();
  set("/b/x", "1");
  set("/a/x", "1");
  EXPECT_EQ(done(), (texts{"publish 0 /b/x=1 #1", "publish 0 /a/x=1 #2", "await written 0"}));
  const auto first = mark;
  set("/b/y", "1");
  state->on_written(0, first, now, out);
  EXPECT_EQ(done(), (texts{"publish 0 /b/y=1 #3", "await written 0", "committed 1"}));
  state->on_written(0, first, now, out);
  EXPECT_EQ(done(), texts{});
  state->on_collector_detached(0);
  state->on_written(0, mark, now, out);
  EXPECT_EQ(done(), texts{}) << "the server disconnected, and may have read any part";
  collector();
  EXPECT_EQ(done(), (texts{"publish 0 /a/x=1 #2", "publish 0 /b/y=1 #3", "await written 0"}));
  state->on_written(0, mark, now, out);
  EXPECT_EQ(done(), texts{"committed 3"});
}

TEST_F(client_updates, outside_the_subtree_are_answered_by_a_zinc_server) {
  options.subtree = "/a/";
  begin();
  follow();
  collector();
  set("/b/x", "1");
  forget();
  answer(1, 1);
  EXPECT_EQ(done(), texts{"committed 1 both_servers"});
}

TEST_F(client_updates, are_sent_to_all_servers_without_a_log) {  // B18
  begin(2);
  follow(0, false);
  collector(0);
  collector(1);
  set("/a", "1");
  ASSERT_EQ(out.publications.size(), 2U);
  EXPECT_FALSE(is_for_log(out.publications[0].content));
  EXPECT_EQ(done(), (texts{"publish 0 /a=1 #1", "publish 1 /a=1 #1"}));
}

TEST_F(client_updates, a_collector_that_connects_late_gets_pending_updates_in_order) {  // G2
  begin(2);
  follow(0, false);
  collector(0);
  set("/a", "1");
  set("/a", "2");
  set("/b", "3");
  publish("/a", "1", 1, {}, own(1));
  forget();
  collector(1);
  EXPECT_EQ(done(), (texts{"publish 1 /a=2 #2", "publish 1 /b=3 #3"}));
  state->on_collector_detached(0);
  collector(0);
  EXPECT_EQ(done(), (texts{"publish 0 /a=2 #2", "publish 0 /b=3 #3"}));
}

TEST_F(client_updates, a_collector_that_connects_between_two_servers_gets_them_later) {  // B18
  begin(2);
  follow(0, false);
  collector(0);
  collector(1);
  set("/a", "1");
  state->on_lost(now, out);
  state->on_collector_detached(0);
  collector(0);
  forget();
  pass(200ms);
  ask(false);
  end(0);
  auto all = done();
  std::erase_if(all, [](const std::string& one) { return !one.starts_with("publish"); });
  EXPECT_EQ(all, (texts{"publish 0 /a=1 #1", "publish 1 /a=1 #1"}));
}

TEST_F(client_updates, are_resent_after_a_snapshot) {  // G2
  begin(2);
  follow(make_sequence(1, 0));
  collector(0);
  collector(1);
  set("/a", "1");
  state->on_lost(now, out);
  ask();
  answer(1, 1);
  EXPECT_EQ(done(), texts{}) << "whose history it is, is not known yet";
  end(make_sequence(2, 0));
  EXPECT_EQ(done(), (texts{"close snapshot 1", "publish 1 /a=1 #1", "following 1"}));
  answer(1, 1);
  EXPECT_EQ(done(), texts{"committed 1 both_servers"});
}

TEST_F(client_updates, resends_an_unanswered_update_after_a_timeout) {
  begin();
  follow();
  collector();
  set("/a", "1");
  forget();
  pass(999ms);
  hugz();
  EXPECT_EQ(done(), texts{});
  pass(1ms);
  EXPECT_EQ(done(), texts{"publish 0 /a=1 #1"});
  answer(1, 1);
  forget();
  pass(3s);
  EXPECT_EQ(done(), texts{});
}

TEST_F(client_updates, are_not_resent_to_third_party_servers) {
  begin();
  follow(0, false);
  collector();
  set("/a", "1");
  forget();
  pass(4s);
  EXPECT_EQ(done(), texts{});
}

TEST_F(client_updates, wait_unsent_above_the_limit) {
  options.pending_updates = 2;
  begin();
  follow();
  collector();
  for (const auto* const v : {"1", "2", "3", "4"}) {
    set("/a", v);
  }
  EXPECT_EQ(done(), (texts{"publish 0 /a=1 #1", "publish 0 /a=2 #2"}));
  EXPECT_EQ(state->status().unsent, 2U);
  answer(1, 1);
  EXPECT_EQ(done(), (texts{"publish 0 /a=3 #3", "committed 1 both_servers"}));
}

TEST_F(client_updates, leave_a_place_after_their_callers_have_given_up) {
  options.pending_updates = 1;
  begin();
  follow(0, false);
  collector();
  set("/a", "1", {}, 1s);
  set("/a", "2");
  pass(1s);
  forget();
  publish("/a", "1", 1, {}, own(1));
  EXPECT_EQ(done(), (texts{"publish 0 /a=2 #2", "/a=1"}));
}

TEST_F(client_updates, the_limit_counts_bytes_too) {
  options.pending_bytes = 1'000;
  begin();
  follow();
  collector();
  set("/large", std::string(5'000, 'x'));
  set("/a", "1");
  EXPECT_EQ(state->status().sent, 1U) << "one alone may be larger";
  answer(1, 1);
  EXPECT_EQ(state->status().sent, 1U);
  EXPECT_EQ(state->status().unsent, 0U);
}

TEST_F(client_updates, cancels_an_unsent_update_without_a_gap) {
  begin();
  follow();
  set("/a", "1");
  const auto second = set("/a", "2");
  set("/a", "3");
  EXPECT_EQ(state->cancel(second), pending_sets::given_up::unsent);
  EXPECT_EQ(state->cancel(second), pending_sets::given_up::unknown);
  collector();
  EXPECT_EQ(done(), (texts{"publish 0 /a=1 #1", "publish 0 /a=3 #2"})) << "no counter is missing";
}

TEST_F(client_updates, resends_a_cancelled_update_that_was_sent) {
  begin();
  follow();
  collector();
  const auto only = set("/a", "1");
  forget();
  EXPECT_EQ(state->cancel(only), pending_sets::given_up::sent);
  state->on_collector_detached(0);
  collector();
  EXPECT_EQ(done(), texts{"publish 0 /a=1 #1"});
  answer(1, 1);
  EXPECT_EQ(done(), texts{}) << "no operation waits for it";
  EXPECT_EQ(state->status().sent, 0U);
}

TEST_F(client_updates, a_deadline_reports_the_known_outcome) {
  begin();
  follow();
  set("/a", "1", {}, 2s);
  set("/a", "2", {}, 1s);
  set("/a", "3");
  pass(1500ms);
  hugz();
  EXPECT_EQ(done(), texts{"not sent 2"});
  collector();
  EXPECT_EQ(done(), (texts{"publish 0 /a=1 #1", "publish 0 /a=3 #2"}));
  pass(500ms);
  EXPECT_EQ(done(), texts{"unconfirmed 1"});
  answer(1, 2);
  EXPECT_EQ(done(), texts{"committed 3 both_servers"});
}

TEST_F(client_updates, forgets_deadlines_of_completed_updates) {
  begin();
  follow();
  collector();
  set("/a", "1", {}, 2s);
  const auto second = set("/a", "2", {}, 2s);
  EXPECT_EQ(state->cancel(second), pending_sets::given_up::sent);
  answer(1, 2);
  EXPECT_EQ(done(), (texts{"publish 0 /a=1 #1", "publish 0 /a=2 #2", "committed 1 both_servers"}));
  pass(3s);
  EXPECT_EQ(done(), texts{});
}

TEST_F(client_updates, the_server_reports_a_missing_backup) {  // G2
  begin();
  subscriber();
  hugz("degraded=1\n");
  EXPECT_EQ(done(), (texts{"open 0", "degraded 0"})) << "before the snapshot too";
  EXPECT_TRUE(state->status().degraded);
  snapshot();
  end(0);
  forget();
  hugz("degraded=1\n");
  hugz();
  EXPECT_EQ(done(), texts{});
  hugz("degraded=0\n");
  EXPECT_EQ(done(), texts{"replicated 0"});
  EXPECT_FALSE(state->status().degraded);
}

TEST_F(client_updates, sends_a_time_to_live_in_seconds) {  // C1-8, CHP-32
  begin();
  follow();
  collector();
  set("/a", "1", 30s);
  set("/b", "1");
  EXPECT_EQ(done(), (texts{"publish 0 /a=1 #1 ttl=30", "publish 0 /b=1 #2"}));
  EXPECT_EQ(state->add_update("/a", "1", {.ttl = 0s}, now, out).error(), errc::ttl_too_short);
  EXPECT_EQ(state->add_update("/a", "1", {.ttl = -5s}, now, out).error(), errc::ttl_too_short);
}

TEST_F(client_updates, one_without_a_value_erases_the_key) {
  begin();
  follow();
  collector();
  EXPECT_TRUE(state->add_update("/a", std::nullopt, {}, now, out));
  EXPECT_EQ(done(), texts{"publish 0 /a= #1"});
  EXPECT_EQ(state->add_update("HUGZ", std::nullopt, {}, now, out).error(), errc::key_reserved);
}

TEST_F(client_updates, always_send_ttl_adds_a_ttl_of_zero) {  // C1-20
  options.always_send_ttl = true;
  begin();
  follow();
  collector();
  set("/a", "1");
  EXPECT_EQ(done(), texts{"publish 0 /a=1 #1 ttl=0"});
}

TEST_F(client_updates, set_rejects_invalid_keys_and_values) {  // C1-24
  options.most_value_bytes = 10;
  begin();
  follow();
  collector();
  const auto fault = [&](std::string key, std::string value) {
    return state->add_update(std::move(key), std::move(value), {}, now, out).error();
  };
  EXPECT_EQ(fault("", "1"), errc::key_empty);
  EXPECT_EQ(fault(std::string(256, 'k'), "1"), errc::key_too_long);
  EXPECT_EQ(fault("a\0b"s, "1"), errc::key_with_zero);
  EXPECT_EQ(fault("HUGZ", "1"), errc::key_reserved);
  EXPECT_EQ(fault("KTHXBAI", "1"), errc::key_reserved);
  EXPECT_EQ(fault("/a", ""), errc::value_empty) << "it would erase the key";
  EXPECT_EQ(fault("/a", "12345678901"), errc::value_too_long);
  EXPECT_EQ(state->status().unsent + state->status().sent, 0U);
  set("HUGZ2", "1");
  set(std::string(255, 'k'), "1234567890");
  EXPECT_EQ(state->status().sent, 2U);
}

TEST_F(client_updates, ten_thousand_have_ten_thousand_ids) {  // CHP-30, CHP-34
  begin();
  follow();
  collector();
  for (int i = 0; i < 10'000; ++i) {
    set("/a", "1");
  }
  std::set<std::string> ids;
  for (const auto& p : out.publications) {
    ids.insert(std::string{parse_set(p.content, form::kvmsg, {})->id});
  }
  EXPECT_EQ(ids.size(), 10'000U);
  EXPECT_EQ(ids.begin()->size(), 16U);
}

TEST_F(client_updates, does_not_resend_a_refused_update) {
  begin();
  follow();
  collector();
  for (const auto* const v : {"1", "2", "3", "4"}) {
    set("/a", v);
  }
  forget();
  answer(1, 1);
  answer(2, 2, truth::both_servers, 2, errc::too_many_keys);
  answer(3, 3);
  ASSERT_EQ(out.completions.size(), 3U);
  EXPECT_FALSE(out.completions[0].ec);
  EXPECT_EQ(out.completions[1].ec, errc::too_many_keys);
  EXPECT_FALSE(out.completions[2].ec);
  EXPECT_EQ(state->status().counters.committed, 2U);
  forget();
  pass(options.resend);
  EXPECT_EQ(done(), texts{"publish 0 /a=4 #4"});
  answer(4, 4);
  EXPECT_EQ(done(), texts{"committed 4 both_servers"});
}

TEST_F(client_updates, ignores_refusals_until_it_knows_the_servers_history) {
  begin();
  follow();
  collector();
  set("/a", "1");
  state->on_lost(now, out);
  pass(1s);
  forget();
  subscriber();
  answer(1, 1, truth::both_servers, 1, errc::too_many_keys);
  EXPECT_EQ(done(), texts{});
  snapshot();
  end(5);
  forget();
  answer(1, 1, truth::both_servers, 1, errc::too_many_keys);
  ASSERT_EQ(out.completions.size(), 1U);
  EXPECT_EQ(out.completions[0].ec, errc::too_many_keys);
}

}  // namespace
}  // namespace chp::test
