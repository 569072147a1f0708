#pragma once
// An SQLite file with durable commits, and checksums of its rows.

#include "zmtp/storage/sqlite_database.h"

#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// A checksum of the columns of a row, which detects that a row is not as it was written. Each
// column has its size before it, so that different rows cannot have the same bytes.
class row_checksum {
public:
  explicit row_checksum(char table) { crc_.process_byte(static_cast<unsigned char>(table)); }

  row_checksum& operator<<(std::uint64_t value) {
    boost::endian::native_to_little_inplace(value);
    crc_.process_bytes(&value, sizeof value);
    return *this;
  }
  row_checksum& operator<<(std::span<const std::byte> bytes) {
    *this << std::uint64_t{bytes.size()};
    crc_.process_bytes(bytes.data(), bytes.size());
    return *this;
  }
  row_checksum& operator<<(std::string_view bytes) {
    return *this << std::as_bytes(std::span{bytes});
  }
  [[nodiscard]] std::uint64_t value() const { return crc_.checksum(); }

private:
  boost::crc_32_type crc_;
};

struct sqlite_file_options {
  std::string path;
  // If false, a commit does not wait for the disk, and a power failure may undo it.
  bool sync = true;
  // Pages of 4 KiB in the log after which tidy() checkpoints it.
  int log_pages = 2'000;
  // The size of SQLite's page cache.
  int cache_kibibytes = 65'536;
  // SQLite's name of a file system; null selects the default.
  const char* vfs = nullptr;
};

// The format of a file, so that a file of another format is rejected.
struct sqlite_format {
  std::int64_t application = 0;  // shown by file(1)
  std::int64_t version = 1;
  std::string tables{};  // the SQL that creates the tables
  // The SQL of each upgrade to the next version; the last one is to `version`. open() rejects files
  // that are older than the first one.
  std::vector<std::string> upgrades{};
  // Runs after `upgrades`, in the same transaction. Null: nothing.
  std::function<boost::system::error_code()> convert{};
};

// No other process can open the file meanwhile. Checkpoints of the log run between commits, not
// inside them, so that their errors are reported.
class sqlite_file {
public:
  sqlite_file() = default;
  sqlite_file(const sqlite_file&) = delete;
  sqlite_file& operator=(const sqlite_file&) = delete;

  // Creates the file if it does not exist. Never writes to a file that is not a store. Call once.
  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  [[nodiscard]] boost::system::error_code open(const sqlite_file_options& options,
                                               const sqlite_format& of);

  [[nodiscard]] boost::system::error_code begin() { return begin_.run(); }
  // The transaction is durable when this function returns without an error.
  [[nodiscard]] boost::system::error_code commit() { return commit_.run(); }
  // Rolls back an open transaction, if there is one.
  void roll_back() { database_.roll_back(); }

  // Checkpoints the log if it is long. Call between two transactions.
  [[nodiscard]] boost::system::error_code tidy();
  // Checkpoints the whole log and truncates it.
  [[nodiscard]] boost::system::error_code empty_log();

  [[nodiscard]] sqlite_database& database() noexcept { return database_; }

private:
  [[nodiscard]] boost::system::error_code move_log(int how);
  // Runs `sql` and `convert`, and sets the version, in one transaction.
  [[nodiscard]] boost::system::error_code change_tables(
      const std::string& sql, const std::function<boost::system::error_code()>& convert,
      const sqlite_format& to);

  sqlite_database database_;
  sqlite_statement begin_;
  sqlite_statement commit_;
  int most_log_pages_ = 0;
  int log_pages_ = 0;
};

}  // namespace zmtp
