#include "zmtp/storage/sqlite_file.h"

#include "zmtp/storage/error.h"

#include <sqlite3.h>

#include <numeric>

namespace zmtp {

using boost::system::error_code;

error_code sqlite_file::open(const sqlite_file_options& options, const sqlite_format& of) {
  most_log_pages_ = options.log_pages;
  if (const auto ec = database_.open(options.path.c_str(), options.vfs)) {
    return ec;
  }
  // Nothing is written before the file is known to be a store.
  std::int64_t tables = 0;
  std::int64_t id = 0;
  std::int64_t version = 0;
  auto ec = database_.execute("PRAGMA locking_mode = EXCLUSIVE");
  if (!ec) {
    ec = database_.number_of("SELECT count(*) FROM sqlite_schema", tables);
  }
  if (!ec) {
    ec = database_.number_of("PRAGMA application_id", id);
  }
  if (!ec) {
    ec = database_.number_of("PRAGMA user_version", version);
  }
  if (ec) {
    return ec;
  }
  const auto is_new = tables == 0 && id == 0;
  if (!is_new && id != of.application) {
    return storage_errc::not_a_store;
  }
  const auto steps = of.version - version;  // to upgrade
  const auto is_before =
      !is_new && steps > 0 && steps <= static_cast<std::int64_t>(of.upgrades.size());
  if (!is_new && !is_before && version != of.version) {
    return storage_errc::store_version;
  }
  ec = database_.execute("PRAGMA journal_mode = WAL");
  if (!ec) {
    ec = database_.execute(options.sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
  }
  if (!ec) {
    const auto sql =
        "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -" +
        std::to_string(options.cache_kibibytes);
    ec = database_.execute(sql.c_str());
  }
  if (ec) {
    return ec;
  }
  sqlite3_wal_hook(
      database_.handle(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<sqlite_file*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  if (is_new) {
    ec = change_tables(of.tables, nullptr, of);
  } else if (is_before) {
    ec = change_tables(std::accumulate(of.upgrades.end() - steps, of.upgrades.end(), std::string{}),
                       of.convert, of);
  }
  if (!ec) {
    ec = begin_.prepare(database_, "BEGIN IMMEDIATE");
  }
  return ec ? ec : commit_.prepare(database_, "COMMIT");
}

error_code sqlite_file::change_tables(const std::string& sql,
                                      const std::function<error_code()>& convert,
                                      const sqlite_format& to) {
  auto ec = database_.execute(("BEGIN IMMEDIATE;" + sql).c_str());
  if (!ec && convert) {
    ec = convert();
  }
  if (!ec) {
    const auto end = "PRAGMA application_id = " + std::to_string(to.application) +
                     "; PRAGMA user_version = " + std::to_string(to.version) + "; COMMIT";
    ec = database_.execute(end.c_str());
  }
  database_.roll_back();
  return ec;
}

error_code sqlite_file::tidy() {
  return log_pages_ < most_log_pages_ ? error_code{} : move_log(SQLITE_CHECKPOINT_PASSIVE);
}

error_code sqlite_file::empty_log() { return move_log(SQLITE_CHECKPOINT_TRUNCATE); }

error_code sqlite_file::move_log(int how) {
  const auto ec = storage_error_of(
      sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, how, nullptr, nullptr));
  if (!ec) {
    // The next commit starts a new log.
    log_pages_ = 0;
  }
  return ec;
}

}  // namespace zmtp
