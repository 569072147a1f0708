#include "chp/store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace chp {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using time_point = store::time_point;
using model = std::map<std::string, std::string>;

constexpr time_point start{};

errc set(store& s, std::string_view key, std::string_view value, sequence at,
         std::optional<time_point> deadline = {}) {
  return s.apply({.key = key, .value = value, .deadline = deadline}, at);
}

model contents(const store& s, std::string_view subtree = {}) {
  model all;
  std::string before;
  s.for_each(subtree, [&](const store::entry& e) {
    EXPECT_LT(before, e.key());
    before = e.key();
    all.emplace(e.key(), e.value());
    return true;
  });
  return all;
}

// As a server does: it visits what is due, and erases it later.
std::vector<std::string> take_due(store& s, time_point now, std::size_t most) {
  std::vector<std::string> keys;
  s.visit_due(now, most, [&](const store::entry& e) {
    keys.emplace_back(e.key());
    return time_point::max();
  });
  return keys;
}

model rest(store::snapshot& from, std::size_t most = 1'000'000) {
  model all;
  while (!from.at_end()) {
    from.read(most, [&](const store::entry& e) {
      EXPECT_LE(e.number(), from.number());
      EXPECT_TRUE(all.emplace(e.key(), e.value()).second) << "twice: " << e.key();
      return true;
    });
  }
  return all;
}

TEST(chp_store, contains_keys_that_were_set) {
  store s;
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.find("k"), nullptr);
  const auto id = update_id::of_session(update_id::make_session(1), 2);
  EXPECT_EQ(s.apply({"k", "value", id, start + 5s}, 7), errc{});
  const auto* const e = s.find("k");
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->key(), "k");
  EXPECT_EQ(e->value(), "value");
  EXPECT_EQ(e->number(), 7U);
  EXPECT_EQ(e->id(), id);
  EXPECT_EQ(e->deadline(), start + 5s);
  EXPECT_EQ(s.number(), 7U);
  EXPECT_EQ(s.keys(), 1U);
  EXPECT_EQ(s.bytes(), 6U);
}

TEST(chp_store, replaces_values_of_every_size_by_every_other) {
  store s;
  sequence at = 0;
  for (std::size_t before = 0; before < 80; ++before) {
    for (std::size_t after = 0; after < 80; after += 7) {
      for (const bool was_expiring : {false, true}) {
        for (const bool is_expiring : {false, true}) {
          const std::string old(before, 'o');
          const std::string value(after, 'v');
          set(s, "key", old, ++at, was_expiring ? std::optional{start + 1s} : std::nullopt);
          set(s, "key", value, ++at, is_expiring ? std::optional{start + 2s} : std::nullopt);
          ASSERT_EQ(s.find("key")->value(), value);
          ASSERT_EQ(s.find("key")->number(), at);
          ASSERT_EQ(s.find("key")->deadline().has_value(), is_expiring);
          ASSERT_EQ(s.next_deadline().has_value(), is_expiring);
          ASSERT_EQ(s.bytes(), 3 + after);
          ASSERT_EQ(s.keys(), 1U);
        }
      }
    }
  }
}

TEST(chp_store, takes_a_value_of_its_own) {
  store s;
  set(s, "k", "0123456789", 1);
  const auto own = s.find("k")->value();
  EXPECT_EQ(set(s, "k", own.substr(2), 2), errc{});
  EXPECT_EQ(s.find("k")->value(), "23456789");
  EXPECT_EQ(set(s, "another", s.find("k")->value(), 3), errc{});
  EXPECT_EQ(s.find("another")->value(), "23456789");
}

TEST(chp_store, erases) {
  store s;
  set(s, "k", "v", 1, start);
  EXPECT_TRUE(s.erase("k", 2));
  EXPECT_EQ(s.find("k"), nullptr);
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.bytes(), 0U);
  EXPECT_EQ(s.next_deadline(), std::nullopt);
  EXPECT_FALSE(s.erase("k", 3));
  EXPECT_EQ(s.number(), 3U);
  s.pass(9);
  EXPECT_EQ(s.number(), 9U);
  s.pass(4);
  EXPECT_EQ(s.number(), 9U);
}

TEST(chp_store, refuses_changes_above_its_limits) {
  store s{0, {.max_keys = 2, .max_bytes = 10}};
  EXPECT_EQ(set(s, "", "v", 1), errc::key_empty);
  EXPECT_EQ(set(s, std::string(256, 'k'), "v", 1), errc::key_too_long);
  EXPECT_EQ(set(s, "a", "1234", 1), errc{});
  EXPECT_EQ(set(s, "b", "12345", 2), errc::too_many_bytes);
  EXPECT_EQ(set(s, "b", "1234", 3), errc{});
  EXPECT_EQ(set(s, "c", "", 4), errc::too_many_keys);
  EXPECT_EQ(set(s, "a", "12345", 5), errc::too_many_bytes);
  EXPECT_EQ(s.number(), 3U) << "nothing has changed";
  EXPECT_EQ(set(s, "a", "4321", 6), errc{}) << "no more than before";
  EXPECT_EQ(set(s, "a", "1", 7), errc{});
  EXPECT_EQ(set(s, "b", "1234567", 8), errc{});
  EXPECT_EQ(contents(s), (model{{"a", "1"}, {"b", "1234567"}}));
}

TEST(chp_store, orders_keys_by_bytes_and_finds_them_by_subtree) {
  store s;
  sequence at = 0;
  const std::string longest(255, '\377');
  for (const auto key : {"/a"sv, "/a/"sv, "/a/1"sv, "/a/2"sv, "/ab"sv, "/b/1"sv, "a"sv, "\377"sv,
                         std::string_view{longest}}) {
    set(s, key, key, ++at);
  }
  const auto keys = [&](std::string_view subtree) { return contents(s, subtree).size(); };
  EXPECT_EQ(keys(""), 9U);
  EXPECT_EQ(keys("/a/"), 3U);  // CHP-10: /ab is not among them
  EXPECT_EQ(keys("/a"), 5U);   // C1-14: any other prefix selects the keys that begin with it
  EXPECT_EQ(keys("/b/"), 1U);
  EXPECT_EQ(keys("/c/"), 0U);
  EXPECT_EQ(keys("\377"), 2U);
  EXPECT_EQ(keys(longest), 1U);
  EXPECT_EQ(keys(longest + "x"), 0U);
  int visited = 0;
  s.for_each("", [&](const store::entry&) { return ++visited < 3; });
  EXPECT_EQ(visited, 3);
}

TEST(chp_store, expires_in_the_order_of_deadlines) {  // CHP-33
  store s;
  set(s, "late", "", 1, start + 30s);
  set(s, "never", "", 2);
  set(s, "soon", "", 3, start + 10s);
  set(s, "middle", "", 4, start + 20s);
  set(s, "moved", "", 5, start + 1s);
  set(s, "moved", "", 6, start + 40s);
  set(s, "kept", "", 7, start + 2s);
  set(s, "kept", "", 8);
  EXPECT_EQ(s.next_deadline(), start + 10s);
  std::vector<std::string> gone;
  sequence at = 8;
  const auto expire = [&](time_point now, std::size_t most) {
    const auto due = take_due(s, now, most);
    for (const auto& key : due) {
      s.erase(key, ++at);
      gone.push_back(key);
    }
    return due.size();
  };
  EXPECT_EQ(expire(start + 10s - 1ms, 10), 0U) << "never early";
  EXPECT_EQ(expire(start + 35s, 2), 2U);
  EXPECT_EQ(gone, (std::vector<std::string>{"soon", "middle"}));
  EXPECT_EQ(s.next_deadline(), start + 30s);
  EXPECT_EQ(expire(start + 35s, 2), 1U);
  EXPECT_EQ(expire(start + 40s, 2), 1U);
  EXPECT_EQ(gone, (std::vector<std::string>{"soon", "middle", "late", "moved"}));
  EXPECT_EQ(s.next_deadline(), std::nullopt);
  EXPECT_EQ(s.number(), 12U);
  EXPECT_EQ(contents(s), (model{{"kept", ""}, {"never", ""}}));
}

TEST(chp_store, a_snapshot_does_not_change) {
  store s;
  set(s, "/a/1", "one", 1);
  set(s, "/a/2", "two", 2, start + 1s);
  set(s, "/a/3", "three", 3);
  set(s, "/b/1", "other", 4);
  auto whole = s.open_snapshot();
  auto subtree = s.open_snapshot("/a/");
  EXPECT_EQ(whole.number(), 4U);
  set(s, "/a/1", "ONE", 5);
  set(s, "/a/0", "new", 6);
  s.erase("/a/3", 7);
  s.erase(take_due(s, start + 1s, 1).at(0), 8);
  set(s, "/a/3", "again", 9);
  auto later = s.open_snapshot("/a/");
  set(s, "/a/1", "last", 10);
  EXPECT_EQ(rest(subtree), (model{{"/a/1", "one"}, {"/a/2", "two"}, {"/a/3", "three"}}));
  EXPECT_EQ(rest(whole),
            (model{{"/a/1", "one"}, {"/a/2", "two"}, {"/a/3", "three"}, {"/b/1", "other"}}));
  EXPECT_EQ(rest(later), (model{{"/a/0", "new"}, {"/a/1", "ONE"}, {"/a/3", "again"}}));
  EXPECT_TRUE(later.at_end());
}

TEST(chp_store, a_snapshot_of_nothing_ends_immediately) {
  store s;
  auto none = s.open_snapshot();
  EXPECT_EQ(rest(none), model{});
  EXPECT_TRUE(none.at_end());
  auto subtree = s.open_snapshot("/a/");
  set(s, "/a/1", "", 1);
  EXPECT_EQ(rest(subtree), model{});
}

TEST(chp_store, reads_a_snapshot_in_pieces_while_the_map_changes) {
  store s;
  sequence at = 0;
  for (int i = 0; i < 100; ++i) {
    set(s, std::to_string(i), "old", ++at);
  }
  const auto expected = contents(s);
  auto from = s.open_snapshot();
  model all;
  for (int i = 0; !from.at_end(); ++i) {
    from.read(3, [&](const store::entry& e) {
      EXPECT_TRUE(all.emplace(e.key(), e.value()).second);
      return false;  // one at a time
    });
    set(s, std::to_string(i % 100), "new", ++at);
    s.erase(std::to_string((i * 7) % 100), ++at);
    set(s, std::to_string(i + 1'000), "more", ++at);
  }
  EXPECT_EQ(all, expected);
}

TEST(chp_store, reading_visits_at_most_the_given_number_of_keys) {
  store s;
  sequence at = 0;
  set(s, "first", "", ++at);
  auto from = s.open_snapshot();
  for (int i = 0; i < 100; ++i) {
    set(s, "a" + std::to_string(i), "", ++at);
  }
  int calls = 0;
  int visits = 0;
  for (; !from.at_end(); ++calls) {
    from.read(10, [&](const store::entry& e) {
      EXPECT_EQ(e.key(), "first");
      return ++visits != 0;
    });
  }
  EXPECT_GE(calls, 10);
  EXPECT_EQ(visits, 1);
}

TEST(chp_store, frees_old_versions_that_no_snapshot_needs) {
  store s;
  set(s, "k", "1", 1);
  {
    const auto first = s.open_snapshot();
    set(s, "k", "2", 2);
    EXPECT_EQ(s.past().size(), 1U);
    for (sequence at = 3; at < 100; ++at) {
      set(s, "k", "3", at);
    }
    EXPECT_EQ(s.past().size(), 1U) << "no snapshot has seen the others";
    {
      const auto second = s.open_snapshot();
      set(s, "k", "four", 100);
      set(s, "k", "5", 101);
      EXPECT_EQ(s.past().size(), 2U);
      EXPECT_EQ(s.past().bytes(), 4U);
      EXPECT_TRUE(first.is_oldest());
      EXPECT_FALSE(second.is_oldest());
      EXPECT_TRUE(s.past().is_tidy());
    }
    EXPECT_FALSE(s.past().is_tidy());
    EXPECT_TRUE(s.tidy(10));
    EXPECT_TRUE(s.past().is_tidy());
    EXPECT_EQ(s.past().size(), 1U) << "the first needs its own still";
    EXPECT_EQ(s.past().bytes(), 2U);
  }
  EXPECT_FALSE(s.tidy(0));
  EXPECT_TRUE(s.tidy(1));
  EXPECT_EQ(s.past().size(), 0U);
}

TEST(chp_store, passes_versions_of_a_newer_snapshot_to_an_older_one) {
  store s;
  set(s, "k", "1", 1);
  auto older = s.open_snapshot();
  s.pass(2);
  {
    const auto newer = s.open_snapshot();
    set(s, "k", "2", 3);
  }
  EXPECT_TRUE(s.tidy(10));
  EXPECT_EQ(s.past().size(), 1U);
  EXPECT_EQ(rest(older), (model{{"k", "1"}}));
}

TEST(chp_store, changes_free_versions_of_ended_snapshots) {
  store s;
  sequence at = 0;
  for (int i = 0; i < 100; ++i) {
    set(s, std::to_string(i), "old", ++at);
  }
  {
    const auto open = s.open_snapshot();
    for (int i = 0; i < 100; ++i) {
      set(s, std::to_string(i), "new", ++at);
    }
    EXPECT_EQ(s.past().size(), 100U);
  }
  for (int i = 0; i < 100; ++i) {
    set(s, std::to_string(i), "newer", ++at);
  }
  EXPECT_EQ(s.past().size(), 0U);
}

TEST(chp_store, is_dismantled_in_pieces_and_used_again) {
  store s;
  sequence at = 0;
  for (int i = 0; i < 100; ++i) {
    set(s, std::to_string(i), "old", ++at, i % 2 == 0 ? std::optional{start} : std::nullopt);
  }
  {
    const auto open = s.open_snapshot();
    for (int i = 0; i < 10; ++i) {
      set(s, std::to_string(i), "new", ++at);
    }
  }
  int calls = 1;
  for (; !s.dismantle(10); ++calls) {
    EXPECT_LE(calls, 21);
  }
  EXPECT_GE(calls, 20);
  EXPECT_EQ(s.keys(), 0U);
  EXPECT_EQ(s.bytes(), 0U);
  EXPECT_EQ(s.next_deadline(), std::nullopt);
  set(s, "b", "1", ++at);
  set(s, "a", "2", ++at);
  EXPECT_EQ(contents(s), (model{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(s.find("5"), nullptr);
}

// Against copies of std::map: many snapshots, read at random paces, some given up.
TEST(chp_store, is_a_map_and_its_snapshots_are_copies) {
  struct reading {
    store::snapshot from;
    model expected;
    model seen;
  };
  struct value {
    std::string bytes;
    std::optional<time_point> deadline;
  };
  const auto matches = [](const std::map<std::string, value>& all, std::string_view subtree) {
    model found;
    for (const auto& [key, each] : all) {
      if (key.starts_with(subtree)) {
        found.emplace(key, each.bytes);
      }
    }
    return found;
  };
  const std::vector<std::string> subtrees{"", "/", "/a/", "/b/c/", "x"};
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    std::minstd_rand random{seed};
    const auto pick = [&](std::size_t below) { return random() % below; };
    store s{seed};
    std::map<std::string, value> all;
    std::vector<reading> open;
    auto now = start;
    sequence at = 0;
    const auto some_key = [&] { return subtrees[1 + pick(4)] + std::to_string(pick(40)); };
    for (int step = 0; step < 3'000; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      const auto what = pick(100);
      if (what < 45) {
        const auto key = some_key();
        const std::string bytes(pick(60), static_cast<char>('a' + pick(26)));
        const auto deadline =
            pick(4) == 0 ? std::optional{now + std::chrono::seconds{pick(20)}} : std::nullopt;
        ASSERT_EQ(set(s, key, bytes, ++at, deadline), errc{});
        all[key] = {bytes, deadline};
      } else if (what < 60) {
        const auto key = some_key();
        ASSERT_EQ(s.erase(key, ++at), all.erase(key) != 0);
      } else if (what < 65) {
        now += std::chrono::seconds{pick(5)};
        for (const auto& key : take_due(s, now, 1 + pick(5))) {
          const auto found = all.find(key);
          ASSERT_NE(found, all.end());
          EXPECT_LE(found->second.deadline, now);
          all.erase(found);
          ASSERT_TRUE(s.erase(key, ++at));
        }
      } else if (what < 70 && open.size() < 20) {
        const auto& subtree = subtrees[pick(subtrees.size())];
        open.push_back({s.open_snapshot(subtree), matches(all, subtree), {}});
      } else if (what < 72 && !open.empty()) {
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(pick(open.size())));
      } else if (what < 75) {
        s.tidy(pick(10));
      } else if (!open.empty()) {
        const auto which = pick(open.size());
        auto& r = open[which];
        auto visits = pick(10);
        r.from.read(1 + pick(20), [&](const store::entry& e) {
          EXPECT_TRUE(r.seen.empty() || r.seen.rbegin()->first < e.key());
          r.seen.emplace(e.key(), e.value());
          return visits-- != 0;
        });
        if (r.from.at_end()) {
          ASSERT_EQ(r.seen, r.expected);
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        }
      }
      ASSERT_EQ(s.keys(), all.size());
      if (step % 50 == 0) {
        ASSERT_EQ(contents(s), matches(all, ""));
        std::optional<time_point> first;
        for (const auto& [key, each] : all) {
          ASSERT_EQ(s.find(key)->deadline(), each.deadline);
          if (each.deadline && (!first || *each.deadline < *first)) {
            first = each.deadline;
          }
        }
        ASSERT_EQ(s.next_deadline(), first);
      }
    }
    for (auto& r : open) {
      for (const auto& [key, bytes] : rest(r.from)) {
        r.seen.emplace(key, bytes);
      }
      ASSERT_EQ(r.seen, r.expected);
    }
    open.clear();
    while (!s.tidy(100)) {
    }
    ASSERT_EQ(s.past().size(), 0U);
  }
}

TEST(chp_store, visits_due_entries_in_order_and_moves_their_deadlines) {
  store s;
  for (const auto& [key, after] : {std::pair{"b", 2s}, {"a", 1s}, {"c", 3s}}) {
    ASSERT_EQ(s.apply({.key = key, .value = "v", .deadline = start + after, .ttl = after}, 1),
              errc{});
  }
  EXPECT_EQ(s.find("b")->ttl(), 2s);
  std::string visited;
  const auto visit = [&](const store::entry& e) {
    visited += e.key();
    return start + 10s + e.ttl();
  };
  s.visit_due(start + 2s, 1, visit);
  EXPECT_EQ(visited, "a");
  s.visit_due(start + 2s, 10, visit);
  EXPECT_EQ(visited, "ab");
  EXPECT_EQ(s.next_deadline(), start + 3s);
  s.visit_due(start + 10s, 10, visit);
  EXPECT_EQ(visited, "abc");
  EXPECT_EQ(s.keys(), 3U);
}

}  // namespace
}  // namespace chp
