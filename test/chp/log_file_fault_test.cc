// A write that returned no error is stored, whatever the disk does afterwards. A transaction is never
// stored partially, and a file that was altered is rejected.

#include "chp/log_file.h"
#include "test/chp/log_file_fixture.h"
#include "test/support/scratch_folder.h"
#include "test/zmtp/storage/faulty_disk.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace chp::test {
namespace {

using boost::system::error_code;
using zmtp::storage_errc;
using zmtp::test::faulty_disk;

zmtp::sqlite_file_options on(const faulty_disk& disk) {
  // The small log is emptied again and again.
  return {.path = "log", .log_pages = 6, .vfs = disk.name()};
}

const replica_script& script() {
  static const replica_script all;
  return all;
}

// Carries out the script until a write fails. Returns the number of writes before it.
std::size_t run(const zmtp::sqlite_file_options& options) {
  log_file file{options};
  const auto into = small_history();
  state_numbers numbers;
  if (file.open(*into, log_file_start, numbers)) {
    return 0;
  }
  std::size_t stored = 0;
  std::vector<error_code> results;
  for (const auto& one : script().writes) {
    file.write({one}, results);
    EXPECT_EQ(results.size(), 1U);
    if (results.at(0)) {
      return stored;
    }
    ++stored;
    file.tidy();
  }
  return stored;
}

std::string load(const zmtp::sqlite_file_options& options, error_code& ec) {
  log_file file{options};
  const auto into = small_history();
  state_numbers numbers;
  ec = file.open(*into, log_file_start, numbers);
  return ec ? "" : text_of(*into, numbers);
}

// The file may have one transaction more than the program knows.
void check(const faulty_disk& disk, std::size_t stored, const std::string& what) {
  error_code ec;
  const auto found = load(on(disk), ec);
  ASSERT_FALSE(ec) << what << ": " << ec.message();
  std::size_t known = 0;
  std::size_t more = 0;
  for (const auto end : script().ends()) {
    known = end <= stored ? end : known;
    more = more <= stored ? end : more;
  }
  EXPECT_TRUE(found == text_after(script().writes, known) ||
              found == text_after(script().writes, more))
      << what << ", after " << stored << " writes";
}

std::size_t steps_of_all() {
  const faulty_disk disk;
  EXPECT_EQ(run(on(disk)), script().writes.size());
  check(disk, script().writes.size(), "no fault");
  return disk.steps();
}

TEST(log_file_fault_test, the_script_has_every_part_of_a_write) {
  state_write all;
  std::size_t forgotten = 0;
  std::size_t pieces = 0;
  for (const auto& each : script().writes) {
    all.entries += each.entries;
    all.map += each.map;
    all.sessions += each.sessions;
    all.ids += each.ids;
    all.replaces |= each.replaces;
    forgotten += each.forgotten_sessions.size();
    pieces += each.more ? 1 : 0;
  }
  EXPECT_TRUE(all.replaces && !all.entries.empty() && !all.map.empty() && !all.sessions.empty());
  EXPECT_GT(all.ids.size(), 4 * known_ids::row_size) << "more than the file keeps";
  EXPECT_GT(forgotten, 0U);
  EXPECT_GT(pieces, 1U);
  EXPECT_GT(script().writes.back().numbers.start, 0U);
}

TEST(log_file_fault_test, stored_writes_survive_a_power_failure_at_any_step) {
  const auto steps = steps_of_all();
  ASSERT_GT(steps, script().ends().size());
  for (std::size_t step = 1; step <= steps; ++step) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      faulty_disk disk;
      disk.switch_off_at(step);
      const auto stored = run(on(disk));
      disk.switch_on(seed);
      check(disk, stored, "off at step " + std::to_string(step) + ", seed " + std::to_string(seed));
    }
  }
}

TEST(log_file_fault_test, stored_writes_survive_a_crash_at_any_step) {
  const auto steps = steps_of_all();
  for (std::size_t step = 1; step <= steps; ++step) {
    faulty_disk disk;
    disk.switch_off_at(step);
    const auto stored = run(on(disk));
    disk.switch_on();
    check(disk, stored, "ended at step " + std::to_string(step));
  }
}

TEST(log_file_fault_test, a_transaction_that_the_process_does_not_end_leaves_the_state_before) {
  const auto& writes = script().writes;
  std::size_t piece = 0;
  while (!writes[piece].more) {
    ++piece;
  }
  const faulty_disk disk;
  {
    log_file file{on(disk)};
    const auto into = small_history();
    state_numbers numbers;
    ASSERT_FALSE(file.open(*into, log_file_start, numbers));
    std::vector<error_code> results;
    // Pieces of a transaction come in several batches.
    file.write({writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(piece) + 1}, results);
    file.tidy();
    file.write({writes[piece + 1]}, results);
    ASSERT_TRUE(writes[piece + 1].more);
    EXPECT_FALSE(results.at(0));
  }
  error_code ec;
  EXPECT_EQ(load(on(disk), ec), text_after(writes, piece));
  EXPECT_FALSE(ec);
}

TEST(log_file_fault_test, stores_nothing_after_a_failed_write) {
  faulty_disk disk;
  {
    log_file file{on(disk)};
    const auto into = small_history();
    state_numbers numbers;
    ASSERT_FALSE(file.open(*into, log_file_start, numbers));
    std::vector<error_code> results;
    file.write({script().writes[0]}, results);
    ASSERT_FALSE(results.at(0));
    disk.fail_at(disk.steps() + 1);
    file.write({script().writes[1]}, results);
    EXPECT_EQ(results.at(0), storage_errc::store_failed);
    // The disk works again.
    state_write whole;
    whole.replaces = true;
    file.write({whole}, results);
    EXPECT_EQ(results.at(0), storage_errc::store_failed);
  }
  error_code ec;
  const auto found = load(on(disk), ec);
  EXPECT_TRUE(found == text_after(script().writes, 1) || found == text_after(script().writes, 2));
}

TEST(log_file_fault_test, a_full_disk_rejects_writes_until_one_that_replaces_fits) {
  const auto& writes = script().writes;
  faulty_disk disk;
  {
    log_file file{on(disk)};
    const auto into = small_history();
    state_numbers numbers;
    ASSERT_FALSE(file.open(*into, log_file_start, numbers));
    std::vector<error_code> results;
    file.write({writes[0]}, results);
    ASSERT_FALSE(results.at(0));
    disk.limit(disk.content("log").size() + disk.content("log-wal").size() + 60'000);
    auto large = writes[2];
    append_record(large.map, {.number = 3, .key = "large", .value = std::string(200'000, 'c')});
    file.write({writes[1], large, writes[3]}, results);
    ASSERT_EQ(results.size(), 3U);
    EXPECT_FALSE(results[0]) << "there is room for the first";
    EXPECT_EQ(results[1], storage_errc::store_full);
    EXPECT_EQ(results[2], storage_errc::store_full) << "there would be room, and a gap";
    disk.limit(SIZE_MAX);
    file.write({writes[4]}, results);
    EXPECT_EQ(results.at(0), storage_errc::store_full);
    // The last piece of an abandoned copy, then a whole copy in pieces.
    std::vector<state_write> copy{state_write{}};
    auto at = writes.begin();
    while (!at->replaces) {
      ++at;
    }
    copy.insert(copy.end(), at, writes.end());
    file.write(copy, results);
    EXPECT_EQ(results.at(0), storage_errc::store_full);
    for (std::size_t i = 1; i < results.size(); ++i) {
      EXPECT_FALSE(results[i]) << i;
    }
  }
  error_code ec;
  EXPECT_EQ(load(on(disk), ec), text_after(writes, writes.size()));
}

TEST(log_file_fault_test, writes_that_fit_on_a_full_disk_are_found_after_a_restart) {
  const auto& writes = script().writes;
  faulty_disk disk;
  {
    log_file file{on(disk)};
    const auto into = small_history();
    state_numbers numbers;
    ASSERT_FALSE(file.open(*into, log_file_start, numbers));
    disk.limit(disk.content("log").size() + disk.content("log-wal").size() + 60'000);
    auto large = writes[2];
    append_record(large.map, {.number = 3, .key = "large", .value = std::string(200'000, 'c')});
    std::vector<error_code> results;
    file.write({writes[0], writes[1], large}, results);
    EXPECT_FALSE(results.at(1));
    EXPECT_EQ(results.at(2), storage_errc::store_full);
  }
  disk.limit(SIZE_MAX);
  error_code ec;
  EXPECT_EQ(load(on(disk), ec), text_after(writes, 2));
}

TEST(log_file_fault_test, removes_what_the_history_has_forgotten) {
  const zmtp::test::scratch_folder folder;
  const zmtp::sqlite_file_options options{.path = folder.path("log")};
  ASSERT_EQ(run(options), script().writes.size());
  zmtp::sqlite_database file;
  ASSERT_FALSE(file.open(options.path.c_str(), nullptr));
  const auto number_of = [&](const char* sql) {
    std::int64_t found = -1;
    EXPECT_FALSE(file.number_of(sql, found)) << sql;
    return found;
  };
  EXPECT_LE(number_of("SELECT count(*) FROM sessions"), 3);
  EXPECT_LE(number_of("SELECT sum(length(ids)) / 24 FROM ids"), 8);
  EXPECT_EQ(number_of("SELECT count(*) FROM log, numbers WHERE log.last <= start"), 0);
}

TEST(log_file_fault_test, a_full_disk_in_a_transaction_of_pieces_leaves_the_state_before) {
  const auto& writes = script().writes;
  std::size_t piece = 0;
  while (!writes[piece].more) {
    ++piece;
  }
  faulty_disk disk;
  {
    log_file file{on(disk)};
    const auto into = small_history();
    state_numbers numbers;
    ASSERT_FALSE(file.open(*into, log_file_start, numbers));
    std::vector<error_code> results;
    file.write({writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(piece) + 1}, results);
    EXPECT_FALSE(results.back());
    disk.limit(disk.content("log").size() + disk.content("log-wal").size());
    file.write({writes.begin() + static_cast<std::ptrdiff_t>(piece) + 1, writes.end()}, results);
    for (const auto& each : results) {
      EXPECT_EQ(each, storage_errc::store_full);
    }
  }
  error_code ec;
  EXPECT_EQ(load(on(disk), ec), text_after(writes, piece));
}

TEST(log_file_fault_test, a_file_with_altered_missing_or_outdated_rows_is_damaged) {
  const std::vector<const char*> damages{
      "UPDATE map SET record = zeroblob(length(record)) WHERE rowid = (SELECT max(rowid) FROM map)",
      "UPDATE map SET key = x'7a' WHERE rowid = (SELECT max(rowid) FROM map)",
      "DELETE FROM map WHERE rowid = (SELECT min(rowid) FROM map)",
      "DELETE FROM sessions WHERE rowid = (SELECT min(rowid) FROM sessions)",
      "DELETE FROM ids",
      "UPDATE ids SET ids = zeroblob(length(ids))",
      "DELETE FROM log WHERE last = (SELECT min(last) FROM log)",
      "DELETE FROM log WHERE last = (SELECT max(last) FROM log)",
      "UPDATE log SET records = zeroblob(length(records))",
      "DELETE FROM lineage",
      "UPDATE lineage SET reigns = zeroblob(length(reigns))",
      "DELETE FROM numbers",
      "UPDATE numbers SET committed = committed - 1",
      "UPDATE map SET record = (SELECT record FROM map AS o WHERE o.rowid > map.rowid),"
      " crc = (SELECT crc FROM map AS o WHERE o.rowid > map.rowid)"
      " WHERE rowid = (SELECT min(rowid) FROM map)",
  };
  for (const auto* const damage : damages) {
    const zmtp::test::scratch_folder folder;
    const zmtp::sqlite_file_options options{.path = folder.path("log")};
    ASSERT_EQ(run(options), script().writes.size());
    {
      zmtp::sqlite_database file;
      ASSERT_FALSE(file.open(options.path.c_str(), nullptr));
      ASSERT_FALSE(file.execute(damage)) << damage;
    }
    error_code ec;
    (void)load(options, ec);
    EXPECT_EQ(ec, storage_errc::store_damaged) << damage;
  }
}

}  // namespace
}  // namespace chp::test
