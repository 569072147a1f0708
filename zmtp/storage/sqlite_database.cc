#include "zmtp/storage/sqlite_database.h"

#include <sqlite3.h>

#include <cerrno>

namespace zmtp {

using boost::system::error_code;

namespace {

// Calls a function of SQLite. For EIO on a read, SQLite returns SQLITE_CORRUPT, as for a damaged
// page. Only errno distinguishes the two.
template <class Call>
int code_of(Call&& call) {
  errno = 0;
  const int code = call();
  return (code & 0xff) == SQLITE_CORRUPT && (errno == EIO || errno == ENXIO) ? SQLITE_IOERR_READ
                                                                             : code;
}

}  // namespace

error_code storage_error_of(int code) noexcept {
  switch (code) {
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_CORRUPTFS:  // SQLite's code for EIO on a read
    case SQLITE_IOERR_NOMEM: return storage_errc::read_failed;
  }
  switch (code & 0xff) {
    case SQLITE_NOMEM: return storage_errc::read_failed;
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE: return {};
    case SQLITE_FULL: return storage_errc::store_full;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return storage_errc::store_in_use;
    case SQLITE_NOTADB: return storage_errc::not_a_store;
    case SQLITE_CORRUPT: return storage_errc::store_damaged;
  }
  return storage_errc::store_failed;
}

void sqlite_database::closer::operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }

error_code sqlite_database::open(const char* path, const char* vfs) {
  sqlite3* handle = nullptr;
  const auto code = sqlite3_open_v2(
      path, &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      vfs);
  // The handle must be closed even if the open failed.
  handle_.reset(handle);
  return storage_error_of(code);
}

error_code sqlite_database::execute(const char* sql) {
  return storage_error_of(
      code_of([&] { return sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr); }));
}

error_code sqlite_database::number_of(const char* sql, std::int64_t& value) {
  sqlite_statement asked;
  if (const auto ec = asked.prepare(*this, sql)) {
    return ec;
  }
  error_code ec;
  value = asked.step(ec) ? static_cast<std::int64_t>(asked.number(0)) : 0;
  return ec;
}

void sqlite_database::roll_back() {
  // Some errors have already rolled the transaction back.
  if (sqlite3_get_autocommit(handle()) == 0) {
    static_cast<void>(execute("ROLLBACK"));
  }
}

void sqlite_statement::finalizer::operator()(sqlite3_stmt* handle) const noexcept {
  sqlite3_finalize(handle);
}

error_code sqlite_statement::prepare(const sqlite_database& in, const char* sql) {
  sqlite3_stmt* handle = nullptr;
  const auto code = code_of([&] {
    return sqlite3_prepare_v3(in.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  });
  handle_.reset(handle);
  return storage_error_of(code);
}

sqlite_statement& sqlite_statement::bind(int at, std::uint64_t value) {
  sqlite3_bind_int64(handle_.get(), at, static_cast<sqlite3_int64>(value));
  return *this;
}

sqlite_statement& sqlite_statement::bind(int at, std::span<const std::byte> bytes) {
  // A null pointer would bind NULL.
  const void* const data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
  sqlite3_bind_blob64(handle_.get(), at, data, bytes.size(), SQLITE_STATIC);
  return *this;
}

bool sqlite_statement::step(error_code& ec) {
  const auto code = code_of([&] { return sqlite3_step(handle_.get()); });
  ec = storage_error_of(code);
  return code == SQLITE_ROW;
}

error_code sqlite_statement::run() {
  const auto code = code_of([&] { return sqlite3_step(handle_.get()); });
  reset();
  return storage_error_of(code);
}

void sqlite_statement::reset() { sqlite3_reset(handle_.get()); }

std::uint64_t sqlite_statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_.get(), column));
}

std::span<const std::byte> sqlite_statement::bytes(int column) const {
  const auto* const data =
      static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

}  // namespace zmtp
