#include "chp/map_file.h"

#include "chp/error.h"
#include "zmtp/storage/error.h"
#include "zmtp/storage/sqlite_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace chp {

using boost::system::error_code;

namespace {

constexpr std::int64_t application = 0x5A43'4850;  // "ZCHP", which file(1) can show
constexpr std::int64_t file_version = 1;

std::uint64_t entry_checksum(std::string_view key, std::uint64_t number, std::string_view id,
                             std::uint64_t ttl, std::string_view value) {
  return (zmtp::row_checksum{'m'} << key << number << id << ttl << value).value();
}

std::uint64_t applied_checksum(std::uint64_t row, std::uint64_t which, std::string_view bytes) {
  return (zmtp::row_checksum{'a'} << row << which << bytes).value();
}

// [id][why]
std::string refusal_row(const map_change& change) {
  std::string row{change.id.bytes()};
  return row += change.value;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

map_file::map_file(map_file_options options)
    : options_{std::move(options)},
      applied_{std::make_unique<update_register>(0, options_.applied)} {}

std::string map_file::tables() {
  return "CREATE TABLE entries (key BLOB PRIMARY KEY NOT NULL, number INTEGER NOT NULL,"
         " id BLOB NOT NULL, ttl INTEGER NOT NULL, value BLOB NOT NULL, crc INTEGER NOT NULL);"
         "CREATE TABLE applied (row INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
         " octets BLOB NOT NULL, crc INTEGER NOT NULL);"
         "CREATE TABLE extent (one INTEGER PRIMARY KEY, number INTEGER NOT NULL,"
         " keys INTEGER NOT NULL, digest INTEGER NOT NULL, applied INTEGER NOT NULL,"
         " memo BLOB NOT NULL, crc INTEGER NOT NULL);"
         "INSERT INTO extent VALUES (1, 0, 0, 0, 0, x'', " +
         std::to_string(checksum_of({})) + ");";
}

std::uint64_t map_file::checksum_of(const extent& all) {
  return (zmtp::row_checksum{'e'} << all.number << all.keys << all.digest << all.applied
                                  << std::string_view{all.server_record})
      .value();
}

error_code map_file::open(stored_map& found) {
  auto ec = file_.open(options_.file,
                       {.application = application, .version = file_version, .tables = tables()});
  if (!ec) {
    ec = prepare();
  }
  if (!ec) {
    ec = read_extent();
  }
  if (!ec) {
    ec = read_entries(found);
  }
  if (!ec) {
    ec = read_applied();
  }
  if (ec) {
    trust_ = trust::failed;
    return ec;
  }
  found.applied = applied_->pieces();
  found.number = all_.number;
  found.server_record = all_.server_record;
  return {};
}

error_code map_file::prepare() {
  const std::array<std::pair<zmtp::sqlite_statement*, const char*>, 8> statements{{
      {&add_entry_,
       "INSERT INTO entries (number, id, ttl, value, crc, key) VALUES (?, ?, ?, ?, ?, ?)"},
      // Where it is: its key, and the index of keys, stay as they are.
      {&change_entry_,
       "UPDATE entries SET number = ?, id = ?, ttl = ?, value = ?, crc = ? WHERE rowid = ?"},
      {&find_entry_, "SELECT crc, rowid FROM entries WHERE key = ?"},
      {&remove_entry_, "DELETE FROM entries WHERE rowid = ?"},
      {&put_applied_, "INSERT INTO applied VALUES (?, ?, ?, ?)"},
      {&put_extent_, "REPLACE INTO extent VALUES (1, ?, ?, ?, ?, ?, ?)"},
      {&clear_entries_, "DELETE FROM entries"},
      {&clear_applied_, "DELETE FROM applied"},
  }};
  for (const auto& [statement, sql] : statements) {
    if (const auto ec = statement->prepare(file_.database(), sql)) {
      return ec;
    }
  }
  return {};
}

error_code map_file::read_extent() {
  zmtp::sqlite_statement row;
  auto ec =
      row.prepare(file_.database(),
                  "SELECT number, keys, digest, applied, memo, crc FROM extent WHERE one = 1");
  if (ec || !row.step(ec)) {
    return ec ? ec : zmtp::storage_errc::store_damaged;
  }
  all_.number = row.number(0);
  all_.keys = row.number(1);
  all_.digest = row.number(2);
  all_.applied = row.number(3);
  all_.server_record = text_of(row.bytes(4));
  return row.number(5) == checksum_of(all_) ? error_code{} : zmtp::storage_errc::store_damaged;
}

error_code map_file::read_entries(stored_map& found) {
  zmtp::sqlite_statement row;
  auto ec = row.prepare(file_.database(),
                        "SELECT key, number, id, ttl, value, crc FROM entries ORDER BY key");
  std::uint64_t digest = 0;
  while (!ec && row.step(ec)) {
    const auto key = text_of(row.bytes(0));
    const auto id = text_of(row.bytes(2));
    const auto ttl = row.number(3);
    const auto value = text_of(row.bytes(4));
    const auto crc = entry_checksum(key, row.number(1), id, ttl, value);
    if (crc != row.number(5)) {
      return zmtp::storage_errc::store_damaged;
    }
    digest += crc;
    auto& entry = found.entries.emplace_back(stored_entry{.key = std::string{key},
                                                          .value = std::string{value},
                                                          .number = row.number(1),
                                                          .id = update_id::of_frame(id)});
    if (ttl != 0) {
      entry.ttl = std::chrono::milliseconds{static_cast<std::int64_t>(ttl)};
    }
  }
  if (ec) {
    return ec;
  }
  return digest == all_.digest && found.entries.size() == all_.keys
             ? error_code{}
             : zmtp::storage_errc::store_damaged;
}

error_code map_file::read_applied() {
  zmtp::sqlite_statement row;
  auto ec =
      row.prepare(file_.database(), "SELECT row, kind, octets, crc FROM applied ORDER BY row");
  std::uint64_t rows = 0;
  while (!ec && row.step(ec)) {
    auto bytes = text_of(row.bytes(2));
    if (row.number(0) != ++rows || row.number(3) != applied_checksum(rows, row.number(1), bytes)) {
      return zmtp::storage_errc::store_damaged;
    }
    all_.applied_bytes += bytes.size();
    if (static_cast<kind>(row.number(1)) == kind::piece) {
      all_.packed_bytes += bytes.size();
      if (applied_->unpack(bytes)) {
        return zmtp::storage_errc::store_damaged;
      }
      continue;
    }
    if (static_cast<kind>(row.number(1)) == kind::refusal) {
      if (bytes.size() <= update_id::size) {
        return zmtp::storage_errc::store_damaged;
      }
      applied_->refuse(update_id::of_frame(bytes.substr(0, update_id::size)),
                       refusal_in(bytes.substr(update_id::size)));
      continue;
    }
    for (; bytes.size() >= update_id::size; bytes.remove_prefix(update_id::size)) {
      applied_->insert(update_id::of_frame(bytes.substr(0, update_id::size)));
    }
  }
  if (ec) {
    return ec;
  }
  return rows == all_.applied ? error_code{} : zmtp::storage_errc::store_damaged;
}

void map_file::write(const std::vector<std::vector<map_change>>& writes,
                     std::vector<error_code>& results) {
  results.clear();
  if (trust_ == trust::whole && !transact(writes, 0, writes.size())) {
    results.resize(writes.size());
    return;
  }
  // As many as there is room for, from the first one on.
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const auto& one = writes[i];
    const bool is_whole = !one.empty() && one.front().what == map_operation::clear;
    if (trust_ == trust::failed) {
      results.push_back(zmtp::storage_errc::store_failed);
    } else if (trust_ == trust::refused && !is_whole) {
      results.push_back(zmtp::storage_errc::store_full);
    } else {
      results.push_back(transact(writes, i, 1));
      if (!results.back()) {
        trust_ = trust::whole;
      } else if (trust_ == trust::failed) {
        results.back() = zmtp::storage_errc::store_failed;
      } else {
        trust_ = trust::refused;
      }
    }
  }
}

error_code map_file::transact(const std::vector<std::vector<map_change>>& writes, std::size_t first,
                              std::size_t count) {
  const auto before = all_;
  auto ec = file_.begin();
  if (!ec) {
    ec = pack_applied();
  }
  std::string ids;
  for (auto i = first; i < first + count && !ec; ++i) {
    for (const auto& change : writes[i]) {
      ec = put(change, ids);
      if (ec) {
        break;
      }
    }
  }
  if (!ec) {
    ec = put_ids(ids);
  }
  if (!ec) {
    ec = put_extent();
  }
  if (!ec) {
    ec = file_.commit();
  }
  if (ec) {
    file_.roll_back();
    all_ = before;
    // After any other failed write, later writes cannot be trusted.
    if (ec != zmtp::storage_errc::store_full && ec != errc::malformed_register) {
      trust_ = trust::failed;
    }
    return ec;
  }
  for (auto i = first; i < first + count; ++i) {
    std::for_each(writes[i].begin(), writes[i].end(), [this](const auto& each) { note(each); });
  }
  return {};
}

error_code map_file::put(const map_change& change, std::string& ids) {
  error_code ec;
  switch (change.what) {
    case map_operation::set: ec = put_entry(change); break;
    case map_operation::erase: ec = remove_entry(change.key); break;
    case map_operation::note: break;
    case map_operation::refuse:
      // In its order, since what is applied first counts.
      ec = put_ids(ids);
      return ec ? ec : put_applied(kind::refusal, refusal_row(change));
    case map_operation::remember: all_.server_record = change.value; break;
    case map_operation::add_applied: {
      // Rejects a piece that could not be read again.
      update_register trial{0, options_.applied};
      ec = trial.unpack(change.value);
      if (!ec) {
        ec = put_ids(ids);
      }
      if (!ec) {
        ec = put_applied(kind::piece, change.value);
      }
      break;
    }
    case map_operation::clear:
      ids.clear();
      ec = clear();
      break;
  }
  if (!change.id.empty()) {
    ids += change.id.bytes();
  }
  all_.number = std::max(all_.number, change.number);
  return ec;
}

// Finds the row of a key, whose content is no longer needed.
error_code map_file::find_entry(std::string_view key, std::optional<std::uint64_t>& row) {
  error_code ec;
  if (find_entry_.bind(1, key).step(ec)) {
    --all_.keys;
    all_.digest -= find_entry_.number(0);
    row = find_entry_.number(1);
  }
  find_entry_.reset();
  return ec;
}

error_code map_file::put_entry(const map_change& change) {
  std::optional<std::uint64_t> row;
  if (const auto ec = find_entry(change.key, row)) {
    return ec;
  }
  // None is 0.
  const auto ttl =
      change.ttl ? static_cast<std::uint64_t>(std::max<std::int64_t>(change.ttl->count(), 1)) : 0;
  const auto id = change.id.bytes();
  const auto crc = entry_checksum(change.key, change.number, id, ttl, change.value);
  ++all_.keys;
  all_.digest += crc;
  auto& put = row ? change_entry_ : add_entry_;
  put.bind(1, change.number)
      .bind(2, id)
      .bind(3, ttl)
      .bind(4, std::string_view{change.value})
      .bind(5, crc);
  return row ? put.bind(6, *row).run() : put.bind(6, std::string_view{change.key}).run();
}

error_code map_file::remove_entry(std::string_view key) {
  std::optional<std::uint64_t> row;
  const auto ec = find_entry(key, row);
  return ec || !row ? ec : remove_entry_.bind(1, *row).run();
}

error_code map_file::put_ids(std::string& ids) {
  if (ids.empty()) {
    return {};
  }
  const auto ec = put_applied(kind::ids, ids);
  ids.clear();
  return ec;
}

error_code map_file::put_applied(kind which, std::string_view bytes) {
  const auto row = ++all_.applied;
  const auto code = static_cast<std::uint64_t>(which);
  all_.applied_bytes += bytes.size();
  all_.packed_bytes += which == kind::piece ? bytes.size() : 0;
  return put_applied_.bind(1, row)
      .bind(2, code)
      .bind(3, bytes)
      .bind(4, applied_checksum(row, code, bytes))
      .run();
}

error_code map_file::put_extent() {
  return put_extent_.bind(1, all_.number)
      .bind(2, all_.keys)
      .bind(3, all_.digest)
      .bind(4, all_.applied)
      .bind(5, std::string_view{all_.server_record})
      .bind(6, checksum_of(all_))
      .run();
}

error_code map_file::pack_applied() {
  if (all_.applied_bytes <= 2 * all_.packed_bytes + options_.applied_bytes) {
    return {};
  }
  auto ec = clear_applied_.run();
  all_.applied = 0;
  all_.applied_bytes = 0;
  all_.packed_bytes = 0;
  for (const auto& piece : applied_->pieces()) {
    if (!ec) {
      ec = put_applied(kind::piece, piece);
    }
  }
  return ec;
}

error_code map_file::clear() {
  all_ = {};
  const auto ec = clear_entries_.run();
  return ec ? ec : clear_applied_.run();
}

void map_file::note(const map_change& change) {
  if (change.what == map_operation::clear) {
    applied_ = std::make_unique<update_register>(0, options_.applied);
  } else if (change.what == map_operation::add_applied) {
    // The unpacking has succeeded before.
    static_cast<void>(applied_->unpack(change.value));
  } else if (change.what == map_operation::refuse) {
    applied_->refuse(change.id, refusal_in(change.value));
    return;
  }
  applied_->insert(change.id);
}

void map_file::tidy() {
  if (trust_ == trust::failed) {
    return;
  }
  const auto ec = file_.tidy();
  if (ec && ec != zmtp::storage_errc::store_full) {
    trust_ = trust::failed;
  }
}

}  // namespace chp
