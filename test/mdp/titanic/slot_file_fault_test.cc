// An operation that returned no error is stored, whatever the disk does afterwards. Lost and altered data is
// detected.

#include "mdp/titanic/slot_file.h"
#include "test/zmtp/storage/faulty_disk.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace mdp::titanic {
namespace {

constexpr auto path = "store";

request_id id_of(std::uint64_t number) {
  request_id id;
  id.bytes[0] = static_cast<std::uint8_t>(number);
  id.bytes[1] = static_cast<std::uint8_t>(number / 256);
  id.bytes[15] = 1;
  return id;
}
zmtp::message request_of(std::uint64_t number) {
  return {"request " + std::to_string(number), "", std::string(number * 700 % 6000, 'q')};
}
zmtp::message reply_of(std::uint64_t number) {
  return {"reply " + std::to_string(number), std::string(number * 900 % 7000, 'p')};
}

store_operation accept_of(std::uint64_t number, std::uint64_t accepted) {
  return {.what = operation::accept,
          .ticket = accepted,
          .number = number,
          .accepted = accepted,
          .id = id_of(accepted),
          .service = "echo",
          .body = request_of(accepted)};
}
store_operation answer_of(std::uint64_t number, std::uint64_t accepted) {
  return {.what = operation::answer,
          .ticket = accepted,
          .number = number,
          .id = id_of(accepted),
          .attempts = 1,
          .body = reply_of(accepted)};
}
store_operation close_of(std::uint64_t number, std::uint64_t accepted) {
  return {.what = operation::close, .ticket = accepted, .number = number};
}

// The required state of a request, by its place in the order of acceptance, and its possible states.
struct truth {
  struct one {
    std::uint64_t number = 0;
    bool accepted = false;
    bool answered = false;
    bool closed = false;
    bool answer_tried = false;
    bool close_tried = false;
  };
  std::map<std::uint64_t, one> requests;

  void note(const store_operation& what, bool stored) {
    auto& r = requests[what.ticket];
    r.number = what.number;
    r.accepted |= what.what == operation::accept && stored;
    r.answered |= what.what == operation::answer && stored;
    r.answer_tried |= what.what == operation::answer;
    r.closed |= what.what == operation::close && stored;
    r.close_tried |= what.what == operation::close;
  }
};

sqlite_options on(const zmtp::test::faulty_disk& disk, std::size_t reserve = 0) {
  return {.path = path,
          .reserve_bytes = reserve,
          .reserve_retry = std::chrono::milliseconds{0},
          .log_pages = 6,  // so that it is emptied again and again
          .vfs = disk.name()};
}

const std::vector<std::vector<store_operation>>& script() {
  static const std::vector<std::vector<store_operation>> all{
      {accept_of(1, 1)},
      {accept_of(2, 2), accept_of(3, 3)},
      {answer_of(1, 1), accept_of(4, 4)},
      {close_of(2, 2)},
      {accept_of(2, 5), answer_of(3, 3)},
      {close_of(1, 1), close_of(3, 3), answer_of(2, 5)},
      {accept_of(1, 6), accept_of(3, 7), accept_of(7, 8)},
      {answer_of(1, 6), close_of(4, 4)},
  };
  return all;
}

// Carries out the script, whatever fails. Records the stored operations in `kept`.
void run(const zmtp::test::faulty_disk& disk, truth& kept) {
  slot_file file{on(disk)};
  std::vector<stored_request> slots;
  if (file.open(slots)) {
    return;
  }
  std::vector<store_result> results;
  for (const auto& batch : script()) {
    file.carry_out(batch, results);
    ASSERT_EQ(results.size(), batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      kept.note(batch[i], !results[i].ec);
    }
    file.tidy();
  }
}

zmtp::message read(slot_file& file, operation what, std::uint64_t number) {
  std::vector<store_result> results;
  file.carry_out({{.what = what, .number = number}}, results);
  return results[0].ec ? zmtp::message{results[0].ec.message()} : results[0].body;
}

// Opens it as after a start.
void check(const zmtp::test::faulty_disk& disk, const truth& kept, const std::string& what) {
  slot_file file{on(disk)};
  std::vector<stored_request> slots;
  ASSERT_FALSE(file.open(slots)) << what << ": it does not start";
  std::map<std::uint64_t, stored_request> found;
  for (const auto& one : slots) {
    if (one.accepted != 0) {
      found.emplace(one.accepted, one);
    }
  }
  for (const auto& [accepted, r] : kept.requests) {
    const auto there = found.find(accepted);
    if (there == found.end()) {
      EXPECT_TRUE(!r.accepted || r.close_tried) << what << ": request " << accepted << " is lost";
      continue;
    }
    EXPECT_FALSE(r.closed) << what << ": request " << accepted << " has come back";
    const auto& one = there->second;
    EXPECT_EQ(one.number, r.number) << what;
    EXPECT_EQ(one.id, id_of(accepted)) << what;
    EXPECT_EQ(one.service, "echo") << what;
    EXPECT_EQ(read(file, operation::read_request, r.number), request_of(accepted)) << what;
    if (one.state == outcome::answered) {
      EXPECT_TRUE(r.answer_tried) << what;
      EXPECT_EQ(read(file, operation::read_reply, r.number), reply_of(accepted)) << what;
    } else {
      EXPECT_FALSE(r.answered) << what << ": the reply of " << accepted << " is lost";
    }
  }
}

std::size_t steps_of_the_script() {
  const zmtp::test::faulty_disk disk;
  truth kept;
  run(disk, kept);
  check(disk, kept, "without faults");
  return disk.steps();
}

TEST(slot_file_faults, stored_requests_survive_a_power_failure_at_any_step) {  // TSP-2
  const auto steps = steps_of_the_script();
  EXPECT_GT(steps, 50U);
  for (std::size_t at = 1; at <= steps; ++at) {
    // Each seed loses and tears other data.
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      zmtp::test::faulty_disk disk;
      disk.switch_off_at(at);
      truth kept;
      run(disk, kept);
      disk.switch_on(at * 100 + seed);
      check(disk, kept, "off at " + std::to_string(at) + ", seed " + std::to_string(seed));
    }
  }
}

TEST(slot_file_faults, a_failed_step_does_not_count_as_stored) {  // TSP-14
  const auto steps = steps_of_the_script();
  std::size_t noticed = 0;
  for (std::size_t at = 1; at <= steps; ++at) {
    zmtp::test::faulty_disk disk;
    disk.fail_at(at);
    truth kept;
    run(disk, kept);
    noticed += std::any_of(kept.requests.begin(), kept.requests.end(),
                           [](const auto& r) { return !r.second.accepted; });
    // The kernel loses data that it has not written, too.
    disk.switch_on(at);
    check(disk, kept, "step " + std::to_string(at) + " failed");
  }
  EXPECT_GT(noticed, steps / 4);
}

TEST(slot_file_faults, a_failed_write_ends_writing_but_not_reading) {
  zmtp::test::faulty_disk disk;
  slot_file file{on(disk)};
  std::vector<stored_request> slots;
  ASSERT_FALSE(file.open(slots));
  std::vector<store_result> results;
  file.carry_out({accept_of(1, 1)}, results);
  ASSERT_FALSE(results[0].ec);
  disk.fail_at(disk.steps() + 1);
  file.carry_out({accept_of(2, 2)}, results);
  EXPECT_EQ(results[0].ec, zmtp::storage_errc::store_failed);
  for (const auto& one : {accept_of(3, 3), answer_of(1, 1), close_of(1, 1)}) {
    file.carry_out({one}, results);
    EXPECT_EQ(results[0].ec, zmtp::storage_errc::store_failed)
        << "the disk is well again, but was not trusted";
  }
  EXPECT_EQ(read(file, operation::read_request, 1), request_of(1));
}

// SQLite's codes for EIO, which depend on the system, and for a lack of memory.
constexpr int codes_of_reading[] = {SQLITE_IOERR_READ, SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_NOMEM};

// Options with which SQLite reads each page from the disk again.
sqlite_options without_cache(const zmtp::test::faulty_disk& disk) {
  auto options = on(disk);
  options.cache_kibibytes = 4;
  return options;
}

// Returns the reads of all requests and replies in the store.
std::vector<store_operation> reads_of(const truth& kept) {
  std::vector<store_operation> all;
  for (const auto& [accepted, r] : kept.requests) {
    if (!r.closed) {
      all.push_back({.what = operation::read_request, .ticket = accepted, .number = r.number});
    }
    if (!r.closed && r.answered) {
      all.push_back({.what = operation::read_reply, .ticket = accepted, .number = r.number});
    }
  }
  return all;
}

TEST(slot_file_faults, a_failed_read_is_not_damage) {
  zmtp::test::faulty_disk disk;
  truth kept;
  run(disk, kept);
  const auto all = reads_of(kept);
  // The n-th read fails, for all n.
  for (const auto code : codes_of_reading) {
    std::size_t not_opened = 0;
    std::size_t not_read = 0;
    for (std::size_t n = 1;; ++n) {
      const auto failing = disk.reads() + n;
      disk.fail_reads(failing, failing + 1, code);
      slot_file file{without_cache(disk)};
      std::vector<stored_request> slots;
      if (const auto ec = file.open(slots)) {
        EXPECT_EQ(ec, zmtp::storage_errc::read_failed) << "read " << n << ": " << ec.message();
        ++not_opened;
        continue;
      }
      for (const auto& one : all) {
        std::vector<store_result> results;
        file.carry_out({one}, results);
        if (results[0].ec) {
          EXPECT_EQ(results[0].ec, zmtp::storage_errc::read_failed) << "read " << n;
          ++not_read;
          file.carry_out({one}, results);
        }
        EXPECT_EQ(results[0].body,
                  one.what == operation::read_reply ? reply_of(one.ticket) : request_of(one.ticket))
            << "read " << n;
      }
      if (disk.reads() < failing) {
        break;
      }
    }
    EXPECT_GT(not_opened, 5U);
    EXPECT_GT(not_read, 5U);
  }
  disk.fail_reads(SIZE_MAX, SIZE_MAX, 0);
  check(disk, kept, "after all of it");
}

TEST(slot_file_faults, a_write_can_be_repeated_after_a_failed_read) {
  for (const auto code : codes_of_reading) {
    std::size_t again = 0;
    for (std::size_t n = 1;; ++n) {
      zmtp::test::faulty_disk disk;
      truth kept;
      std::size_t failing = 0;
      {
        slot_file file{without_cache(disk)};
        std::vector<stored_request> slots;
        ASSERT_FALSE(file.open(slots));
        failing = disk.reads() + n;
        disk.fail_reads(failing, failing + 1, code);
        for (const auto& batch : script()) {
          std::vector<store_result> results;
          file.carry_out(batch, results);
          if (results[0].ec == zmtp::storage_errc::read_failed) {
            ++again;
            file.carry_out(batch, results);
          }
          for (std::size_t i = 0; i < batch.size(); ++i) {
            // A commit that failed may have been written.
            EXPECT_TRUE(!results[i].ec || results[i].ec == zmtp::storage_errc::store_failed)
                << "read " << n << ": " << results[i].ec.message();
            kept.note(batch[i], !results[i].ec);
          }
          file.tidy();
        }
      }
      const auto enough = disk.reads() < failing;
      disk.fail_reads(SIZE_MAX, SIZE_MAX, 0);
      check(disk, kept, "read " + std::to_string(n));
      if (enough) {
        break;
      }
    }
    EXPECT_GT(again, 3U);
  }
}

TEST(slot_file_faults, a_full_disk_refuses_requests_and_takes_replies_and_closing) {  // TSP-14
  constexpr std::size_t reserve = 512 * 1024;
  zmtp::test::faulty_disk disk;
  slot_file file{on(disk, reserve)};
  std::vector<stored_request> slots;
  ASSERT_FALSE(file.open(slots));
  disk.limit(1024 * 1024);
  truth kept;
  std::vector<store_result> results;
  std::uint64_t count = 0;
  do {
    ++count;
    file.carry_out({accept_of(count, count)}, results);
    kept.note(accept_of(count, count), !results[0].ec);
    file.tidy();
    ASSERT_LT(count, 1000U);
  } while (!results[0].ec);
  EXPECT_GT(count, 20U);
  EXPECT_EQ(results[0].ec, zmtp::storage_errc::store_full);
  // With one in the same batch that is refused, unless the log has given back enough for it.
  for (std::uint64_t number = 1; number <= 10; ++number) {
    const auto accepts = accept_of(count, count);
    file.carry_out({accepts, answer_of(number, number)}, results);
    EXPECT_TRUE(!results[0].ec || results[0].ec == zmtp::storage_errc::store_full);
    kept.note(accepts, !results[0].ec);
    count += results[0].ec ? 0 : 1;
    EXPECT_FALSE(results[1].ec);
    kept.note(answer_of(number, number), true);
    EXPECT_EQ(read(file, operation::read_reply, number), reply_of(number));
    file.tidy();
  }
  // Closed requests make room again.
  for (std::uint64_t number = 11; number < count; ++number) {
    file.carry_out({close_of(number, number)}, results);
    EXPECT_FALSE(results[0].ec);
    kept.note(close_of(number, number), true);
    file.tidy();
  }
  disk.limit(2 * 1024 * 1024);
  file.carry_out({accept_of(11, 6000)}, results);
  EXPECT_FALSE(results[0].ec);
  kept.note(accept_of(11, 6000), true);
}

TEST(slot_file_faults, detects_altered_slots_and_salvages_the_rest) {
  zmtp::test::faulty_disk whole;
  truth kept;
  run(whole, kept);
  const auto bytes = whole.content(path);
  std::mt19937_64 random{4711};
  std::size_t seen = 0;
  std::size_t salvaged = 0;
  std::size_t reopened = 0;
  for (int i = 0; i < 1000; ++i) {
    zmtp::test::faulty_disk disk;
    {
      // Creates the file.
      slot_file made{on(disk)};
      std::vector<stored_request> slots;
      ASSERT_FALSE(made.open(slots));
    }
    disk.content(path) = bytes;
    const auto bit = random() % (bytes.size() * 8);
    disk.content(path)[bit / 8] ^= std::byte{1} << (bit % 8);
    slot_file file{on(disk)};
    std::vector<stored_request> slots;
    if (!file.open(slots)) {
      // The altered bit had no effect.
      check(disk, kept, "bit " + std::to_string(bit));
      continue;
    }
    ++seen;
    slot_file damaged{on(disk)};
    salvage_report report;
    std::set<std::uint64_t> found;
    static_cast<void>(damaged.salvage(
        [&](whole_slot&& one) {
          const auto accepted = one.about.accepted;
          ASSERT_TRUE(kept.requests.contains(accepted));
          EXPECT_FALSE(kept.requests.at(accepted).closed);
          EXPECT_EQ(one.about.id, id_of(accepted));
          EXPECT_EQ(one.request, request_of(accepted));
          if (one.about.state == outcome::answered) {
            EXPECT_EQ(one.reply, reply_of(accepted));
          }
          EXPECT_TRUE(found.insert(accepted).second);
        },
        report));
    EXPECT_EQ(found.size(), report.kept);
    salvaged += found.size();
    reopened += report.reopened;
  }
  EXPECT_GT(seen, 300U);
  // Four are there, and one bit does not cost them all.
  EXPECT_GT(salvaged, 2 * seen);
  EXPECT_GT(reopened, 0U);
}

TEST(slot_file_faults, salvage_does_not_drop_rows_after_a_failed_read) {
  zmtp::test::faulty_disk disk;
  truth kept;
  run(disk, kept);
  const auto salvage = [&](std::size_t& found) {
    slot_file damaged{without_cache(disk)};
    salvage_report report;
    found = 0;
    const auto ec = damaged.salvage([&](whole_slot&&) { ++found; }, report);
    EXPECT_EQ(report.lost + report.reopened, 0U) << "it is whole";
    return ec;
  };
  std::size_t all = 0;
  const auto before = disk.reads();
  ASSERT_FALSE(salvage(all));
  const auto reads = disk.reads() - before;
  EXPECT_GT(all, 2U);
  for (const auto code : codes_of_reading) {
    for (std::size_t n = 1; n <= reads; ++n) {
      disk.fail_reads(disk.reads() + n, disk.reads() + n + 1, code);
      std::size_t found = 0;
      if (const auto ec = salvage(found)) {
        EXPECT_EQ(ec, zmtp::storage_errc::read_failed) << "read " << n;
      } else {
        EXPECT_EQ(found, all) << "read " << n;
      }
    }
  }
}

}  // namespace
}  // namespace mdp::titanic
