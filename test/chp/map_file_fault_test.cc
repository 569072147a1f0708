// A write that returned no error is stored, whatever the disk does afterwards. A write is never stored
// partially.

#include "chp/map_file.h"
#include "test/chp/memory_map_database.h"
#include "test/chp/stored_map_of.h"
#include "test/zmtp/storage/faulty_disk.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace chp {
namespace {

using boost::system::error_code;
using zmtp::test::faulty_disk;

map_file_options on(const faulty_disk& disk) {
  // So that the log is emptied, and ids are packed, again and again.
  return {.file = {.path = "map", .log_pages = 6, .vfs = disk.name()}, .applied_bytes = 48};
}

const std::vector<std::vector<map_change>>& script() {
  static const std::vector<std::vector<map_change>> all{
      {set_of("a", std::string(3'000, 'a'), 1)},
      {set_of("b", "1", 2), set_of("c", "1", 3, std::chrono::milliseconds{700})},
      {erase_of("a", 4), set_of("b", std::string(9'000, 'b'), 5), server_record_of("one")},
      {note_of(6, update_id::of_random(5, 6))},
      {{.what = map_operation::clear}, set_of("d", "1", 3), set_of("e", "", 40)},
      {set_of("d", std::string(6'000, 'd'), 41), erase_of("e", 42)},
      {note_of(make_sequence(3, 0)), server_record_of("two"),
       set_of("f", "1", make_sequence(3, 1))},
      {set_of("g", std::string(2'000, 'g'), make_sequence(3, 2))},
  };
  return all;
}

// Returns the stored map after this number of writes.
stored_map after(std::size_t writes) {
  memory_map_database::contents all;
  for (std::size_t i = 0; i < writes; ++i) {
    for (const auto& change : script()[i]) {
      all.apply(change);
    }
  }
  return all.all();
}

// Does it all, whatever fails. Returns how many writes there were before the first that failed.
std::size_t run(const faulty_disk& disk) {
  map_file file{on(disk)};
  stored_map nothing;
  if (file.open(nothing)) {
    return 0;
  }
  std::size_t stored = 0;
  std::vector<error_code> results;
  for (const auto& one : script()) {
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

// The file may contain one write more than the program knows.
void check(const faulty_disk& disk, std::size_t stored, const std::string& what) {
  map_file file{on(disk)};
  stored_map found;
  const auto ec = file.open(found);
  ASSERT_FALSE(ec) << what << ": " << ec.message();
  EXPECT_TRUE(is_same(found, after(stored)) ||
              (stored < script().size() && is_same(found, after(stored + 1))))
      << what << ": " << found.number << " and " << found.entries.size() << " keys after " << stored
      << " writes";
}

std::size_t steps_of_all() {
  const faulty_disk disk;
  EXPECT_EQ(run(disk), script().size());
  return disk.steps();
}

TEST(map_file_fault_test, stored_changes_survive_a_power_failure_at_any_step) {
  const auto steps = steps_of_all();
  ASSERT_GT(steps, script().size());
  for (std::size_t step = 1; step <= steps; ++step) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      faulty_disk disk;
      disk.switch_off_at(step);
      const auto stored = run(disk);
      disk.switch_on(seed);
      check(disk, stored, "off at step " + std::to_string(step) + ", seed " + std::to_string(seed));
    }
  }
}

TEST(map_file_fault_test, stored_changes_survive_a_crash_at_any_step) {
  const auto steps = steps_of_all();
  for (std::size_t step = 1; step <= steps; ++step) {
    faulty_disk disk;
    disk.switch_off_at(step);
    const auto stored = run(disk);
    disk.switch_on();
    check(disk, stored, "ended at step " + std::to_string(step));
  }
}

TEST(map_file_fault_test, stores_nothing_after_a_failed_write) {
  faulty_disk disk;
  map_file file{on(disk)};
  stored_map nothing;
  ASSERT_FALSE(file.open(nothing));
  std::vector<error_code> results;
  file.write({{set_of("a", "1", 1)}}, results);
  ASSERT_FALSE(results.at(0));
  disk.fail_at(disk.steps() + 1);
  file.write({{set_of("b", "1", 2)}}, results);
  EXPECT_EQ(results.at(0), zmtp::storage_errc::store_failed);
  file.write({{{.what = map_operation::clear}, set_of("c", "1", 3)}}, results);
  EXPECT_EQ(results.at(0), zmtp::storage_errc::store_failed) << "the disk is well again";
}

TEST(map_file_fault_test, a_full_disk_refuses_until_there_is_room_for_a_whole_map) {
  faulty_disk disk;
  {
    map_file file{on(disk)};
    stored_map nothing;
    ASSERT_FALSE(file.open(nothing));
    std::vector<error_code> results;
    file.write({{set_of("a", "1", 1)}}, results);
    ASSERT_FALSE(results.at(0));
    disk.limit(disk.content("map").size() + disk.content("map-wal").size() + 60'000);
    file.write(
        {{set_of("b", "2", 2)}, {set_of("c", std::string(200'000, 'c'), 3)}, {set_of("d", "4", 4)}},
        results);
    ASSERT_EQ(results.size(), 3U);
    EXPECT_FALSE(results[0]) << "there is room for the first";
    EXPECT_EQ(results[1], zmtp::storage_errc::store_full);
    EXPECT_EQ(results[2], zmtp::storage_errc::store_full) << "there would be room, and a hole";
    disk.limit(SIZE_MAX);
    file.write({{set_of("e", "5", 5)}}, results);
    EXPECT_EQ(results.at(0), zmtp::storage_errc::store_full);
    file.write({{{.what = map_operation::clear}, set_of("f", "6", 6)}, {set_of("g", "7", 7)}},
               results);
    EXPECT_FALSE(results.at(0));
    EXPECT_FALSE(results.at(1));
  }
  map_file file{on(disk)};
  stored_map found;
  ASSERT_FALSE(file.open(found));
  ASSERT_EQ(found.entries.size(), 2U);
  EXPECT_EQ(found.number, 7U);
}

}  // namespace
}  // namespace chp
