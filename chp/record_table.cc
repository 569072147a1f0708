#include "chp/record_table.h"

#include "zmtp/storage/error.h"
#include "zmtp/storage/sqlite_file.h"

#include <array>
#include <utility>

namespace chp {

using boost::system::error_code;

std::string record_table::sql() const {
  return "CREATE TABLE " + name_ +
         " (key BLOB PRIMARY KEY NOT NULL, record BLOB NOT NULL, crc INTEGER NOT NULL);";
}

error_code record_table::prepare(const zmtp::sqlite_database& in) {
  const std::array<std::pair<zmtp::sqlite_statement*, std::string>, 6> statements{{
      {&find_, "SELECT rowid, crc FROM " + name_ + " WHERE key = ?"},
      {&add_, "INSERT INTO " + name_ + " (record, crc, key) VALUES (?, ?, ?)"},
      // The key, and the index of keys, stay as they are.
      {&change_, "UPDATE " + name_ + " SET record = ?, crc = ? WHERE rowid = ?"},
      {&remove_, "DELETE FROM " + name_ + " WHERE rowid = ?"},
      {&clear_, "DELETE FROM " + name_},
      {&all_, "SELECT key, record, crc FROM " + name_},
  }};
  for (const auto& [statement, text] : statements) {
    if (const auto ec = statement->prepare(in, text.c_str())) {
      return ec;
    }
  }
  return {};
}

std::uint64_t record_table::checksum(std::string_view key, std::string_view record) const {
  return (zmtp::row_checksum{name_.front()} << key << record).value();
}

std::uint64_t record_table::find(std::string_view key, record_totals& all, error_code& ec) {
  std::uint64_t row = 0;
  if (find_.bind(1, key).step(ec)) {
    row = find_.number(0);
    --all.rows;
    all.digest -= find_.number(1);
  }
  find_.reset();
  return row;
}

error_code record_table::put(std::string_view key, std::string_view record, record_totals& all) {
  error_code ec;
  const auto row = find(key, all, ec);
  if (ec) {
    return ec;
  }
  const auto crc = checksum(key, record);
  ++all.rows;
  all.digest += crc;
  auto& put = row != 0 ? change_ : add_;
  put.bind(1, record).bind(2, crc);
  return row != 0 ? put.bind(3, row).run() : put.bind(3, key).run();
}

error_code record_table::remove(std::string_view key, record_totals& all) {
  error_code ec;
  const auto row = find(key, all, ec);
  return ec || row == 0 ? ec : remove_.bind(1, row).run();
}

bool record_table::next(std::string_view& record, record_totals& all, error_code& ec) {
  if (!all_.step(ec)) {
    return false;
  }
  record = all_.text(1);
  const auto crc = checksum(all_.text(0), record);
  if (crc != all_.number(2)) {
    ec = zmtp::storage_errc::store_damaged;
    return false;
  }
  ++all.rows;
  all.digest += crc;
  return true;
}

}  // namespace chp
