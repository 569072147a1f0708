// A client of servers with a log: section 5 of docs/chp-log.md. Histories are in client_failover_test.

#include "test/chp/client_script.h"

#include <string>

namespace chp::test {
namespace {

using namespace std::chrono_literals;

class client_log : public client_script {
protected:
  // Follows server 0 of two, which has collected `count` updates.
  void begin_with(int count) {
    begin(2);
    follow(make_sequence(1, 10));
    collector(0);
    collector(1);
    for (int i = 1; i <= count; ++i) {
      set("/" + std::to_string(i), "v");
    }
    forget();
  }
  // The followed server is lost, and another one with this history is followed.
  void fail_over(sequence at) {
    state->on_lost(now, out);
    pass(200ms);
    ask();
    end(at);
  }
  // The update is in the log at this place.
  static sequence at(std::uint64_t position) { return make_sequence(1, position); }
  // Every server has another history.
  void lose_history() {
    history = {};
    history.begin_reign(1, 7, at(10));
    history.begin_reign(2, 9, make_sequence(2, 1));
    for (int i = 0; i < 4 && (i == 0 || !state->status().following); ++i) {
      fail_over(make_sequence(2, 1));
      pass(1s);
    }
    EXPECT_TRUE(state->status().following);
  }
};

TEST_F(client_log, sends_updates_only_to_the_server_that_it_follows) {
  begin_with(0);
  set("/a", "1");
  EXPECT_EQ(done(), texts{"publish 0 /a=1 #1"});
  state->on_collector_detached(1);
  collector(1);
  EXPECT_EQ(done(), texts{});
  fail_over(at(10));
  const auto all = done();
  EXPECT_EQ(std::count(all.begin(), all.end(), "publish 1 /a=1 #1"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "publish 0 /a=1 #1"), 0);
}

TEST_F(client_log, sends_nothing_while_it_follows_no_server) {
  begin_with(1);
  state->on_lost(now, out);
  forget();
  state->on_collector_detached(1);
  collector(1);
  EXPECT_EQ(done(), texts{});
  pass(200ms);
  ask();
  end(at(10));
  EXPECT_EQ(done(), (texts{"close snapshot 1", "publish 1 /1=v #1", "following 1"}));
}

TEST_F(client_log, an_update_names_its_session_and_the_lowest_open_counter) {
  begin_with(2);
  answer(1, 1, truth::both_disks, at(11));
  answer(2, 2, truth::one_disk, at(12));
  set("/b", "1", 5s);
  ASSERT_EQ(out.publications.size(), 1U);
  const auto sent = out.publications[0].content;
  const auto p = parse_proposal(sent, form::kvmsg, {});
  EXPECT_EQ(p.low, 2U) << "the outcome of the second may change";
  EXPECT_EQ(parse_since(p.since), (position{1, 7, at(10)}))
      << "the end of the log when the session began";
  EXPECT_EQ(p.ttl, 5s);
  EXPECT_FALSE(p.asks);
  answer(2, 2, truth::both_disks, at(12));
  publish("/x", "1", at(11));
  fail_over(at(20));
  ASSERT_EQ(out.publications.size(), 1U);
  const auto again = parse_proposal(out.publications[0].content, form::kvmsg, {});
  EXPECT_EQ(again.low, 3U);
  EXPECT_EQ(again.since, p.since) << "it is the same session";
  EXPECT_EQ(again.ttl, 5s);
  EXPECT_EQ(again.id, p.id);
}

TEST_F(client_log, the_completion_tells_which_servers_have_the_update) {
  begin_with(4);
  answer(1, 1, truth::one_server);
  answer(2, 2, truth::one_disk);
  answer(3, 3, truth::both_servers);
  answer(4, 4, truth::both_disks);
  EXPECT_EQ(done(), (texts{"committed 1 one_server", "committed 2 one_disk",
                           "committed 3 both_servers", "committed 4 both_disks"}));
  EXPECT_EQ(state->status().counters.committed, 4U);
}

TEST_F(client_log, an_update_for_both_completes_when_both_have_it) {
  begin_with(0);
  const auto of = set("/a", "1", {}, {}, true);
  forget();
  answer(of, of, truth::one_server);
  EXPECT_EQ(done(), texts{});
  answer(of, of, truth::both_servers);
  EXPECT_EQ(done(), texts{"committed 1 both_servers"});
  answer(of, of, truth::both_servers);
  EXPECT_EQ(done(), texts{});
}

TEST_F(client_log, an_update_for_both_ends_at_its_deadline_with_what_is_known) {
  begin_with(0);
  set("/a", "1", {}, 1s, true);
  set("/b", "1", {}, 1s, true);
  forget();
  answer(1, 1, truth::one_disk);
  pass(500ms);
  hugz();
  pass(500ms);
  auto all = done();
  std::erase_if(all, [](const std::string& one) { return one.starts_with("publish"); });
  EXPECT_EQ(all, (texts{"not on both 1 one_disk", "unconfirmed 2"}));
  answer(1, 2, truth::both_disks);
  EXPECT_EQ(done(), texts{});
}

TEST_F(client_log, a_server_without_a_log_cannot_have_it_on_both) {
  begin();
  follow(0, false);
  collector();
  set("/a", "1", {}, {}, true);
  forget();
  publish("/a", "1", 1, {}, own(1));
  EXPECT_EQ(done(), (texts{"/a=1", "not on both 1"}));
}

TEST_F(client_log, asks_each_server_that_it_follows_for_what_one_server_had) {
  begin_with(3);
  answer(1, 1, truth::both_servers, at(11));
  answer(2, 2, truth::one_server, at(12));
  forget();
  fail_over(at(13));
  EXPECT_EQ(done(), (texts{"close snapshot 1", "publish 1 /2=v #2 asks", "publish 1 /3=v #3",
                           "following 1"}))
      << "in the order of their counters, and without the finished one";
  EXPECT_EQ(state->status().kept, 1U);
  pass(options.resend);
  hugz();
  EXPECT_EQ(done(), (texts{"publish 1 /2=v #2 asks", "publish 1 /3=v #3"})) << "until it answers";
  answer(2, 3, truth::one_server, at(13));
  forget();
  pass(2 * options.resend);
  EXPECT_EQ(done(), texts{}) << "the server tells when both have it";
  answer(2, 3, truth::both_servers, at(13));
  EXPECT_EQ(state->status().kept, 0U);
}

TEST_F(client_log, asks_for_older_updates_when_the_servers_are_in_sync) {
  begin_with(2);
  hugz("degraded=1\n");
  answer(1, 2, truth::one_server, at(12));
  forget();
  hugz("degraded=0\n");
  answer(2, 2, truth::both_servers, at(12));
  EXPECT_EQ(done(), texts{"replicated 0"}) << "the server answers for what its log has";
  pass(options.resend);
  hugz();
  EXPECT_EQ(done(), texts{"publish 0 /1=v #1 asks"});
  answer(1, 1, truth::both_servers, at(11));
  EXPECT_EQ(state->status().kept, 0U);
}

TEST_F(client_log, an_update_that_a_later_history_refuses_is_lost) {
  begin_with(2);
  answer(1, 2, truth::one_server, at(12));
  forget();
  lose_history();
  forget();
  answer(1, 1, truth::one_server, make_sequence(2, 2), errc::refused);
  EXPECT_EQ(done(), (texts{"lost /1=v", "lost 0"}));
  EXPECT_EQ(state->status().counters.lost, 1U);
  answer(1, 1, truth::both_servers, make_sequence(2, 2), errc::refused);
  EXPECT_EQ(done(), texts{}) << "it is told once";
  answer(2, 2, truth::both_servers, make_sequence(2, 3));
  EXPECT_EQ(done(), texts{});
  EXPECT_EQ(state->status().counters.lost, 1U);
  EXPECT_EQ(state->status().kept, 0U);
}

TEST_F(client_log, an_update_for_both_that_is_lost_ends) {
  begin_with(0);
  set("/a", "1", {}, {}, true);
  answer(1, 1, truth::one_server, at(11));
  forget();
  lose_history();
  forget();
  answer(1, 1, truth::one_server, make_sequence(2, 2), errc::refused);
  EXPECT_EQ(done(), (texts{"lost 1", "lost /a=1", "lost 0"}));
}

TEST_F(client_log, a_refused_update_is_asked_for_but_never_lost) {
  begin_with(1);
  answer(1, 1, truth::one_server, at(11), errc::too_many_keys);
  EXPECT_EQ(done(), texts{"too many keys 1"});
  fail_over(at(11));
  const auto all = done();
  EXPECT_EQ(std::count(all.begin(), all.end(), "publish 1 /1=v #1 asks"), 1);
  answer(1, 1, truth::both_servers, at(11), errc::too_many_keys);
  EXPECT_EQ(done(), texts{});
  EXPECT_EQ(state->status().counters.lost, 0U);
}

// Otherwise the log waits for the committed one, and does not execute the next one.
TEST_F(client_log, asks_for_a_committed_update_between_those_that_a_log_must_know) {
  begin_with(3);
  state->on_lost(now, out);
  pass(200ms);
  follow(11, false);
  publish("/2", "v", 12, {}, own(2));
  const auto committed = done();
  EXPECT_EQ(std::count(committed.begin(), committed.end(), "committed 2"), 1);
  fail_over(at(10));
  texts sent;
  for (const auto& each : done()) {
    if (each.starts_with("publish 0")) {
      sent.push_back(each);
    }
  }
  EXPECT_EQ(sent, (texts{"publish 0 /1=v #1", "publish 0 /3= #2 asks", "publish 0 /3=v #3"}));
  answer(1, 3, truth::one_server, at(13));
  EXPECT_EQ(done(), (texts{"committed 1 one_server", "committed 3 one_server"}));
}

TEST_F(client_log, above_the_limit_the_oldest_are_only_counted_when_they_are_lost) {
  options.kept_updates = 2;
  begin_with(5);
  answer(1, 5, truth::one_server, at(15));
  EXPECT_EQ(state->status().kept, 2U);
  forget();
  fail_over(at(15));
  EXPECT_EQ(state->status().counters.lost_unlisted, 0U);
  auto all = done();
  EXPECT_EQ(std::count(all.begin(), all.end(), "publish 1 /4=v #4 asks"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "publish 1 /3=v #3 asks"), 0);
  lose_history();
  EXPECT_EQ(state->status().counters.lost_unlisted, 3U);
  lose_history();
  EXPECT_EQ(state->status().counters.lost_unlisted, 3U);
}

TEST_F(client_log, updates_of_both_servers_are_not_lost_with_a_history) {
  options.kept_updates = 0;
  begin_with(2);
  answer(1, 1, truth::one_server, at(11));
  answer(2, 2, truth::both_servers, at(12));
  lose_history();
  EXPECT_EQ(state->status().counters.lost_unlisted, 0U);
}

TEST_F(client_log, the_limit_of_kept_updates_counts_bytes_too) {
  options.pending_bytes = 1'000;
  begin(1);
  follow();
  collector();
  for (std::uint64_t i = 1; i <= 3; ++i) {
    set("/a", std::string(600, 'x'));
    answer(i, i, truth::one_server, i);
  }
  EXPECT_EQ(state->status().kept, 1U);
}

TEST_F(client_log, after_a_forgotten_session_a_new_one_begins_with_a_snapshot) {
  options.pending_updates = 2;
  begin_with(3);
  answer(1, 1, truth::one_server, at(11));
  forget();
  hugz("unknown=1\n");
  EXPECT_EQ(done(), (texts{"close 0", "forgotten 2", "forgotten 3", "session_forgotten 0",
                           "needs session"}));
  EXPECT_FALSE(state->next_deadline());
  EXPECT_EQ(state->status().kept, 0U);
  set("/new", "1");
  session = update_id::make_session(99);
  pass(200ms);
  state->begin_session(session, now, out);
  EXPECT_EQ(done(), texts{"open 0"});
  ask();
  end(at(30));
  ASSERT_EQ(out.publications.size(), 1U);
  const auto p = parse_proposal(out.publications[0].content, form::kvmsg, {});
  EXPECT_EQ(p.low, 1U);
  EXPECT_EQ(parse_since(p.since)->number, at(30));
  EXPECT_EQ(done(), (texts{"close snapshot 0", "publish 0 /new=1 #1", "following 0"}));
}

TEST_F(client_log, counts_acknowledged_updates_without_a_server_to_ask) {
  begin_with(2);
  answer(1, 2, truth::one_server, at(12));
  lose_history();
  answer(2, 2, truth::one_server, at(12));
  hugz("unknown=1\n");
  EXPECT_EQ(state->status().counters.lost_unlisted, 1U) << "no history has answered for the first";
}

TEST_F(client_log, a_publication_names_the_one_before) {
  begin(1);
  follow(at(10));
  publish("/a", "1", at(13), "prev=" + std::to_string(at(10)) + "\n");
  publish("/b", "1", at(14));
  publish("/c", "1", make_sequence(2, 2), "prev=" + std::to_string(at(14)) + "\n");
  EXPECT_EQ(done(), (texts{"/a=1", "/b=1", "/c=1"}));
  publish("/d", "1", make_sequence(2, 5), "prev=" + std::to_string(make_sequence(2, 4)) + "\n");
  EXPECT_EQ(done(), (texts{"renew 0", "gap 0"}));
}

// A server with a log executes the counters in order, from that of the oldest kept update on.
TEST_F(client_log, keeps_no_update_beside_a_server_without_a_log) {
  begin_with(1);
  set("/both", "v", {}, {}, true);
  answer(1, 2, truth::one_server, at(12));
  EXPECT_EQ(state->status().kept, 2U);
  state->on_lost(now, out);
  pass(200ms);
  forget();
  ask(false);
  end(at(13));
  EXPECT_EQ(done(), (texts{"close snapshot 1", "not on both 2 one_server", "following 1"}));
  EXPECT_EQ(state->status().kept, 0U);
  set("/a", "1");
  publish("/a", "1", at(14), {}, own(3));
  forget();
  lose_history();
  set("/b", "1");
  EXPECT_NE(out.publications.back().content[3].find("low=4\n"), std::string_view::npos);
}

// The log would begin the session with the first update that arrives.
TEST_F(client_log, sends_nothing_to_a_log_that_it_does_not_follow) {
  begin(2);
  follow(make_sequence(1, 10), false);
  collector(0);
  collector(1, true);
  set("/a", "1");
  ASSERT_EQ(out.publications.size(), 1U);
  EXPECT_EQ(out.publications[0].server, 0U);
  forget();
  fail_over(make_sequence(2, 0));
  ASSERT_EQ(out.publications.size(), 1U);
  EXPECT_EQ(out.publications[0].server, 1U);
  EXPECT_NE(out.publications[0].content[3].find("low=1\n"), std::string_view::npos);
}

TEST_F(client_log, asks_nothing_of_a_server_without_a_log) {
  begin_with(1);
  answer(1, 1, truth::one_server, at(11));
  state->on_lost(now, out);
  pass(200ms);
  forget();
  ask(false);
  end(at(11));
  EXPECT_EQ(done(), (texts{"close snapshot 1", "following 1"}));
  pass(2s);
  set("/b", "1");
  ASSERT_EQ(out.publications.size(), 2U);
  EXPECT_FALSE(is_for_log(out.publications[0].content));
}

}  // namespace
}  // namespace chp::test
