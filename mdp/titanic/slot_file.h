#pragma once
// The file of a sqlite_request_database: slots in tables of SQLite. All calls block.

#include "mdp/titanic/disk_reserve.h"
#include "mdp/titanic/request_database.h"
#include "mdp/titanic/slot_rows.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/storage/sqlite_file.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mdp::titanic {

struct sqlite_options {
  std::string path;
  // False: a result does not wait for the disk, and a power failure may lose accepted requests.
  bool sync = true;
  // Bytes reserved for replies and for closing when the disk is full. Without the reserve, no
  // request is accepted.
  std::size_t reserve_bytes = 16 * 1024 * 1024;
  // Pause before the next try to reserve the space on a full disk.
  std::chrono::milliseconds reserve_retry{1'000};
  // Number of pages in the log, of 4 KiB, after which tidy() moves its content into the file.
  int log_pages = 2'000;
  // Size of SQLite's page cache.
  int cache_kibibytes = 65'536;
  // Name of SQLite's file system; null is the default one.
  const char* vfs = nullptr;
  // Returns the date. The store writes it to each outcome, and computes stored_request::age from it.
  // Absent: the wall clock.
  std::function<std::chrono::sys_seconds()> clock = {};
};

// The result of a salvage.
struct salvage_report {
  std::uint64_t slots = 0;     // expected number
  std::uint64_t kept = 0;      // readable requests
  std::uint64_t reopened = 0;  // kept requests without a readable outcome; executed again
  std::uint64_t lost = 0;
};

// Stores requests in slots with dense numbers. The file has their count, so a missing row is
// detected. A checksum in each row detects changes. The slot of a closed request stays, empty, for
// the next request.
//
// Thread safety: not safe; one thread at a time.
class slot_file {
public:
  explicit slot_file(sqlite_options options, const zmtp::runtime& of = zmtp::runtime::system());
  // Moves the content of the log into the file.
  ~slot_file();

  // Opens or creates the file, and reads and checks all rows. `slots` are in the order of their
  // numbers.
  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  [[nodiscard]] boost::system::error_code open(std::vector<stored_request>& slots);
  // Carries out the batch in one transaction with one sync. `results` has one entry for each
  // operation, in order. If the disk is too full for the batch, requests are rejected first.
  void carry_out(const std::vector<store_operation>& batch, std::vector<store_result>& results);
  // Moves the content of a long log into the file. Call it between two batches.
  void tidy();

  // Moves the content of the log into the file, and empties the log. Call it between two batches.
  [[nodiscard]] boost::system::error_code empty_log() { return file_.empty_log(); }

  // Calls `take` with each readable slot of a damaged file, by number, then empties the log.
  // Errors:
  // - not_a_store, store_version, store_in_use.
  // - store_damaged: SQLite cannot read the file.
  // - read_failed: the disk or the memory failed, so the rows may be intact.
  // - store_full, store_failed: the log could not be emptied.
  [[nodiscard]] boost::system::error_code salvage(std::function<void(whole_slot&&)> take,
                                                  salvage_report& report);

private:
  enum class what_gives_way { nothing, what_is_accepted };

  [[nodiscard]] std::chrono::sys_seconds date() const;
  [[nodiscard]] boost::system::error_code open_file();
  [[nodiscard]] boost::system::error_code transact(const std::vector<store_operation>& batch,
                                                   std::vector<store_result>& results,
                                                   what_gives_way which);
  [[nodiscard]] boost::system::error_code write(const store_operation& one);
  // Returns store_full if the disk is too full for the reserve.
  [[nodiscard]] boost::system::error_code hold_reserve();
  void read(const store_operation& one, store_result& result);

  sqlite_options options_;
  const zmtp::runtime& runtime_;
  std::optional<disk_reserve> reserve_;
  zmtp::sqlite_file file_;
  slot_rows rows_;
  std::uint64_t slots_ = 0;
  std::chrono::steady_clock::time_point hold_again_at_{};
  bool failed_ = false;
};

}  // namespace mdp::titanic
