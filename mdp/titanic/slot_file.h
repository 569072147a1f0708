#pragma once
// The file of a sqlite_store: slots in tables of SQLite. Calls block, and are made by one thread at a time.

#include "mdp/titanic/disk_reserve.h"
#include "mdp/titanic/request_store.h"
#include "mdp/titanic/slot_rows.h"
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
  // False: a result does not wait for the disk, and a power failure may take what was accepted.
  bool sync = true;
  // Held back for replies and for closing when the disk is full. Nothing is accepted without it.
  std::size_t reserve_octets = 16 * 1024 * 1024;
  // How long to wait with taking the reserve again when there was no room for it.
  std::chrono::milliseconds reserve_retry{1'000};
  // Pages of the log, of 4 KiB, after which its content is moved to its place.
  int log_pages = 2'000;
  // The size of SQLite's page cache.
  int cache_kibibytes = 65'536;
  // SQLite's name of a file system; null is the usual one.
  const char* vfs = nullptr;
  // Returns the date. The store writes it to each outcome, and computes kept_request::age from it.
  std::function<std::chrono::sys_seconds()> clock = [] {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  };
};

// What was found of a damaged file.
struct salvage_report {
  std::uint64_t slots = 0;     // that there should be
  std::uint64_t kept = 0;      // of requests, whole
  std::uint64_t reopened = 0;  // of them, whose outcome is lost: they are carried out again
  std::uint64_t lost = 0;
};

// Numbers are dense, and it says how many there are: a row that is missing is seen, and so is one that was
// altered. A slot that is closed is kept, empty, for the next request.
class slot_file {
public:
  explicit slot_file(sqlite_options options);
  // What was written goes into the main file.
  ~slot_file();

  // Makes the file if there is none; reads and checks everything. By number.
  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  [[nodiscard]] boost::system::error_code open(std::vector<kept_request>& slots);
  // In one transaction with one sync; `results` has one for each, in order. If there is no room for
  // all, what is accepted gives way.
  void carry_out(const std::vector<store_operation>& batch, std::vector<store_result>& results);
  // Moves what is in the log to its place when there is much of it. Between two batches.
  void tidy();

  // Moves the content of the log into the file, and empties the log. Call it between two batches.
  [[nodiscard]] boost::system::error_code empty_log() { return file_.empty_log(); }

  // Calls `take` with each whole slot of a damaged file, by number, then empties the log.
  // Errors: not_a_store, store_version, store_in_use, store_damaged (SQLite cannot read the file),
  // read_failed (the disk or the memory failed: the rows may be whole), and store_full and store_failed of
  // emptying the log.
  [[nodiscard]] boost::system::error_code salvage(std::function<void(whole_slot&&)> take,
                                                  salvage_report& report);

private:
  enum class what_gives_way { nothing, what_is_accepted };

  [[nodiscard]] boost::system::error_code open_file();
  [[nodiscard]] boost::system::error_code transact(const std::vector<store_operation>& batch,
                                                   std::vector<store_result>& results,
                                                   what_gives_way which);
  [[nodiscard]] boost::system::error_code write(const store_operation& one);
  // store_full where there is no room for it.
  [[nodiscard]] boost::system::error_code hold_reserve();
  void read(const store_operation& one, store_result& result);

  sqlite_options options_;
  std::optional<disk_reserve> reserve_;
  zmtp::sqlite_file file_;
  slot_rows rows_;
  std::uint64_t slots_ = 0;
  std::chrono::steady_clock::time_point hold_again_at_{};
  bool failed_ = false;
};

}  // namespace mdp::titanic
