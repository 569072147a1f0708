#include "mdp/titanic/slot_rows.h"

#include "mdp/titanic/message_bytes.h"
#include "zmtp/storage/error.h"
#include "zmtp/storage/sqlite_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace mdp::titanic {

using boost::system::error_code;

namespace {

std::span<const std::byte> bytes_of(const request_id& id) {
  return std::as_bytes(std::span{id.bytes});
}
std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

bool take_id(std::span<const std::byte> bytes, request_id& id) {
  if (bytes.size() != id.bytes.size()) {
    return false;
  }
  std::memcpy(id.bytes.data(), bytes.data(), bytes.size());
  return true;
}

bool take_body(std::span<const std::byte> bytes, bool wanted, zmtp::message& body) {
  if (!wanted || bytes.empty()) {
    return true;
  }
  auto m = message_of(bytes);
  if (m) {
    body = std::move(*m);
  }
  return m.has_value();
}

// Reads a row of `requests` as the statements here select it. Returns false if it is not what was
// written.
bool take_request(const zmtp::sqlite_statement& row, bool with_body, whole_slot& into) {
  auto& about = into.about;
  about.number = row.number(0);
  about.accepted = row.number(1);
  const auto service = row.bytes(3);
  zmtp::row_checksum sum{'r'};
  sum << about.number << about.accepted << row.bytes(2) << service << row.bytes(4);
  // The checksum of version 2 did not include the principal.
  const auto of_version_2 = sum.value();
  const auto principal = row.bytes(6);
  sum << principal;
  const auto whole =
      row.number(5) == sum.value() || (principal.empty() && row.number(5) == of_version_2);
  if (!whole || !take_id(row.bytes(2), about.id)) {
    return false;
  }
  about.service.assign(reinterpret_cast<const char*>(service.data()), service.size());
  about.principal.assign(reinterpret_cast<const char*>(principal.data()), principal.size());
  return take_body(row.bytes(4), with_body, into.request);
}

// The same for `outcomes`, for a slot whose request has been read or has no id yet.
bool take_outcome(const zmtp::sqlite_statement& row, bool with_body, whole_slot& into,
                  std::chrono::sys_seconds now) {
  auto& about = into.about;
  const auto number = row.number(0);
  const auto state = row.number(2);
  const auto attempts = row.number(3);
  request_id id;
  zmtp::row_checksum sum{'o'};
  sum << number << row.bytes(1) << state << attempts << row.bytes(4);
  // The checksum of version 1 did not include the date.
  const auto of_version_1 = sum.value();
  sum << row.number(6);
  const auto whole = row.number(5) == sum.value() || row.number(5) == of_version_1;
  if (!whole || !take_id(row.bytes(1), id) || id != about.id || number != about.number ||
      state > static_cast<std::uint64_t>(outcome::given_up)) {
    return false;
  }
  about.state = static_cast<outcome>(state);
  about.attempts = static_cast<std::uint32_t>(attempts);
  // The clock may have been set back.
  const std::chrono::seconds since{static_cast<std::int64_t>(row.number(6))};
  about.age = std::max(now.time_since_epoch() - since, std::chrono::seconds{0});
  return take_body(row.bytes(4), with_body, into.reply);
}

// A row counts as damaged only if SQLite could read its pages.
error_code error_of_read(bool whole, error_code ec) {
  using zmtp::storage_errc;
  if (whole) {
    return {};
  }
  return !ec || ec == storage_errc::store_damaged || ec == storage_errc::not_a_store
             ? storage_errc::row_damaged
             : storage_errc::read_failed;
}

std::uint64_t extent_checksum(std::uint64_t slots) {
  return (zmtp::row_checksum{'e'} << slots).value();
}

}  // namespace

std::string slot_rows::tables() {
  return "CREATE TABLE requests (number INTEGER PRIMARY KEY, accepted INTEGER NOT NULL,"
         " id BLOB NOT NULL, service BLOB NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL,"
         " principal BLOB NOT NULL);"
         "CREATE TABLE outcomes (number INTEGER PRIMARY KEY, id BLOB NOT NULL,"
         " state INTEGER NOT NULL, attempts INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT "
         "NULL, since INTEGER NOT NULL);"
         "CREATE TABLE extent (one INTEGER PRIMARY KEY, slots INTEGER NOT NULL, crc INTEGER NOT "
         "NULL);"
         "INSERT INTO extent VALUES (1, 0, " +
         std::to_string(extent_checksum(0)) + ");";
}

std::vector<std::string> slot_rows::upgrades(std::chrono::sys_seconds now) {
  // SQLite does not rewrite the rows. It reads the default for a column that a row does not have.
  return {"ALTER TABLE outcomes ADD COLUMN since INTEGER NOT NULL DEFAULT " +
              std::to_string(now.time_since_epoch().count()) + ";",
          "ALTER TABLE requests ADD COLUMN principal BLOB NOT NULL DEFAULT x'';"};
}

error_code slot_rows::prepare(const zmtp::sqlite_database& in) {
  const std::array<std::pair<zmtp::sqlite_statement*, const char*>, 5> all{{
      {&put_request_, "REPLACE INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)"},
      {&put_outcome_, "REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?)"},
      {&put_extent_, "REPLACE INTO extent VALUES (1, ?, ?)"},
      {&get_request_,
       "SELECT number, accepted, id, service, body, crc, principal FROM requests WHERE number = "
       "?"},
      {&get_outcome_,
       "SELECT number, id, state, attempts, body, crc, since FROM outcomes WHERE number = ?"},
  }};
  for (const auto& [statement, sql] : all) {
    if (const auto ec = statement->prepare(in, sql)) {
      return ec;
    }
  }
  return {};
}

error_code slot_rows::put_request(std::uint64_t number, std::uint64_t accepted,
                                  const request_id& id, std::string_view service,
                                  std::string_view principal, const zmtp::message& body) {
  bytes_.clear();
  append_bytes(body, bytes_);
  zmtp::row_checksum sum{'r'};
  sum << number << accepted << bytes_of(id) << bytes_of(service) << bytes_ << bytes_of(principal);
  return put_request_.bind(1, number)
      .bind(2, accepted)
      .bind(3, bytes_of(id))
      .bind(4, service)
      .bind(5, bytes_)
      .bind(6, sum.value())
      .bind(7, principal)
      .run();
}

error_code slot_rows::put_outcome(std::uint64_t number, const request_id& id, outcome state,
                                  std::uint32_t attempts, const zmtp::message& body,
                                  std::chrono::sys_seconds since) {
  bytes_.clear();
  append_bytes(body, bytes_);
  const auto code = static_cast<std::uint64_t>(state);
  zmtp::row_checksum sum{'o'};
  const auto second = static_cast<std::uint64_t>(since.time_since_epoch().count());
  sum << number << bytes_of(id) << code << std::uint64_t{attempts} << bytes_ << second;
  return put_outcome_.bind(1, number)
      .bind(2, bytes_of(id))
      .bind(3, code)
      .bind(4, std::uint64_t{attempts})
      .bind(5, bytes_)
      .bind(6, sum.value())
      .bind(7, second)
      .run();
}

error_code slot_rows::put_empty(std::uint64_t number) {
  const auto ec = put_request(number, 0, {}, {}, {}, {});
  return ec ? ec : put_outcome(number, {}, outcome::pending, 0, {}, {});
}

error_code slot_rows::put_extent(std::uint64_t slots) {
  return put_extent_.bind(1, slots).bind(2, extent_checksum(slots)).run();
}

error_code slot_rows::read_request(std::uint64_t number, whole_slot& into, bool with_body) {
  error_code ec;
  const auto whole = get_request_.bind(1, number).step(ec) &&
                     take_request(get_request_, with_body, into) && into.about.number == number;
  get_request_.reset();
  return error_of_read(whole, ec);
}

error_code slot_rows::read_outcome(std::uint64_t number, whole_slot& into, bool with_body) {
  error_code ec;
  const auto whole =
      get_outcome_.bind(1, number).step(ec) && take_outcome(get_outcome_, with_body, into, {});
  get_outcome_.reset();
  return error_of_read(whole, ec);
}

error_code slot_rows::read_all(const zmtp::sqlite_database& in, std::chrono::sys_seconds now,
                               std::vector<stored_request>& slots) {
  zmtp::sqlite_statement extent;
  zmtp::sqlite_statement requests;
  zmtp::sqlite_statement outcomes;
  auto ec = extent.prepare(in, "SELECT slots, crc FROM extent WHERE one = 1");
  if (!ec) {
    ec = requests.prepare(
        in,
        "SELECT number, accepted, id, service, body, crc, principal FROM requests ORDER BY number");
  }
  if (!ec) {
    ec = outcomes.prepare(
        in, "SELECT number, id, state, attempts, body, crc, since FROM outcomes ORDER BY number");
  }
  if (ec) {
    return ec;
  }
  if (!extent.step(ec)) {
    return ec ? ec : zmtp::storage_errc::store_damaged;
  }
  const auto count = extent.number(0);
  if (extent_checksum(count) != extent.number(1)) {
    return zmtp::storage_errc::store_damaged;
  }
  while (true) {
    const auto more = requests.step(ec);
    if (ec) {
      return ec;
    }
    if (outcomes.step(ec) != more || ec) {
      return ec ? ec : zmtp::storage_errc::store_damaged;
    }
    if (!more) {
      return slots.size() == count ? error_code{} : zmtp::storage_errc::store_damaged;
    }
    whole_slot one;
    if (!take_request(requests, false, one) || one.about.number != slots.size() + 1 ||
        !take_outcome(outcomes, false, one, now)) {
      return zmtp::storage_errc::store_damaged;
    }
    slots.push_back(std::move(one.about));
  }
}

}  // namespace mdp::titanic
