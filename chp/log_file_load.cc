// How a log_file is opened and read.

#include "chp/log_file.h"
#include "chp/map_file_conversion.h"
#include "zmtp/storage/error.h"

#include <array>
#include <cstdint>
#include <utility>

namespace chp {

using boost::system::error_code;

namespace {

constexpr std::int64_t application = 0x5A43'4850;  // "ZCHP", which file(1) can show
constexpr std::int64_t file_version = 2;

error_code damaged_if(errc fault) {
  return fault == errc{} ? error_code{} : zmtp::storage_errc::store_damaged;
}

std::uint64_t checksum_of(const state_numbers& n, const record_totals& records) {
  return (zmtp::row_checksum{'n'} << n.start << n.end << n.published << n.commit << n.both
                                  << n.needed << n.forgotten << n.member << records.rows
                                  << records.digest)
      .value();
}

// Skips the records that are not above `start`. Returns false if one is damaged.
bool skip(std::string_view& records, sequence start) {
  while (!records.empty()) {
    auto rest = records;
    const auto e = parse_record(rest);
    if (!e) {
      return false;
    }
    if (e->number > start) {
      break;
    }
    records = rest;
  }
  return true;
}

}  // namespace

std::string log_file::tables() const {
  return map_.sql() + sessions_.sql() +
         "CREATE TABLE log (last INTEGER PRIMARY KEY, records BLOB NOT NULL, crc INTEGER NOT NULL);"
         "CREATE TABLE ids (row INTEGER PRIMARY KEY, ids BLOB NOT NULL, crc INTEGER NOT NULL);"
         "CREATE TABLE lineage (one INTEGER PRIMARY KEY, reigns BLOB NOT NULL,"
         " crc INTEGER NOT NULL);"
         "CREATE TABLE numbers (one INTEGER PRIMARY KEY, start INTEGER NOT NULL,"
         " last INTEGER NOT NULL, published INTEGER NOT NULL, committed INTEGER NOT NULL,"
         " both INTEGER NOT NULL, needed INTEGER NOT NULL, forgotten INTEGER NOT NULL,"
         " member INTEGER NOT NULL,"
         " records INTEGER NOT NULL, digest INTEGER NOT NULL, crc INTEGER NOT NULL);"
         "INSERT INTO numbers VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, " +
         std::to_string(checksum_of({}, {})) + ");";
}

error_code log_file::open(history& into, history::time_point now, state_numbers& numbers) {
  most_ids_ = into.ids().limit();
  auto ec = file_.open(options_, {.application = application,
                                  .version = file_version,
                                  .tables = tables(),
                                  .upgrades = {tables()},
                                  .convert = [this] { return convert(); }});
  if (!ec) {
    ec = prepare();
  }
  if (!ec) {
    ec = load(into, now);
  }
  numbers = all_.numbers;
  if (ec) {
    trust_ = trust::failed;
  }
  return ec;
}

error_code log_file::prepare() {
  const std::array<std::pair<zmtp::sqlite_statement*, const char*>, 7> statements{{
      {&add_entries_, "INSERT INTO log VALUES (?, ?, ?)"},
      {&trim_entries_, "DELETE FROM log WHERE last <= ?"},
      {&add_ids_, "INSERT INTO ids VALUES (?, ?, ?)"},
      {&oldest_ids_, "SELECT row, length(ids), crc FROM ids ORDER BY row LIMIT 1"},
      {&remove_ids_, "DELETE FROM ids WHERE row = ?"},
      {&put_lineage_, "REPLACE INTO lineage VALUES (1, ?, ?)"},
      {&put_numbers_, "REPLACE INTO numbers VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
  }};
  for (const auto& [statement, sql] : statements) {
    if (const auto ec = statement->prepare(file_.database(), sql)) {
      return ec;
    }
  }
  const auto ec = map_.prepare(file_.database());
  return ec ? ec : sessions_.prepare(file_.database());
}

// Within the transaction that changes the tables.
error_code log_file::convert() {
  auto ec = prepare();
  if (!ec) {
    ec = convert_map_file(file_.database(), [this](const state_write& w) { return put(w); });
  }
  return ec ? ec : put_numbers();
}

error_code log_file::put_numbers() {
  const auto& n = all_.numbers;
  int at = 0;
  for (const auto each :
       {n.start, n.end, n.published, n.commit, n.both, n.needed, n.forgotten, n.member,
        all_.records.rows, all_.records.digest, checksum_of(n, all_.records)}) {
    put_numbers_.bind(++at, each);
  }
  return put_numbers_.run();
}

error_code log_file::load(history& into, history::time_point now) {
  record_totals found;
  lineage reigns;
  auto ec = load_numbers();
  if (!ec) {
    ec = map_.visit(found,
                    [&](std::string_view record) { return damaged_if(into.add_map(record, now)); });
  }
  if (!ec) {
    ec = sessions_.visit(found,
                         [&](std::string_view row) { return damaged_if(into.add_sessions(row)); });
  }
  if (!ec) {
    ec = load_ids(into, found);
  }
  if (!ec && found != all_.records) {
    ec = zmtp::storage_errc::store_damaged;
  }
  if (!ec) {
    ec = load_log(into);
  }
  if (!ec) {
    ec = load_lineage(reigns);
  }
  return ec ? ec : damaged_if(into.finish(std::move(reigns), all_.numbers.published));
}

error_code log_file::load_numbers() {
  all_ = {};
  zmtp::sqlite_statement row;
  auto ec = row.prepare(file_.database(), "SELECT * FROM numbers WHERE one = 1");
  if (ec || !row.step(ec)) {
    return ec ? ec : zmtp::storage_errc::store_damaged;
  }
  auto& n = all_.numbers;
  int at = 0;
  for (auto* const each : {&n.start, &n.end, &n.published, &n.commit, &n.both, &n.needed,
                           &n.forgotten, &n.member, &all_.records.rows, &all_.records.digest}) {
    *each = row.number(++at);
  }
  const bool is_whole = row.number(++at) == checksum_of(n, all_.records);
  return is_whole ? error_code{} : zmtp::storage_errc::store_damaged;
}

error_code log_file::load_ids(history& into, record_totals& found) {
  zmtp::sqlite_statement row;
  auto ec = row.prepare(file_.database(), "SELECT row, ids, crc FROM ids ORDER BY row");
  while (!ec && row.step(ec)) {
    all_.last_ids = row.number(0);
    const auto ids = row.text(1);
    const auto crc = (zmtp::row_checksum{'i'} << all_.last_ids << ids).value();
    if (crc != row.number(2)) {
      return zmtp::storage_errc::store_damaged;
    }
    ++found.rows;
    found.digest += crc;
    all_.ids += ids.size() / known_ids::row_size;
    ec = damaged_if(into.add_ids(ids));
  }
  return ec;
}

error_code log_file::load_log(history& into) {
  into.begin_log(all_.numbers.start, all_.numbers.forgotten);
  zmtp::sqlite_statement row;
  auto ec = row.prepare(file_.database(), "SELECT last, records, crc FROM log ORDER BY last");
  while (!ec && row.step(ec)) {
    auto records = row.text(1);
    const auto crc = (zmtp::row_checksum{'l'} << row.number(0) << records).value();
    const bool is_whole = crc == row.number(2) && skip(records, all_.numbers.start);
    ec = is_whole ? damaged_if(into.add_entries(records)) : zmtp::storage_errc::store_damaged;
  }
  return ec;
}

error_code log_file::load_lineage(lineage& reigns) {
  zmtp::sqlite_statement row;
  auto ec = row.prepare(file_.database(), "SELECT reigns, crc FROM lineage WHERE one = 1");
  if (ec || !row.step(ec)) {
    return ec;
  }
  const auto rows = row.text(0);
  auto found = lineage::parse(rows);
  if (!found || (zmtp::row_checksum{'h'} << rows).value() != row.number(1)) {
    return zmtp::storage_errc::store_damaged;
  }
  reigns = *std::move(found);
  if (!reigns.empty()) {
    // The last reign has grown since its row was written.
    reigns.extend(all_.numbers.end);
  }
  return {};
}

}  // namespace chp
