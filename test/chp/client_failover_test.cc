// Selection of the server that a client follows after a server disconnects, is unresponsive or has an older
// history (reliability.md 3.2, G1; protocols.md B18, C1-25).

#include "test/chp/client_script.h"

namespace chp::test {
namespace {

using namespace std::chrono_literals;

class client_failover : public client_script {
protected:
  // Refuses this number of connections as they are opened. Returns when the next one is open.
  void be_refused(int times) {
    wait_until_opened();
    for (; times != 0; --times) {
      state->on_unreachable(now, out);
      wait_until_opened();
    }
  }

private:
  void wait_until_opened() {
    const auto opens = [](const std::string& what) { return what.starts_with("open"); };
    for (auto notified = done(); std::none_of(notified.begin(), notified.end(), opens);
         notified = done()) {
      pass(10ms);
    }
  }
};

TEST_F(client_failover, switches_servers_immediately_when_the_connection_is_lost) {  // CHP-36
  begin(2);
  follow(make_sequence(1, 5));
  publish("/a", "1", make_sequence(1, 6));
  forget();
  state->on_lost(now, out);
  EXPECT_EQ(done(), (texts{"close 0", "open 1", "server_lost 0"}));
  EXPECT_EQ(value("/a"), "1") << "the present map stays readable";
  EXPECT_TRUE(state->ready());
  EXPECT_FALSE(state->status().following);
  snapshot();
  // Passive still: no answer, and no heartbeat.
  pass(500ms);
  EXPECT_EQ(done(), (texts{"ask", "ask", "ask"}));
  subscriber();
  hugz();
  EXPECT_EQ(done(), texts{"renew 1"});
  snapshot();
  entry("/a", "1");
  end(make_sequence(2, 6));
  EXPECT_EQ(done(), (texts{"close snapshot 1", "ask", "following 1"}));
  EXPECT_EQ(state->status().server, 1U);
}

TEST_F(client_failover, leaves_an_unresponsive_server) {  // CHP-27, CHP-35
  begin(2);
  follow();
  pass(4s);
  hugz();
  pass(4s);
  publish("/a", "1", 1);
  pass(4999ms);
  EXPECT_TRUE(state->status().following);
  pass(1ms);
  EXPECT_EQ(done(), (texts{"close 0", "open 1", "/a=1", "server_silent 0"}));
}

TEST_F(client_failover, leaves_a_server_that_sends_heartbeats_but_no_snapshot) {  // C1-5
  begin(2);
  ask(false);
  for (int i = 0; i < 3; ++i) {
    pass(999ms);
    hugz();
  }
  EXPECT_EQ(state->status().server, 0U);
  pass(1100ms);
  EXPECT_EQ(state->status().server, 1U);
}

// The request is the vote that makes a passive server active (G4), and the list of that server may name the
// active one after it.
TEST_F(client_failover, asks_a_passive_server_for_one_heartbeat_before_the_next) {
  begin(2);
  subscriber();
  snapshot();
  forget();
  const auto began = now;
  pass(999ms);
  EXPECT_EQ(done(), (texts{"ask", "ask", "ask"}));
  pass(1ms);
  EXPECT_EQ(done(), (texts{"close 0", "open 1", "server_silent 0"}));
  subscriber();
  hugz();
  snapshot();
  end(5);
  EXPECT_TRUE(state->status().following);
  EXPECT_EQ(now - began, 1s) << "four heartbeats before";
}

TEST_F(client_failover, doubles_the_time_for_each_server_while_no_server_is_active) {
  begin(2);
  std::vector<std::chrono::milliseconds> stays;
  for (int i = 0; i < 6; ++i) {
    subscriber();
    snapshot();
    forget();
    const auto began = now;
    for (auto left = state->status().counters.servers_left;
         state->status().counters.servers_left == left;) {
      pass(10ms);
    }
    stays.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(now - began));
  }
  EXPECT_EQ(stays, (std::vector<std::chrono::milliseconds>{1s, 1s, 2s, 2s, 4s, 4s}));
}

// Both servers restart, and the client asks the passive one first.
TEST_F(client_failover, does_not_wait_longer_for_a_server_that_refused_connections_before) {
  begin(2);
  follow();
  state->on_lost(now, out);
  be_refused(9);
  subscriber();
  snapshot();
  forget();
  pass(999ms);
  EXPECT_EQ(done(), (texts{"ask", "ask", "ask"}));
  pass(1ms);
  EXPECT_EQ(done().back().substr(0, 13), "server_silent");
}

// The client asks a backup again soon after the expiry of two heartbeats, whether the primary refuses
// connections or accepts them without an answer.
TEST_F(client_failover, asks_a_backup_when_it_may_take_over) {
  for (const bool refuses : {true, false}) {
    begin(2);
    follow();
    state->on_lost(now, out);
    const auto lost = now;
    std::optional<std::chrono::milliseconds> voted;
    while (!voted && now < lost + 10s) {
      for (const auto& what : done()) {
        if (what == "open 1") {
          snapshot();
        } else if (what == "open 0" && refuses) {
          state->on_unreachable(now, out);
        } else if (what == "ask" && now - lost >= 2s) {
          voted = std::chrono::duration_cast<std::chrono::milliseconds>(now - lost);
        }
      }
      pass(10ms);
    }
    ASSERT_TRUE(voted);
    EXPECT_LE(*voted, 2'300ms) << (refuses ? "refused" : "silent");
  }
}

TEST_F(client_failover, gives_the_only_server_the_full_timeout) {
  begin(1);
  subscriber();
  snapshot();
  pass(3'999ms);
  EXPECT_EQ(state->status().counters.servers_left, 0U);
  pass(1ms);
  EXPECT_EQ(state->status().counters.servers_left, 1U);
}

TEST_F(client_failover, an_option_sets_the_time_without_an_answer) {
  options.answer_timeout = 10s;
  begin(1);
  ask(false);
  for (int i = 0; i < 9; ++i) {
    pass(1'000ms);
    hugz();
  }
  pass(999ms);
  EXPECT_EQ(state->status().counters.servers_left, 0U);
  pass(1ms);
  EXPECT_EQ(state->status().counters.servers_left, 1U);
}

TEST_F(client_failover, leaves_a_server_whose_snapshot_stalls) {
  begin(2);
  ask();
  entry("/a", "1");
  pass(4s);
  entry("/b", "1");
  pass(4s);
  hugz();
  EXPECT_EQ(state->status().server, 0U);
  pass(1s);
  EXPECT_EQ(state->status().server, 1U);
  EXPECT_FALSE(state->ready());
  // The results of that snapshot do not mix with the next.
  ask();
  entry("/c", "1");
  end(5);
  EXPECT_EQ(state->map().keys(), 1U);
}

TEST_F(client_failover, pauses_before_a_second_attempt_to_connect) {
  begin(2);
  forget();
  state->on_unreachable(now, out);
  EXPECT_EQ(done(), (texts{"close 0", "open 1", "server_unreachable 0"}));
  state->on_unreachable(now, out);
  EXPECT_EQ(done(), (texts{"close 1", "server_unreachable 1"}));
  const auto due = state->next_deadline();
  ASSERT_TRUE(due);
  EXPECT_GE(*due, now + 50ms);
  EXPECT_LE(*due, now + 150ms);
  state->on_deadline(now, out);
  EXPECT_EQ(done(), texts{});
  pass(150ms);
  EXPECT_EQ(done(), texts{"open 0"});
}

TEST_F(client_failover, pauses_grow_until_the_server_answers) {
  begin(1);
  client_state::time_point::duration longest{};
  for (int i = 0; i < 12; ++i) {
    state->on_unreachable(now, out);
    longest = state->next_deadline().value() - now;
    state->on_deadline(now += longest, out);
  }
  EXPECT_GE(longest, 500ms);
  EXPECT_LE(longest, 1500ms);
  follow();
  state->on_lost(now, out);
  state->on_deadline(now += 1500ms, out);
  state->on_lost(now, out);
  EXPECT_LE(state->next_deadline().value() - now, 150ms);
}

// The next one in the list cannot be left out for as long as it was away before.
TEST_F(client_failover, an_answer_resets_the_pauses_of_all_servers) {
  begin(2);
  be_refused(20);
  follow();
  pass(1500ms);
  state->on_lost(now, out);
  be_refused(1);
  state->on_unreachable(now, out);
  EXPECT_LE(state->next_deadline().value() - now, 150ms);
}

TEST_F(client_failover, reads_pending_messages_after_a_pause_before_it_leaves_a_server) {
  begin(2);
  follow();
  now += 1h;
  state->on_deadline(now, out);
  EXPECT_EQ(done(), texts{});
  hugz();
  pass(4s);
  EXPECT_TRUE(state->status().following);
}

// Section 5 of docs/chp-log.md, as all tests with histories below.
TEST_F(client_failover, refuses_a_history_without_its_position_while_another_server_may_have_it) {
  begin(2);
  follow(make_sequence(4, 100));
  publish("/a", "new", make_sequence(4, 101));
  state->on_lost(now, out);
  ask();
  history = {};
  history.begin_reign(4, 7, make_sequence(4, 100));
  history.begin_reign(5, 8, make_sequence(5, 500));  // later, but it began before the update
  entry("/a", "old");
  end(make_sequence(5, 500));
  EXPECT_EQ(done(), (texts{"close 1", "history_refused 1"}));
  EXPECT_EQ(value("/a"), "new");
  pass(150ms);
  EXPECT_EQ(done(), texts{"open 0"});
  ask();
  history = {};
  history.begin_reign(4, 7, make_sequence(4, 101));
  history.begin_reign(6, 9, make_sequence(6, 1));
  entry("/a", "new");
  end(make_sequence(6, 1));
  EXPECT_EQ(done(), (texts{"close snapshot 0", "following 0"}));
}

TEST_F(client_failover, compares_the_tags_of_epochs) {
  begin(2);
  follow(make_sequence(4, 100));
  state->on_lost(now, out);
  ask();
  history = {};
  history.begin_reign(4, 8, make_sequence(4, 500));
  end(make_sequence(4, 500));
  EXPECT_EQ(done(), (texts{"close 1", "history_refused 1"}));
}

TEST_F(client_failover, an_answer_moves_its_position) {
  begin(2);
  follow(make_sequence(4, 100));
  collector(0);
  set("/a", "1");
  answer(1, 1, truth::one_server, make_sequence(4, 101));
  state->on_lost(now, out);
  ask();
  end(make_sequence(4, 100));
  const auto last = done();
  EXPECT_EQ(last.back(), "history_refused 1") << "the update is not published yet, but answered";
}

TEST_F(client_failover, an_older_snapshot_of_a_history_with_its_position_is_taken) {
  begin(2);
  follow(make_sequence(4, 100));
  state->on_lost(now, out);
  ask();
  end(make_sequence(4, 90));  // its log has more than it publishes
  EXPECT_EQ(done(), (texts{"close snapshot 1", "following 1"}));
  state->on_lost(now, out);
  pass(150ms);
  ask();
  history = {};
  history.begin_reign(4, 7, make_sequence(4, 95));
  end(make_sequence(4, 95));
  const auto last = done();
  EXPECT_EQ(last.back(), "history_refused 0") << "it has still seen the later ones";
}

TEST_F(client_failover, accepts_another_history_after_one_round_of_all_servers) {  // G1
  begin(2);
  follow(make_sequence(4, 100));
  publish("/a", "new", make_sequence(4, 101));
  state->on_lost(now, out);
  history = {};
  ask();  // server 1
  end(make_sequence(3, 500));
  EXPECT_EQ(done(), (texts{"close 1", "history_refused 1"}));
  pass(150ms);
  state->on_unreachable(now, out);  // server 0
  pass(150ms);
  ask();  // server 1
  entry("/a", "old");
  end(make_sequence(3, 501));
  EXPECT_EQ(done(), (texts{"close snapshot 1", "/a=old", "history_lost 1", "following 1"}));
  EXPECT_EQ(state->status().number, make_sequence(3, 501));
  publish("/a", "newer", make_sequence(3, 502));
  EXPECT_EQ(value("/a"), "newer");
  state->on_lost(now, out);
  pass(500ms);
  ask();
  end(make_sequence(3, 502));
  const auto last = done();
  EXPECT_EQ(last.back(), "following 0") << "its position is in the new history";
}

TEST_F(client_failover, accepts_another_history_of_the_only_server_the_second_time) {  // G1
  begin(1);
  follow(make_sequence(4, 100));
  history = {};
  for (const auto* const expected : {"history_refused 0", "history_lost 0"}) {
    state->on_lost(now, out);
    state->on_deadline(now += 500ms, out);
    forget();
    ask();
    end(make_sequence(5, 7));
    const auto said = done();
    EXPECT_NE(std::find(said.begin(), said.end(), expected), said.end());
  }
}

TEST_F(client_failover, refuses_an_older_sequence_of_a_server_without_a_lineage) {
  begin(2);
  follow(make_sequence(4, 100), false);
  state->on_lost(now, out);
  ask(false);
  end(make_sequence(3, 500));
  EXPECT_EQ(done(), (texts{"close 1", "history_refused 1"}));
  pass(150ms);
  ask(false);
  end(make_sequence(4, 100));
  EXPECT_TRUE(state->status().following);
}

TEST_F(client_failover, compares_numbers_with_those_of_a_server_without_a_lineage) {
  begin(2);
  follow(make_sequence(4, 100), false);
  state->on_lost(now, out);
  ask();
  end(make_sequence(4, 99));
  EXPECT_EQ(done(), (texts{"close 1", "history_refused 1"}));
  pass(150ms);
  follow(make_sequence(4, 100));
  publish("/a", "1", make_sequence(4, 101));
  state->on_lost(now, out);
  ask(false);
  end(make_sequence(4, 100));
  EXPECT_EQ(done().back(), "history_refused 1");
}

TEST_F(client_failover, accepts_a_lower_sequence_without_epochs) {  // C1-25
  begin(2);
  follow(1'000, false);
  state->on_lost(now, out);
  follow(3, false);
  publish("/a", "1", 4);
  EXPECT_EQ(value("/a"), "1");
}

TEST_F(client_failover, drops_an_update_of_an_older_epoch) {  // G1
  begin(2);
  follow(make_sequence(1, 9));
  state->on_lost(now, out);
  follow(make_sequence(2, 0));
  publish("/a", "stale", make_sequence(1, 10));
  EXPECT_EQ(value("/a"), "");
  EXPECT_TRUE(state->status().following);
}

}  // namespace
}  // namespace chp::test
