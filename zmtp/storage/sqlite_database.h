#pragma once
// SQLite's handles, which close themselves, and its result codes as storage_errc.

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

// Returns store_full, store_in_use, not_a_store, store_damaged, read_failed or store_failed. After
// read_failed of a commit, the transaction may have been written.
[[nodiscard]] boost::system::error_code storage_error_of(int code) noexcept;

class sqlite_database {
public:
  // Opens or creates the file. `vfs` is SQLite's name of a file system; null selects the default.
  [[nodiscard]] boost::system::error_code open(const char* path, const char* vfs);

  [[nodiscard]] boost::system::error_code execute(const char* sql);
  // Returns the first column of the first row in `value`, or 0 without rows.
  [[nodiscard]] boost::system::error_code number_of(const char* sql, std::int64_t& value);
  // Rolls back an open transaction, if there is one.
  void roll_back();
  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }
  void close() { handle_.reset(); }

private:
  struct closer {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::unique_ptr<sqlite3, closer> handle_;
};

// A reusable statement. Must be destroyed before its database.
class sqlite_statement {
public:
  [[nodiscard]] boost::system::error_code prepare(const sqlite_database& in, const char* sql);

  // Binds a parameter, counted from 1. Bytes are not copied and must live until reset().
  sqlite_statement& bind(int at, std::uint64_t value);
  sqlite_statement& bind(int at, std::span<const std::byte> bytes);
  sqlite_statement& bind(int at, std::string_view bytes) {
    return bind(at, std::as_bytes(std::span{bytes}));
  }
  // Returns true if there is a row. Otherwise `ec` is set if an error occurred.
  [[nodiscard]] bool step(boost::system::error_code& ec);
  // Runs a statement without rows, and resets it.
  [[nodiscard]] boost::system::error_code run();
  void reset();

  // A column of the current row, counted from 0. Views are valid until the next step() or reset().
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] std::span<const std::byte> bytes(int column) const;
  [[nodiscard]] std::string_view text(int column) const {
    const auto all = bytes(column);
    return {reinterpret_cast<const char*>(all.data()), all.size()};
  }

private:
  struct finalizer {
    void operator()(sqlite3_stmt* handle) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, finalizer> handle_;
};

}  // namespace zmtp
