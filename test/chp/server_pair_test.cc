// Two servers of the map, one active: following, failover with what clients had sent to both, and what
// one had accepted that the other has never seen (reliability 3.2; protocols C1-2, C1-17 to C1-21).

#include "chp/properties.h"
#include "test/chp/server_fixture.h"

#include <gtest/gtest.h>

#include <string>

namespace chp {
namespace {

using content = std::map<std::string, std::string>;

update_id id(std::uint64_t counter) { return update_id::of_session(test_session, counter); }

class server_pair : public testing::Test {
protected:
  explicit server_pair(const server_options& options = {}) : a{options, 1}, b{options, 2} {
    join(a, b);
    join(b, a);
  }
  // What each server says reaches the other one as long as they are linked.
  struct node : server_setting {
    node(const server_options& options, std::uint64_t random)
        : server_setting{options, server_state::kind::paired, random} {}
    explicit node(std::uint64_t random) : node{{}, random} {}
    zmtp::peer_id other{};  // as an asker of this one
    zmtp::peer_id feed{};   // … and as its subscriber
    bool linked = false;
  };

  void join(node& from, node& to) {
    from.on_published = [&from, &to](zmtp::message&& m) {
      if (from.linked) {
        to.server.on_publication(std::move(m), to.now, to.actions);
      }
    };
    from.on_told = [&from, &to](zmtp::peer_id peer, zmtp::message&& m) {
      if (from.linked && peer == from.feed) {
        to.server.on_publication(std::move(m), to.now, to.actions);
      }
    };
    from.on_reply = [&from, &to](zmtp::peer_id peer, const zmtp::message& m) {
      if (from.linked && peer == from.other) {
        to.server.on_source_message(m, to.now, 0ms, to.actions);
      }
    };
  }
  // `from` connects to `to`.
  void connect_source(node& from, node& to) {
    to.other = to.asker("chp-ack,chp-backup");
    from.server.on_source_attached(server_setting::metadata_of("chp-ack"), from.now, from.actions);
  }
  void link() {
    for (auto* n : {&a, &b}) {
      auto& other = n == &a ? b : a;
      n->linked = true;
      n->feed = n->subscribe("chp-ack,chp-backup");
      other.server.on_feed_attached();
      connect_source(other, *n);
    }
    // The active one answers the subscription to HUGZ.
    for (auto* n : {&a, &b}) {
      auto& other = n == &a ? b : a;
      if (n->server.active()) {
        other.server.on_publication(make_heartbeat(), other.now, other.actions);
      }
    }
    run();
  }
  void unlink() {
    for (auto* n : {&a, &b}) {
      auto& other = n == &a ? b : a;
      n->linked = false;
      n->server.on_asker_detached(n->other, n->actions);
      n->server.on_subscriber_detached(n->feed);
      other.server.on_feed_detached(other.actions);
      other.server.on_source_detached();
      other.asked.clear();
      other.wants_to_offer = false;
    }
    run();
  }
  // The connections are lost as soon as this is so.
  template <class Cut>
  void link_and_cut_when(Cut&& cut) {
    cut_ = cut;
    link();
    cut_ = nullptr;
    ASSERT_FALSE(a.linked);
  }
  // Until neither has anything more to say.
  void run() { run(a, b); }
  void run(node& one, node& two) {
    for (bool more = true; more;) {
      more = false;
      if (cut_ && cut_()) {
        cut_ = nullptr;
        unlink();
        return;
      }
      for (auto* n : {&one, &two}) {
        auto& other = n == &one ? two : one;
        n->finish();
        for (auto& m : std::exchange(n->asked, {})) {
          if (other.linked) {
            other.say(other.other, m);
            more = true;
          }
        }
        if (std::exchange(n->wants_source, false) && other.linked) {
          n->server.on_source_detached();
          other.server.on_asker_detached(other.other, other.actions);
          connect_source(*n, other);
          more = true;
        }
        if (std::exchange(n->wants_to_offer, false) && other.linked) {
          n->server.on_source_writable(n->now, n->actions);
          more = true;
        }
        if (n->wants_room.contains(n->other)) {
          n->read(n->other);
          more = true;
        }
      }
    }
  }
  void pass(std::chrono::milliseconds time) {
    for (; time > 0ms; time -= 10ms) {
      a.pass(10ms);
      b.pass(10ms);
      run();
    }
  }
  void make_passive(node& n) {
    n.server.deactivate(n.now, n.actions);
    run();
  }
  // A client's update reaches both.
  void set_both(std::string_view key, std::string_view value, const update_id& with = {},
                std::string_view properties = {}) {
    b.set(key, value, with, properties);
    a.set(key, value, with, properties);
    run();
  }
  // a is active, b follows.
  void begin() {
    a.activate(1);
    make_passive(b);
    link();
    ASSERT_TRUE(b.server.status().following);
    ASSERT_TRUE(a.server.status().backup_in_sync);
  }

  node a;
  node b;

private:
  std::function<bool()> cut_;
};

TEST_F(server_pair, the_passive_one_has_what_was_there_and_what_comes) {
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

TEST_F(server_pair, updates_that_come_while_the_snapshot_is_on_the_way_are_not_lost) {
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

TEST_F(server_pair, the_passive_one_takes_over_with_what_clients_had_sent_to_both) {
  begin();
  set_both("a", "1", id(1));
  unlink();
  // The active one is dead; two updates reach the passive one alone, one of them was confirmed.
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

TEST_F(server_pair, what_comes_late_is_not_applied_again_over_a_newer_value) {
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

TEST_F(server_pair, what_an_active_one_had_applied_before_is_known_from_its_snapshot) {
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

TEST_F(server_pair, an_old_active_one_comes_back_follows_and_takes_over_again) {
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

TEST_F(server_pair, one_that_stood_still_accepts_nothing_until_it_is_active_again) {
  begin();
  a.set("before", "1", id(1));
  run();
  a.server.suspend(a.actions);
  a.set("meanwhile", "2", id(2), "ttl=100\n");
  a.say(a.asker(), make_snapshot_request(""));
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

TEST_F(server_pair, one_that_stood_still_and_is_passive_then_offers_what_only_it_has) {
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

// What a client of ours is told with its snapshot.
TEST_F(server_pair, a_history_says_where_it_began_whoever_goes_on_with_it) {
  const auto begun = [](node& of, const std::string& announced) {
    const auto answer = of.snapshot(of.asker(announced));
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
  // One that was started again, and follows one that was started again.
  node nothing{3};
  nothing.activate(7);
  EXPECT_EQ(begun(nothing, "chp-ack"), of_epoch(7));
}

// Two were active, and one has lost.

TEST_F(server_pair, what_the_loser_had_accepted_is_accepted_by_the_winner) {
  begin();
  set_both("both", "1", id(1));
  a.set("erased by a", "x", id(2));
  run();
  unlink();
  b.activate(2);
  a.set("a only", "1", id(3), "ttl=50\n");
  a.set("erased by a", "", id(4));
  a.set("both", "a", id(5));
  b.set("both", "b", id(6));
  b.set("b only", "1", id(7));
  make_passive(a);
  link();
  const content expected{{"a only", "1"}, {"b only", "1"}, {"both", "b"}};
  EXPECT_EQ(b.content(), expected) << "where both have a value the winner's stays";
  EXPECT_EQ(a.content(), expected);
  EXPECT_TRUE(a.saw(server_event::diverged));
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_EQ(b.server.status().counters.resubmitted, 2U);
  EXPECT_EQ(b.server.status().counters.resubmissions_outdated, 1U);
  EXPECT_EQ(a.server.number(), b.server.number());
  EXPECT_TRUE(b.server.status().backup_in_sync);
  // The times to live go on where they were.
  pass(60s);
  EXPECT_EQ(b.content(), (content{{"b only", "1"}, {"both", "b"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, what_the_client_has_sent_again_meanwhile_is_not_accepted_twice) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  b.set("k", "1", id(1));
  b.set("k", "", id(2));
  make_passive(a);
  link();
  EXPECT_TRUE(b.content().empty()) << "what was erased later stays erased";
  EXPECT_TRUE(a.content().empty());
}

TEST_F(server_pair, what_the_loser_offers_is_not_taken_over_what_the_winner_erased) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  b.set("k", "2", id(2));
  b.set("k", "", id(3));
  make_passive(a);
  link();
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_TRUE(b.content().empty()) << "the offer is older";
  EXPECT_TRUE(a.content().empty());
  EXPECT_EQ(b.server.status().counters.resubmissions_outdated, 1U);
  EXPECT_TRUE(b.server.status().backup_in_sync);
}

TEST_F(server_pair, what_the_winner_had_of_the_loser_is_not_later_than_what_that_offers) {
  begin();
  // b has it, and a does not hear of that.
  a.set("k", "1", id(1));
  unlink();
  b.activate(2);
  ASSERT_EQ(b.content(), (content{{"k", "1"}}));
  a.set("k", "2", id(2));
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, what_a_client_did_last_counts_though_something_earlier_of_it_is_replayed) {
  begin();
  unlink();
  for (auto* n : {&b, &a}) {
    n->set("k", "1", id(1));
    n->set("gone", "1", id(2));
  }
  a.set("k", "2", id(3));
  a.set("gone", "", id(4));
  b.activate(2);
  ASSERT_EQ(b.content(), (content{{"gone", "1"}, {"k", "1"}}));
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, what_a_client_set_last_counts_though_its_erasing_before_is_replayed) {
  begin();
  set_both("k", "1", id(1));
  unlink();
  for (auto* n : {&b, &a}) {
    n->set("k", "", id(2));
  }
  a.set("k", "2", id(3));
  b.activate(2);
  ASSERT_TRUE(b.content().empty());
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, an_offer_that_was_cut_off_is_made_again) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 5'000; ++n) {
    a.set("k" + std::to_string(n), std::string(100, 'v'), id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return b.server.status().counters.resubmitted != 0; });
  EXPECT_LT(b.server.status().counters.resubmitted, 5'000U);
  EXPECT_FALSE(a.saw(server_event::reconciled));
  link();
  EXPECT_EQ(b.server.status().counters.resubmitted, 5'000U);
  EXPECT_EQ(a.content(), b.content());
  EXPECT_TRUE(a.saw(server_event::reconciled));
}

TEST_F(server_pair, a_loser_that_is_active_again_first_looks_at_its_offer_itself) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 5'000; ++n) {
    a.set("k" + std::to_string(n), std::string(100, 'v'), id(static_cast<std::uint64_t>(n) + 1));
  }
  b.set("k7", "of b", update_id::of_random(9, 9));
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  EXPECT_EQ(a.content().size(), 1U);
  a.activate(3);
  a.pass(1s);
  EXPECT_EQ(a.content().size(), 5'000U);
  EXPECT_EQ(a.content()["k7"], "of b");
  EXPECT_TRUE(a.saw(server_event::reconciled));
}

TEST_F(server_pair, a_loser_that_is_passive_again_before_it_has_looked_at_all_loses_nothing_of_it) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 10'000; ++n) {
    a.set("k" + std::to_string(n), "v", id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  a.activate(3);
  ASSERT_LT(a.content().size(), 10'000U);
  b.activate(4);
  make_passive(a);
  link();
  EXPECT_EQ(b.content().size(), 10'000U);
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, one_that_is_active_again_before_it_has_a_snapshot_has_lost_nothing) {
  begin();
  a.set("k", "1", id(1));
  run();
  unlink();
  a.set("k", "2", id(2));
  make_passive(a);
  a.activate(3);
  EXPECT_EQ(a.content(), (content{{"k", "2"}}));
  a.set("k", "3", id(3));
  EXPECT_EQ(number_of(a.publications().back()), make_sequence(3, 1));
}

TEST_F(server_pair, an_offer_to_one_that_stands_still_meanwhile_is_made_again) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 5'000; ++n) {
    a.set("k" + std::to_string(n), std::string(100, 'v'), id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  const auto on_published = std::exchange(b.on_published, [&](zmtp::message&& m) {
    a.server.on_publication(std::move(m), a.now, a.actions);
    if (b.server.status().counters.resubmitted == 100 && b.server.active()) {
      b.server.suspend(b.actions);
    }
  });
  link();
  ASSERT_LT(b.content().size(), 5'000U);
  EXPECT_FALSE(a.saw(server_event::reconciled));
  b.on_published = on_published;
  b.activate(4);
  EXPECT_TRUE(b.closed.contains(b.other));
  unlink();
  link();
  EXPECT_EQ(b.content().size(), 5'000U);
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, an_offer_of_which_something_was_missed_is_not_said_to_be_looked_at) {
  begin();
  const auto backup = a.asker("chp-ack,chp-backup");
  const auto offer = [&](std::uint64_t number) {
    a.say(backup, make_resubmission(0, "k" + std::to_string(number), id(number), {}, "v"));
  };
  offer(1);
  a.server.suspend(a.actions);
  offer(2);
  a.activate(1);
  offer(3);
  a.replies[backup].clear();
  a.say(backup, make_resubmission_end(3));
  EXPECT_TRUE(a.replies[backup].empty());
  EXPECT_TRUE(a.closed.contains(backup)) << "and all is offered again";
  EXPECT_EQ(a.content(), (content{{"k1", "v"}, {"k3", "v"}}));
}

TEST_F(server_pair, a_loser_that_is_active_again_tells_what_has_changed_from_what_has_not) {
  begin();
  set_both("of a", "1", update_id::of_random(5, 5));
  set_both("of b", "1", id(2));
  unlink();
  b.activate(2);
  a.set("of a", "2", id(3));
  a.set("of b", "2", id(4));
  b.set("of b", "3", id(5));
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  a.activate(3);
  a.pass(1s);
  EXPECT_EQ(a.content(), (content{{"of a", "2"}, {"of b", "3"}}));
}

TEST_F(server_pair, a_loser_that_is_active_again_offers_no_more_to_the_other_one) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 10'000; ++n) {
    a.set("k" + std::to_string(n), "v", id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  // The connections stand, and nothing goes over them any more.
  link_and_cut_when([&] {
    a.linked = b.linked = a.linked && !a.server.status().following;
    return false;
  });
  a.activate(3);
  // There was room on the connection that it had.
  a.server.on_source_writable(a.now, a.actions);
  a.pass(1s);
  EXPECT_EQ(a.content().size(), 10'000U);
}

TEST_F(server_pair, one_that_stands_still_waits_with_its_offer_too) {
  begin();
  unlink();
  b.activate(2);
  for (int n = 0; n < 10'000; ++n) {
    a.set("k" + std::to_string(n), "v", id(static_cast<std::uint64_t>(n) + 1));
  }
  a.server.deactivate(a.now, a.actions);
  link_and_cut_when([&] { return a.server.status().following; });
  a.activate(3);
  a.server.suspend(a.actions);
  // It has maps to free.
  for (int turn = 0; turn < 100; ++turn) {
    a.server.on_deadline(a.now, a.actions);
  }
  EXPECT_EQ(a.server.next_deadline(), std::nullopt);
}

TEST_F(server_pair, an_update_that_comes_behind_a_later_one_of_its_client_is_not_applied) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  a.set("k", "2", id(2));
  a.set("e", "1", id(3));
  b.set("e", "0", update_id::of_random(1, 2));
  a.set("e", "", id(4));
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"e", "0"}, {"k", "2"}}));
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  b.set("k", "1", id(1));
  run();
  EXPECT_EQ(b.content()["k"], "2");
  b.set("k", "", id(6));
  b.set("k", "3", id(5));
  run();
  b.pass(1ms);
  EXPECT_FALSE(b.content().contains("k"));
  EXPECT_EQ(a.content(), b.content());
  EXPECT_EQ(b.server.status().counters.repeated, 2U);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->counter, 6U) << "who sent it need not send it again";
}

TEST_F(server_pair, what_comes_behind_an_erasure_that_left_nothing_to_erase_does_not_undo_it) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  a.set("k", "", id(2));
  make_passive(a);
  link();
  ASSERT_TRUE(a.saw(server_event::reconciled));
  a.set("k", "1", id(1));
  unlink();
  b.set("k", "1", id(1));
  EXPECT_TRUE(b.content().empty());
  a.activate(3);
  EXPECT_TRUE(a.content().empty()) << "where it was pending";
  a.set("k", "1", id(1));
  EXPECT_TRUE(a.content().empty());
}

TEST_F(server_pair, an_erasure_is_remembered_as_long_as_something_before_it_may_come) {
  begin();
  set_both("k", "0", update_id::of_random(1, 2));
  a.set("k", "", id(2));
  a.set("other", "", id(4));
  run();
  ASSERT_TRUE(a.server.status().backup_in_sync) << "it has both";
  a.set("k", "1", id(1));
  EXPECT_TRUE(a.content().empty());
  run();
  unlink();
  b.activate(2);
  for (const std::uint64_t late : {1, 3}) {
    b.set(late == 1 ? "k" : "other", "late", id(late));
    EXPECT_TRUE(b.content().empty());
  }
  b.set("k", "2", id(5));
  EXPECT_EQ(b.content(), (content{{"k", "2"}}));
}

TEST_F(server_pair, what_was_settled_by_something_later_is_not_replayed_over_what_others_did) {
  begin();
  unlink();
  b.activate(2);
  a.set("k", "1", id(1));
  a.set("k", "2", id(2));
  make_passive(a);
  link();
  ASSERT_EQ(b.content(), (content{{"k", "2"}}));
  set_both("k", "1", id(1));
  set_both("k", "of another", update_id::of_random(1, 2));
  unlink();
  a.activate(3);
  EXPECT_EQ(a.content(), (content{{"k", "of another"}}));
}

// Of what has been overwritten nothing is offered, and nothing is sent again if its client has been told.
TEST_F(server_pair,
       who_was_with_the_loser_is_told_what_is_committed_whatever_it_had_overwritten_there) {
  begin();
  unlink();
  b.activate(2);
  std::uint64_t last = 0;
  for (std::uint64_t n = 0; n != 1'000; ++n) {
    // Each key twice, in an order of no meaning to counters.
    a.set("k" + std::to_string(n * 7'919 % 500), std::to_string(n), id(++last));
  }
  a.set("of another", "1", id(++last));
  a.set("of another", "2", update_id::of_session(test_session + 0x10000, 1));
  a.set("z", "1", id(++last));
  make_passive(a);
  link();
  ASSERT_TRUE(a.saw(server_event::reconciled));
  EXPECT_EQ(b.server.status().counters.resubmitted, 502U);
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  set_both("next", "1", id(++last));
  pass(10ms);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->counter, last);
  EXPECT_TRUE(b.last_ack(client)->gaps.empty());
  b.set("of another", "1", id(1'001));
  EXPECT_EQ(b.content()["of another"], "2");
  // And so with the one that follows.
  unlink();
  a.activate(3);
  a.set("k1", "late", id(1));
  a.set("of another", "1", id(1'001));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(server_pair, one_that_takes_over_with_nothing_is_offered_everything) {
  begin();
  set_both("k", "1", id(1));
  unlink();
  node restarted{3};
  join(a, restarted);
  join(restarted, a);
  make_passive(restarted);
  restarted.activate(2);
  restarted.set("other", "2", id(2));
  make_passive(a);
  a.linked = restarted.linked = true;
  a.server.on_feed_attached();
  connect_source(a, restarted);
  restarted.activate(4);
  restarted.server.on_deadline(restarted.now += 1s, restarted.actions);
  run(restarted, a);
  EXPECT_EQ(restarted.content(), (content{{"k", "1"}, {"other", "2"}}));
  EXPECT_EQ(a.content(), restarted.content());
}

TEST_F(server_pair, one_that_begins_with_nothing_is_offered_what_its_backup_had) {
  begin();
  set_both("k", "1", id(1));
  set_both("changed", "1", id(2));
  unlink();
  // a was started again, and made active by hand: b has been passive all the time.
  node restarted{3};
  join(restarted, b);
  join(b, restarted);
  restarted.activate(3);
  restarted.set("changed", "2", id(3));
  restarted.linked = b.linked = true;
  b.server.on_feed_attached();
  connect_source(b, restarted);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  run(restarted, b);
  EXPECT_EQ(restarted.content(), (content{{"changed", "2"}, {"k", "1"}}));
  EXPECT_EQ(b.content(), restarted.content());
  EXPECT_TRUE(b.saw(server_event::reconciled));
}

TEST_F(server_pair,
       what_the_one_before_has_lost_is_replayed_though_something_later_of_its_client_came_first) {
  begin();
  unlink();
  set_both("k", "1", id(1));
  // a was started again, and made active by hand.
  node restarted{3};
  join(restarted, b);
  join(b, restarted);
  restarted.activate(3);
  restarted.set("later", "2", id(2));
  restarted.linked = b.linked = true;
  b.server.on_feed_attached();
  connect_source(b, restarted);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  run(restarted, b);
  ASSERT_EQ(b.content(), (content{{"later", "2"}}));
  restarted.linked = b.linked = false;
  b.activate(4);
  EXPECT_EQ(b.content(), (content{{"k", "1"}, {"later", "2"}}));
}

// Gaps.

TEST_F(server_pair, after_a_gap_there_is_another_snapshot) {
  begin();
  a.linked = false;
  a.set("missed", "1");
  a.linked = true;
  a.set("next", "2");
  run();
  EXPECT_EQ(b.server.status().counters.gaps, 1U);
  EXPECT_TRUE(b.saw(server_event::gap));
  // As the new connection to the source, which has just been made, is heard on the feed.
  EXPECT_EQ(b.content(), a.content());
  EXPECT_TRUE(b.server.status().following);
  EXPECT_TRUE(a.server.status().backup_in_sync);
}

TEST_F(server_pair, what_is_published_again_or_by_one_of_before_is_not_applied) {
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

TEST_F(server_pair,
       a_snapshot_that_is_not_answered_is_asked_for_again_and_one_that_stands_still_too) {
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

TEST_F(server_pair, the_passive_one_erases_nothing_and_the_next_active_one_never_early) {  // G6
  begin();
  set_both("t", "1", id(1), "ttl=2\n");
  set_both("for ever", "1", id(2));
  unlink();
  b.pass(5s);
  EXPECT_EQ(b.content().size(), 2U) << "a passive one never does";
  b.activate(2);
  b.publications();
  // As long as nobody was active, clients could not refresh it.
  b.pass(4'900ms);
  EXPECT_EQ(b.content().size(), 2U);
  b.pass(200ms);
  EXPECT_EQ(b.content(), (content{{"for ever", "1"}}));
  const auto all = b.publications();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0][4], "");
}

TEST_F(server_pair, a_time_to_live_goes_along_with_a_snapshot) {  // protocols C1-2
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

TEST_F(server_pair, of_too_many_pending_updates_those_go_that_are_sent_again) {
  server_options options;
  options.pending_octets = 2'000;
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
  // They can come again.
  s.set("k1", "v", id(1));
  EXPECT_EQ(s.publications().size(), 1U);
}

TEST_F(server_pair, what_is_published_during_a_snapshot_is_bounded) {
  server_options options;
  options.feed_octets = 1'000;
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

// Peers that are not ours.

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
  say({"m", number_frame(9), known.octets(), "", "w"});
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

TEST_F(server_pair, garbage_on_either_connection_is_counted_and_nothing_else) {
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

class full_pair : public server_pair {
protected:
  full_pair() : server_pair{{.map = {.max_keys = 1}}} {}

  [[nodiscard]] std::size_t refused_by(node& n) const {
    return n.server.status().counters.refused[static_cast<std::size_t>(errc::too_many_keys)];
  }
};

TEST_F(full_pair, what_the_active_one_has_refused_the_other_one_does_not_make) {
  begin();
  const auto client = a.subscribe("chp-ack=" + session_name(test_session));
  set_both("a", "1", id(1));
  set_both("b", "1", id(2));
  pass(10ms);
  ASSERT_EQ(refused_by(a), 1U);
  ASSERT_TRUE(a.last_ack(client));
  EXPECT_EQ(a.last_ack(client)->refused.size(), 1U);
  EXPECT_EQ(b.server.status().pending, 0U);
  // There is room when it takes over, and the update comes once more.
  set_both("a", "", id(3));
  unlink();
  b.set("b", "1", id(2));
  b.activate(2);
  b.set("b", "1", id(2));
  EXPECT_TRUE(b.content().empty());
  // Who has not heard of it hears it there.
  const auto again = b.subscribe("chp-ack=" + session_name(test_session));
  b.pass(1ms);
  ASSERT_TRUE(b.last_ack(again));
  EXPECT_EQ(b.last_ack(again)->counter, 3U);
  ASSERT_EQ(b.last_ack(again)->refused.size(), 1U);
  EXPECT_EQ(b.last_ack(again)->refused.front(), (refusal{{2, 2}, errc::too_many_keys}));
}

TEST_F(full_pair, what_was_refused_while_the_snapshot_was_on_the_way_is_known_too) {
  a.activate(1);
  a.set("a", "1", id(1));
  make_passive(b);
  a.linked = b.linked = true;
  a.feed = a.subscribe("chp-ack,chp-backup");
  b.server.on_feed_attached();
  connect_source(b, a);
  b.server.on_publication(make_heartbeat(), b.now, b.actions);
  b.finish();
  for (auto& m : std::exchange(b.asked, {})) {
    a.say(a.other, m);
  }
  set_both("b", "1", id(2));
  ASSERT_TRUE(b.server.status().following);
  EXPECT_EQ(refused_by(a), 1U);
  EXPECT_TRUE(a.server.status().backup_in_sync);
  unlink();
  b.activate(2);
  EXPECT_EQ(b.content(), (content{{"a", "1"}}));
  EXPECT_EQ(b.server.status().counters.replayed, 0U);
}

TEST_F(full_pair, the_winner_takes_what_the_loser_had_accepted_though_both_are_full) {
  begin();
  unlink();
  b.activate(2);
  a.set("of a", "1", id(1));
  b.set("of b", "1", update_id::of_random(1, 2));
  make_passive(a);
  link();
  const content both{{"of a", "1"}, {"of b", "1"}};
  EXPECT_EQ(b.content(), both);
  EXPECT_EQ(a.content(), both);
  EXPECT_TRUE(a.saw(server_event::reconciled));
  EXPECT_TRUE(b.server.status().backup_in_sync);
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  set_both("more", "1", id(2));
  pass(10ms);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->refused.size(), 1U) << "clients have no more room";
  EXPECT_EQ(b.content(), both);
  unlink();
  a.activate(3);
  EXPECT_EQ(a.content(), both);
}

TEST_F(full_pair, what_the_loser_had_accepted_is_taken_though_the_winner_had_refused_it) {
  begin();
  unlink();
  b.activate(2);
  b.set("of b", "1", update_id::of_random(1, 2));
  set_both("of both", "1", id(1));
  ASSERT_EQ(refused_by(b), 1U);
  make_passive(a);
  link();
  EXPECT_EQ(b.content(), (content{{"of b", "1"}, {"of both", "1"}}));
  EXPECT_EQ(a.content(), b.content());
}

TEST_F(full_pair, what_there_is_no_room_for_at_all_is_not_said_to_be_looked_at) {
  begin();
  set_both("k", "1", id(1));
  const auto loser = a.asker("chp-ack,chp-backup");
  for (std::uint64_t number = 2; number != 4; ++number) {
    a.say(loser, make_resubmission(0, std::to_string(number), id(number), {}, "v"));
  }
  a.say(loser, make_resubmission(0, "never there", id(4), {}, ""));
  EXPECT_EQ(a.content(), (content{{"2", "v"}, {"k", "1"}}));
  a.say(loser, make_resubmission_end(3));
  EXPECT_TRUE(a.replies[loser].empty());
  EXPECT_TRUE(a.closed.contains(loser)) << "and all is offered again";
}

// What is told then is flagged as degraded (docs/chp.md, A partition).
TEST_F(full_pair, what_was_refused_while_the_backup_was_away_is_known_when_it_has_copied_the_map) {
  begin();
  unlink();
  const auto client = a.subscribe("chp-ack=" + session_name(test_session));
  a.set("a", "1", id(1));
  set_both("b", "1", id(2));
  pass(10ms);
  ASSERT_TRUE(a.last_ack(client));
  EXPECT_EQ(a.last_ack(client)->refused.size(), 1U);
  EXPECT_TRUE(a.last_ack(client)->degraded);
  EXPECT_EQ(b.server.status().pending, 1U);
  link();
  EXPECT_EQ(b.server.status().pending, 0U);
  a.set("a", "", id(3));
  run();
  unlink();
  b.activate(2);
  b.set("b", "1", id(2));
  EXPECT_TRUE(b.content().empty());
}

TEST_F(full_pair, what_was_refused_while_the_backup_was_away_is_made_if_that_takes_over_before) {
  begin();
  unlink();
  a.set("a", "1", id(1));
  set_both("b", "1", id(2));
  ASSERT_EQ(refused_by(a), 1U);
  b.activate(2);
  EXPECT_EQ(b.content(), (content{{"b", "1"}}));
}

TEST_F(full_pair, the_one_that_takes_over_refuses_what_was_pending) {
  begin();
  set_both("a", "1", id(1));
  unlink();
  const auto client = b.subscribe("chp-ack=" + session_name(test_session));
  b.set("b", "1", id(2));
  b.activate(2);
  b.pass(1ms);
  ASSERT_TRUE(b.last_ack(client));
  EXPECT_EQ(b.last_ack(client)->counter, 2U);
  EXPECT_EQ(b.last_ack(client)->refused.size(), 1U);
}

}  // namespace
}  // namespace chp
