#pragma once
// SQLite's handles, closed when they go, and its result codes as errors of this floor.

#include "zmtp/storage/error.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace zmtp {

// Returns store_full, store_in_use, not_a_store, store_damaged, read_failed or store_failed. After read_failed
// of a commit, the transaction may have been written.
[[nodiscard]] boost::system::error_code storage_error_of(int code) noexcept;

class sqlite_database {
public:
  // Opens the file, or makes it. `vfs` is SQLite's name of a file system; null is the usual one.
  [[nodiscard]] boost::system::error_code open(const char* path, const char* vfs);

  [[nodiscard]] boost::system::error_code execute(const char* sql);
  // The first column of the first row; 0 if there is none.
  [[nodiscard]] boost::system::error_code number_of(const char* sql, std::int64_t& value);
  // Undoes what has not been committed, if anything.
  void roll_back();
  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }
  void close() { handle_.reset(); }

private:
  struct closer {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::unique_ptr<sqlite3, closer> handle_;
};

// To be used again and again. Goes before its database.
class sqlite_statement {
public:
  [[nodiscard]] boost::system::error_code prepare(const sqlite_database& in, const char* sql);

  // Of the parameters, from 1. Octets are not copied: they must be there until reset().
  sqlite_statement& bind(int at, std::uint64_t value);
  sqlite_statement& bind(int at, std::span<const std::byte> octets);
  sqlite_statement& bind(int at, std::string_view octets) {
    return bind(at, std::as_bytes(std::span{octets}));
  }
  // True: there is a row. `ec` says whether that is an error.
  [[nodiscard]] bool step(boost::system::error_code& ec);
  // One that has no rows, which is reset afterwards.
  [[nodiscard]] boost::system::error_code run();
  void reset();

  // Of the row, from 0; views hold until the next step or reset.
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] std::span<const std::byte> octets(int column) const;

private:
  struct finalizer {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, finalizer> handle_;
};

}  // namespace zmtp
