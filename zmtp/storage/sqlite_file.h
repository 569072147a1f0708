#pragma once
// A file of SQLite in which what is committed lasts: a write-ahead log, and a full sync for each commit.
// Calls block, and are made by one thread at a time.

#include "zmtp/storage/sqlite_database.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <string>

namespace zmtp {

struct sqlite_file_options {
  std::string path;
  // False: a commit does not wait for the disk, and a power failure may take it.
  bool sync = true;
  // Pages of the log, of 4 KiB, after which its content is moved to its place.
  int log_pages = 2'000;
  // The size of SQLite's page cache.
  int cache_kibibytes = 65'536;
  // SQLite's name of a file system; null is the usual one.
  const char* vfs = nullptr;
};

// What is in a file, so that none is taken for another.
struct sqlite_format {
  std::int64_t application = 0;  // which file(1) can show
  std::int64_t version = 1;
  std::string tables{};  // the SQL by which they are made
  // The SQL that changes a file of `version` - 1 to `version`. Empty: open() refuses such a file.
  std::string upgrade{};
};

// No other process can open it meanwhile. The log is emptied between commits, not in the midst of one, and
// what goes wrong then is seen.
class sqlite_file {
public:
  sqlite_file() = default;
  sqlite_file(const sqlite_file&) = delete;
  sqlite_file& operator=(const sqlite_file&) = delete;

  // Makes the file if there is none; writes nothing to one that is something else. Once.
  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  [[nodiscard]] boost::system::error_code open(const sqlite_file_options& options,
                                               const sqlite_format& of);

  [[nodiscard]] boost::system::error_code begin() { return begin_.run(); }
  // It lasts when this returns without an error.
  [[nodiscard]] boost::system::error_code commit() { return commit_.run(); }
  // Undoes what has not been committed, if anything.
  void roll_back() { database_.roll_back(); }

  // Moves what is in the log to its place when there is much of it. Between two transactions.
  [[nodiscard]] boost::system::error_code tidy();
  // Moves all of it, and gives the space back.
  [[nodiscard]] boost::system::error_code empty_log();

  [[nodiscard]] sqlite_database& database() noexcept { return database_; }

private:
  [[nodiscard]] boost::system::error_code move_log(int how);
  // Runs `sql` and sets the version, in one transaction.
  [[nodiscard]] boost::system::error_code change_tables(const std::string& sql,
                                                        const sqlite_format& to);

  sqlite_database database_;
  sqlite_statement begin_;
  sqlite_statement commit_;
  int most_log_pages_ = 0;
  int log_pages_ = 0;
};

}  // namespace zmtp
