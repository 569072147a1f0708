// A passive server beside an active one of the Guide: when it requests a snapshot, and what it
// applies (reliability.md 3.2, G4).

#include "chp/guide_follower.h"

#include "chp/log_entry.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;
using texts = std::vector<std::string>;

class guide_follower_test : public testing::Test {
protected:
  guide_follower_test() {
    options_.heartbeat = 1s;
    options_.snapshot_timeout = 3s;
  }
  // Returns the actions since the last call.
  texts done() {
    texts all;
    if (out_.follow_feed) {
      all.emplace_back(*out_.follow_feed ? "feed" : "no feed");
    }
    all.insert(all.end(), out_.ask.size(), "ask");
    for (const auto event : out_.events) {
      all.emplace_back(event == server_event::gap ? "gap" : "another event");
    }
    if (out_.reconnect_source) {
      all.emplace_back("reconnect");
    }
    out_ = {};
    return all;
  }
  // Returns whether the publication must be applied now.
  bool publish(std::string_view key, sequence number, std::string_view value = "new") {
    auto m = make_entry(form::kvmsg, key, number, {}, {}, value);
    return follower_.on_publication(m, true, now_, out_);
  }
  bool heartbeat() {
    auto m = make_heartbeat();
    return follower_.on_publication(m, false, now_, out_);
  }
  void entry(std::string_view key, sequence number, std::string_view properties = {}) {
    update u{};
    u.key = key;
    u.number = number;
    u.properties = properties;
    u.value = "old";
    EXPECT_FALSE(follower_.on_part(u, now_, wall));
  }
  std::optional<guide_follower::snapshot> end(sequence number) {
    snapshot_end last{};
    last.number = number;
    return follower_.on_part(last, now_, wall);
  }
  void pass(std::chrono::milliseconds time) {
    const auto until = now_ + time;
    while (follower_.next_deadline() && *follower_.next_deadline() <= until) {
      now_ = *follower_.next_deadline();
      follower_.on_deadline(now_, out_);
    }
    now_ = until;
  }
  // Connects, and asks.
  void ask() {
    follower_.begin(out_);
    heartbeat();
    EXPECT_EQ(done(), (texts{"feed", "ask"}));
  }
  void follow(sequence at) {
    ask();
    EXPECT_TRUE(end(at));
    EXPECT_TRUE(follower_.following());
  }

  static constexpr std::chrono::milliseconds wall = 1'700'000'000s;
  server_options options_;
  guide_follower follower_{options_};
  guide_follower::time_point now_{1'000s};
  server_actions out_;
};

TEST_F(guide_follower_test, asks_when_its_subscription_is_active) {  // G4
  follower_.begin(out_);
  EXPECT_EQ(done(), texts{"feed"});
  pass(1min);
  EXPECT_EQ(done(), texts{});
  EXPECT_FALSE(heartbeat());
  EXPECT_EQ(done(), texts{"ask"});
  EXPECT_FALSE(follower_.following());
}

TEST_F(guide_follower_test,
       repeats_its_request_every_quarter_of_a_heartbeat_until_an_answer_begins) {
  ask();
  pass(1s);
  EXPECT_EQ(done(), (texts{"ask", "ask", "ask", "ask"}));
  entry("a", 1);
  pass(1s);
  EXPECT_EQ(done(), texts{});
  options_.heartbeat = 4ms;
  follower_.end();
  ask();
  pass(100ms);
  EXPECT_EQ(done(), (texts{"ask", "ask"})) << "at most every 50 ms";
}

TEST_F(guide_follower_test, applies_a_snapshot_and_then_what_was_published_meanwhile) {
  follower_.begin(out_);
  EXPECT_FALSE(publish("first", 4));
  EXPECT_EQ(done(), (texts{"feed", "ask"}));
  entry("a", 2);
  EXPECT_FALSE(publish("b", 5));
  EXPECT_FALSE(heartbeat());
  entry("b", 3);
  auto whole = end(4);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->number, 4U);
  std::string_view rows = whole->rows;
  texts entries;
  while (!rows.empty()) {
    const auto e = parse_record(rows);
    ASSERT_TRUE(e);
    entries.push_back(std::string{e->key} + "=" + std::string{e->value});
  }
  EXPECT_EQ(entries, (texts{"a=old", "b=old"}));
  texts since;
  for (const auto& m : whole->since) {
    since.emplace_back(m.front());
  }
  EXPECT_EQ(since, (texts{"first", "b"}));
  EXPECT_TRUE(follower_.following());
  EXPECT_TRUE(publish("c", 6)) << "to be applied now";
  EXPECT_FALSE(heartbeat());
  EXPECT_EQ(done(), texts{});
  EXPECT_FALSE(follower_.next_deadline());
}

TEST_F(guide_follower_test, takes_the_highest_number_of_an_entry_or_of_the_end) {
  ask();
  entry("a", 9);
  entry("b", 7);
  const auto whole = end(8);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->number, 9U);
}

// The Guide's servers send the time of day at which a key expires.
TEST_F(guide_follower_test, counts_times_to_live_from_the_time_of_day) {
  ask();
  entry("a", 1, "ttl=1700000030\n");
  const auto whole = end(1);
  ASSERT_TRUE(whole);
  std::string_view rows = whole->rows;
  const auto e = parse_record(rows);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->ttl, 30s);
}

TEST_F(guide_follower_test, gives_up_a_snapshot_that_stalls) {
  ask();
  entry("a", 1);
  pass(2'999ms);
  entry("b", 2);
  pass(2'999ms);
  EXPECT_EQ(done(), texts{});
  pass(1ms);
  EXPECT_EQ(done(), (texts{"gap", "reconnect"}));
  EXPECT_FALSE(end(2)) << "the rest of an old reply";
  pass(1min);
  EXPECT_EQ(done(), texts{});
  // The next one has nothing of it.
  ask();
  entry("c", 3);
  const auto whole = end(3);
  ASSERT_TRUE(whole);
  std::string_view rows = whole->rows;
  EXPECT_EQ(parse_record(rows)->key, "c");
  EXPECT_TRUE(rows.empty());
}

TEST_F(guide_follower_test, publications_during_a_snapshot_are_limited) {
  auto one = make_entry(form::kvmsg, "k", 1, {}, {}, "new");
  one.compact();
  options_.feed_bytes = 3 * one.memory_size();
  ask();
  for (sequence n = 1; n <= 3; ++n) {
    EXPECT_FALSE(publish("k", n));
  }
  EXPECT_EQ(done(), texts{});
  EXPECT_FALSE(publish("k", 4));
  EXPECT_EQ(done(), (texts{"gap", "reconnect"}));
}

TEST_F(guide_follower_test, starts_over_when_it_misses_publications) {
  follow(1);
  follower_.on_feed_lost(out_);
  EXPECT_EQ(done(), texts{"reconnect"});
  EXPECT_FALSE(follower_.following());
  EXPECT_FALSE(publish("k", 2));
  follow(3);
  follower_.on_gap(out_);
  EXPECT_EQ(done(), (texts{"gap", "reconnect"}));
  EXPECT_FALSE(follower_.following());
  follower_.begin(out_);
  follower_.on_feed_lost(out_);
  EXPECT_EQ(done(), texts{"feed"}) << "nothing was asked for yet";
}

}  // namespace
}  // namespace chp
