// The writes of a replica to its store, and the state that a restart finds.

#include "chp/answers.h"
#include "test/chp/replica_fixture.h"
#include "zmtp/storage/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace chp {
namespace {

using namespace test;

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
        write_all(*r, disk);
      } else {
        // Changes that were not written are lost, with their counters.
        const auto expected = disk.numbers;
        r = restarted(disk, options);
        EXPECT_EQ(r->end(), expected.end);
        const auto again = restarted(disk, options);
        expect_same_state(*r, *again);
        counters.clear();
        first_session += 5;
      }
    }
    write_all(*r, disk);
    // The last write has everything, except numbers that are stored lazily.
    set(*r, "last", "one");
    write_all(*r, disk);
    expect_same_state(*r, *restarted(disk, options));
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
    write_all(r, disk);
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
  write_all(r, disk, start + 1s);
  EXPECT_FALSE(r.store_failed());
  EXPECT_EQ(r.durable(), r.end());
  expect_same_state(r, *restarted(disk));
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
  write_all(r, disk);

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
  write_all(r, disk);
  expect_same_state(r, *restarted(disk));
}

// The memory of the pieces does not depend on the size of the map, and updates are read meanwhile.
TEST(chp_replica, writes_a_large_map_as_fast_as_its_store_takes_the_pieces) {
  auto options = with_store();
  options.unwritten_bytes = 100'000;
  replica r{options, 1};
  r.begin_reign(1, 11);
  const std::string value(1'000, 'v');
  for (int i = 0; i < 10'000; ++i) {
    set(r, std::to_string(i), value);
  }
  publish(r, r.end());
  std::vector<state_write> out;
  r.take_writes(start, out);
  r.on_written(zmtp::storage_errc::store_full, start);
  std::size_t waiting = 0;
  std::size_t most = 0;
  std::size_t all = 0;
  stored_state disk;
  for (bool ends = false; !ends;) {
    std::vector<state_write> unwritten;
    while (r.next_deadline() == history::time_point{} || unwritten.empty()) {
      const auto before = unwritten.size();
      r.take_writes(start + 1h, unwritten);
      ASSERT_GT(unwritten.size(), before);
      waiting += unwritten.back().map.size() + unwritten.back().entries.size();
      most = std::max(most, waiting);
      EXPECT_TRUE(r.has_room()) << "pieces do not count";
    }
    for (const auto& each : unwritten) {
      disk.write(each);
      r.on_written({}, start);
      ends = !each.more;
    }
    all += std::exchange(waiting, 0);
  }
  EXPECT_LT(most, 1'500'000U);
  EXPECT_GT(all, 10'000'000U);
  expect_same_state(r, *restarted(disk));
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

}  // namespace
}  // namespace chp
