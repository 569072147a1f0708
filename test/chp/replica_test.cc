#include "chp/replica.h"

#include "chp/answers.h"
#include "test/chp/stored_state.h"
#include "test/chp/update_ids.h"
#include "zmtp/storage/error.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>

namespace chp {
namespace {

using namespace std::chrono_literals;
using test::session_id;
using test::stored_state;
using verdict = sessions::verdict;

constexpr store::time_point start{};

replica_options with_store() {
  replica_options o;
  o.has_store = true;
  o.store_retry = 1s;
  return o;
}

void set(replica& r, std::string_view key, std::string_view value, const update_id& of = {},
         std::chrono::milliseconds ttl = 0ms) {
  r.append({.number = r.end() + 1,
            .id = of,
            .low = of.has_session() ? 1U : 0U,
            .ttl = ttl,
            .key = key,
            .value = value});
}

void publish(replica& r, sequence to) {
  r.publish(to, start, [](const log_entry&, bool) {});
}

// Everything that a restart has to find.
using contents =
    std::map<std::string, std::tuple<std::string, sequence, std::chrono::milliseconds>>;
contents map_of(const replica& r) {
  contents all;
  r.past().map().for_each("", [&](const store::entry& e) {
    all[std::string{e.key()}] = {std::string{e.value()}, e.number(), e.ttl()};
    return true;
  });
  return all;
}
std::vector<sequence> log_of(const replica& r) {
  std::vector<sequence> all;
  auto at = r.past().log().after(r.past().log().start());
  for (log_entry e; r.past().log().read(at, e);) {
    all.push_back(e.number);
  }
  return all;
}
void expect_equal(const replica& a, const replica& b) {
  EXPECT_EQ(a.past().reigns(), b.past().reigns());
  EXPECT_EQ(map_of(a), map_of(b));
  EXPECT_EQ(log_of(a), log_of(b));
  EXPECT_EQ(a.end(), b.end());
  EXPECT_EQ(a.past().published(), b.past().published());
  for (std::uint64_t session = 1; session < 200; ++session) {
    for (std::uint64_t counter = 1; counter < 40; ++counter) {
      const auto in_a = a.past().clients().decide(session_id(session, counter), 1, 0);
      const auto in_b = b.past().clients().decide(session_id(session, counter), 1, 0);
      // A restart may find a part of a forgotten session in the log.
      if (in_a.what != verdict::unknown) {
        EXPECT_EQ(in_a.what, in_b.what) << session << ':' << counter;
        EXPECT_EQ(in_a.known, in_b.known);
      }
    }
  }
}

std::unique_ptr<replica> restarted(const stored_state& from,
                                   const replica_options& options = with_store()) {
  auto r = std::make_unique<replica>(options, 7);
  if (from.empty()) {
    return r;
  }
  errc fault{};
  auto found = from.load(r->make_history(), start, fault);
  EXPECT_EQ(fault, errc{});
  return std::make_unique<replica>(options, 8, std::move(found), from.numbers);
}

// Carries out all writes of a turn.
void write(replica& r, stored_state& to, store::time_point now = start) {
  for (;;) {
    std::vector<state_write> all;
    r.take_writes(now, all);
    if (all.empty()) {
      return;
    }
    for (const auto& each : all) {
      to.write(each);
      r.on_written({}, now);
    }
  }
}

TEST(chp_replica, publishes_what_is_committed_and_says_which_entries_changed_the_map) {
  replica r{{}, 1};
  r.begin_reign(1, 77);
  set(r, "a", "1");
  set(r, "b", "2");
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 1),
            .key = "b"});
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 1),
            .key = "a"});
  r.append({.number = r.end() + 1,
            .kind = entry_kind::refusal,
            .id = session_id(1, 1),
            .low = 1,
            .argument = 1});
  std::vector<bool> changed;
  r.publish(make_sequence(1, 1), start, [&](const log_entry&, bool c) { changed.push_back(c); });
  EXPECT_EQ(map_of(r).size(), 1U);
  EXPECT_EQ(changed, (std::vector<bool>{false, true}));
  r.publish(r.end(), start, [&](const log_entry&, bool c) { changed.push_back(c); });
  EXPECT_EQ(changed, (std::vector<bool>{false, true, true, false, true, false}))
      << "an expiry ends only the value that it names";
  EXPECT_EQ(map_of(r).size(), 1U);
  EXPECT_EQ(r.past().published(), r.end());
}

TEST(chp_replica, without_epochs_counts_from_one) {
  replica r{{}, 1};
  EXPECT_TRUE(r.lacks_data());
  r.begin_reign(0, 77);
  EXPECT_FALSE(r.lacks_data());
  EXPECT_EQ(r.end(), 0U);
  set(r, "a", "1");
  EXPECT_EQ(r.end(), 1U);
  EXPECT_TRUE(r.past().reigns().contains({0, 77, 1}));
}

TEST(chp_replica, below_what_both_had_counts_as_one_without_data) {
  replica r{{}, 1};
  r.begin_reign(1, 77);
  r.raise_both(make_sequence(1, 1), true);
  EXPECT_TRUE(r.lacks_data());
  set(r, "a", "1");
  EXPECT_FALSE(r.lacks_data());
}

TEST(chp_replica, is_durable_only_as_far_as_its_writes_have_ended) {
  replica r{with_store(), 1};
  r.begin_reign(1, 77);
  set(r, "a", "1");
  EXPECT_EQ(r.durable(), 0U);
  std::vector<state_write> out;
  r.take_writes(start, out);
  set(r, "a", "2");
  r.take_writes(start, out);
  ASSERT_EQ(out.size(), 2U);
  r.on_written({}, start);
  EXPECT_EQ(r.durable(), make_sequence(1, 1));
  r.on_written({}, start);
  EXPECT_EQ(r.durable(), make_sequence(1, 2));
  EXPECT_EQ(replica({}, 1).durable(), 0U);
}

// Any number of the writes may be on the disk after a crash.
TEST(chp_replica, finds_one_state_after_a_crash_at_any_write) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random{seed};
    auto options = with_store();
    options.history.log = {.bytes = 100'000, .entries = 12, .segment = 200};
    options.history.clients.max_sessions = 3;
    options.history.max_ids = 5;
    auto r = std::make_unique<replica>(options, seed);
    stored_state disk;
    std::uint64_t epoch = 0;
    std::map<std::uint64_t, std::uint64_t> counters;
    std::uint64_t first_session = 1;  // the clients begin new ones after a crash
    for (int step = 0; step < 300; ++step) {
      const auto what = random() % 20;
      if (r->past().reigns().empty() || what == 0) {
        r->begin_reign(++epoch, random());
      } else if (what < 12) {
        const auto session = first_session + random() % 5;
        const auto key = std::string(1, static_cast<char>('a' + random() % 6));
        const auto counter = ++counters[session];
        if (random() % 4 == 0) {
          r->append({.number = r->end() + 1,
                     .kind = entry_kind::refusal,
                     .id = session_id(session, counter),
                     .low = 1,
                     .argument = refusal_code(errc::too_many_keys)});
        } else if (random() % 4 == 0) {
          r->append({.number = r->end() + 1,
                     .kind = entry_kind::erasure,
                     .id = update_id::of_frame(std::to_string(step)),
                     .key = key});
        } else {
          set(*r, key, std::to_string(step), session_id(session, counter),
              std::chrono::milliseconds{random() % 2 * 5'000});
        }
      } else if (what < 15) {
        r->raise_commit(r->end());
        publish(*r, r->end());
        r->trim(r->commit(), trimmed_to::half);
      } else if (what < 19) {
        write(*r, disk);
      } else {
        // Changes that were not written are lost, with their counters.
        const auto expected = disk.numbers;
        r = restarted(disk, options);
        EXPECT_EQ(r->end(), expected.end);
        const auto again = restarted(disk, options);
        expect_equal(*r, *again);
        counters.clear();
        first_session += 5;
      }
    }
    write(*r, disk);
    // The last write has everything, except numbers that are stored lazily.
    set(*r, "last", "one");
    write(*r, disk);
    expect_equal(*r, *restarted(disk, options));
  }
}

TEST(chp_replica, recognizes_ids_after_a_restart_although_the_log_is_trimmed) {
  auto options = with_store();
  options.history.log = {.bytes = 100'000, .entries = 4, .segment = 80};
  replica r{options, 1};
  stored_state disk;
  r.begin_reign(1, 77);
  for (int i = 0; i < 20; ++i) {
    set(r, "k", "v", update_id::of_frame("id" + std::to_string(i)));
    set(r, "k", "v", session_id(1, static_cast<std::uint64_t>(i) + 1));
    publish(r, r.end());
    r.trim(r.end(), trimmed_to::half);
    write(r, disk);
  }
  EXPECT_LT(log_of(r).size(), 10U);
  const auto again = restarted(disk, options);
  EXPECT_TRUE(again->past().ids().contains(update_id::of_frame("id0")));
  EXPECT_TRUE(again->past().ids().contains(update_id::of_frame("id19")));
  EXPECT_EQ(again->past().clients().decide(session_id(1, 1), 1, 0).what, verdict::known);
  EXPECT_EQ(again->past().clients().decide(session_id(1, 20), 1, 0).what, verdict::known);
}

TEST(chp_replica, writes_everything_again_when_a_full_store_has_room) {
  replica r{with_store(), 1};
  stored_state disk;
  r.begin_reign(1, 77);
  set(r, "a", "1", session_id(1, 1));
  std::vector<state_write> out;
  r.take_writes(start, out);
  ASSERT_EQ(out.size(), 1U);
  set(r, "b", "2", session_id(1, 2));
  r.take_writes(start, out);
  r.on_written(zmtp::storage_errc::store_full, start);
  r.on_written(zmtp::storage_errc::store_full, start);
  EXPECT_TRUE(r.store_failed());
  EXPECT_EQ(r.durable(), 0U);
  publish(r, r.end());
  out.clear();
  r.take_writes(start, out);
  EXPECT_TRUE(out.empty()) << "it waits for a second";
  ASSERT_TRUE(r.next_deadline());
  EXPECT_EQ(*r.next_deadline(), start + 1s);
  write(r, disk, start + 1s);
  EXPECT_FALSE(r.store_failed());
  EXPECT_EQ(r.durable(), r.end());
  expect_equal(r, *restarted(disk));
}

TEST(chp_replica, a_failed_store_is_not_trusted_again) {
  replica r{with_store(), 1};
  r.begin_reign(1, 77);
  std::vector<state_write> out;
  r.take_writes(start, out);
  r.on_written(zmtp::storage_errc::store_failed, start);
  EXPECT_TRUE(r.store_failed());
  set(r, "a", "1");
  out.clear();
  r.take_writes(start + 1h, out);
  EXPECT_TRUE(out.empty());
  EXPECT_FALSE(r.next_deadline());
  EXPECT_EQ(r.durable(), 0U);
}

TEST(chp_replica, stores_a_copy_and_later_changes_in_one_transaction) {
  replica source{{}, 1};
  source.begin_reign(3, 33);
  for (int i = 0; i < 3'000; ++i) {
    set(source, "key" + std::to_string(i), "v",
        session_id(1 + static_cast<std::uint64_t>(i) % 3, 1 + static_cast<std::uint64_t>(i) / 3));
  }
  publish(source, source.end());
  replica r{with_store(), 2};
  stored_state disk;
  r.begin_reign(1, 11);
  set(r, "old", "1");
  publish(r, r.end());
  write(r, disk);

  auto copy = r.make_history();
  std::string map;
  source.past().map().for_each("", [&](const store::entry& e) {
    append_record(map, {.number = e.number(), .id = e.id(), .key = e.key(), .value = e.value()});
    return true;
  });
  ASSERT_EQ(copy->add_map(map, start), errc{});
  std::string rows;
  for (std::size_t at = 0; source.past().clients().append_rows(at, 1'000, rows);) {
  }
  ASSERT_EQ(copy->add_sessions(rows), errc{});
  copy->begin_log(source.end(), 0);
  ASSERT_EQ(copy->finish(source.past().reigns(), source.end()), errc{});
  r.replace(std::move(copy), source.end());
  EXPECT_EQ(r.durable(), 0U);

  std::vector<state_write> out;
  for (int turn = 0; turn < 100 && (out.empty() || out.back().more); ++turn) {
    r.take_writes(start, out);
    set(r, "later" + std::to_string(turn), "v",
        session_id(4, 1 + static_cast<std::uint64_t>(turn)));
    publish(r, r.end());
  }
  ASSERT_GT(out.size(), 4U) << "in pieces";
  const auto before = disk.numbers;
  for (const auto& each : out) {
    EXPECT_EQ(disk.numbers, before) << "nothing is stored before the last piece";
    EXPECT_EQ(r.durable(), 0U);
    disk.write(each);
    r.on_written({}, start);
  }
  EXPECT_GT(r.durable(), source.end());
  write(r, disk);
  expect_equal(r, *restarted(disk));
}

TEST(chp_replica, a_write_of_a_replaced_history_confirms_nothing) {
  replica r{with_store(), 1};
  r.begin_reign(9, 11);
  set(r, "old", "1");
  std::vector<state_write> out;
  r.take_writes(start, out);
  auto copy = r.make_history();
  copy->begin_log(make_sequence(3, 5), 0);
  lineage reigns;
  reigns.begin_reign(3, 33, make_sequence(3, 0));
  reigns.extend(make_sequence(3, 5));
  ASSERT_EQ(copy->finish(reigns, make_sequence(3, 5)), errc{});
  r.replace(std::move(copy), 0);
  r.on_written({}, start);
  EXPECT_EQ(r.durable(), 0U);
}

TEST(chp_replica, counts_keys_and_bytes_at_the_end_of_the_log) {
  replica_options options;
  options.map = {.max_keys = 2, .max_bytes = 20};
  replica r{options, 1};
  r.begin_reign(1, 1);
  set(r, "a", "1");
  EXPECT_EQ(r.check_room("b", "1"), errc{});
  set(r, "b", "1");
  EXPECT_EQ(r.check_room("c", "1"), errc::too_many_keys) << "though nothing is published";
  EXPECT_EQ(r.check_room("a", "2"), errc{}) << "the key exists";
  EXPECT_EQ(r.check_room("a", std::string(18, 'x')), errc::too_many_bytes);
  EXPECT_EQ(r.check_room("a", std::string(17, 'x')), errc{});
  r.append({.number = r.end() + 1, .kind = entry_kind::erasure, .key = "a"});
  EXPECT_EQ(r.check_room("c", "1"), errc{});
  set(r, "c", "1");
  publish(r, r.end() - 1);
  EXPECT_EQ(r.check_room("d", "1"), errc::too_many_keys);
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 2),
            .key = "b"});
  EXPECT_EQ(r.check_room("d", "1"), errc{});
  set(r, "b", "2");
  r.append({.number = r.end() + 1,
            .kind = entry_kind::expiry,
            .argument = make_sequence(1, 2),
            .key = "b"});
  EXPECT_EQ(r.check_room("d", "1"), errc::too_many_keys) << "the expiry is of an older value";
  publish(r, r.end());
  EXPECT_EQ(r.check_room("d", "1"), errc::too_many_keys);
}

TEST(chp_replica, reads_no_more_updates_when_its_log_is_full) {
  replica_options options;
  options.history.log = {.bytes = 1'000'000, .entries = 4, .segment = 100};
  replica r{options, 1};
  r.begin_reign(1, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(r.has_room());
    set(r, "a", "1");
  }
  EXPECT_FALSE(r.has_room());
  r.trim(r.end(), trimmed_to::half);
  EXPECT_FALSE(r.has_room()) << "nothing is published";
  publish(r, r.end());
  r.trim(r.end(), trimmed_to::half);
  EXPECT_TRUE(r.has_room());
}

}  // namespace
}  // namespace chp
