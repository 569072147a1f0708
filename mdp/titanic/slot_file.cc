#include "mdp/titanic/slot_file.h"

#include "mdp/titanic/message_octets.h"

#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace mdp::titanic {

using boost::system::error_code;

namespace {

constexpr std::int64_t application = 0x5A54'4954;  // "ZTIT", which file(1) can show
constexpr std::int64_t file_version = 1;

// Of the columns of a row, each behind its size, so that no two rows look alike.
class checksum {
public:
  explicit checksum(char table) { crc_.process_byte(static_cast<unsigned char>(table)); }

  checksum& operator<<(std::uint64_t value) {
    boost::endian::native_to_little_inplace(value);
    crc_.process_bytes(&value, sizeof value);
    return *this;
  }
  checksum& operator<<(std::span<const std::byte> octets) {
    *this << std::uint64_t{octets.size()};
    crc_.process_bytes(octets.data(), octets.size());
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const { return crc_.checksum(); }

private:
  boost::crc_32_type crc_;
};

std::span<const std::byte> octets_of(const request_id& id) {
  return std::as_bytes(std::span{id.octets});
}
std::span<const std::byte> octets_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

bool take_id(std::span<const std::byte> octets, request_id& id) {
  if (octets.size() != id.octets.size()) {
    return false;
  }
  std::memcpy(id.octets.data(), octets.data(), octets.size());
  return true;
}

bool take_body(std::span<const std::byte> octets, bool wanted, zmtp::message& body) {
  if (!wanted || octets.empty()) {
    return true;
  }
  auto m = message_of(octets);
  if (m) {
    body = std::move(*m);
  }
  return m.has_value();
}

// Of a row of `requests` as the statements here select it; false if it is not what was written.
bool take_request(const sqlite_statement& row, bool with_body, whole_slot& into) {
  auto& about = into.about;
  about.number = row.number(0);
  about.accepted = row.number(1);
  const auto service = row.octets(3);
  checksum sum{'r'};
  sum << about.number << about.accepted << row.octets(2) << service << row.octets(4);
  if (sum.value() != row.number(5) || !take_id(row.octets(2), about.id)) {
    return false;
  }
  about.service.assign(reinterpret_cast<const char*>(service.data()), service.size());
  return take_body(row.octets(4), with_body, into.request);
}

// The same, of `outcomes`, for a slot whose request has been taken or has no id yet.
bool take_outcome(const sqlite_statement& row, bool with_body, whole_slot& into) {
  auto& about = into.about;
  const auto number = row.number(0);
  const auto state = row.number(2);
  const auto attempts = row.number(3);
  request_id id;
  checksum sum{'o'};
  sum << number << row.octets(1) << state << attempts << row.octets(4);
  if (sum.value() != row.number(5) || !take_id(row.octets(1), id) || id != about.id ||
      number != about.number || state > static_cast<std::uint64_t>(outcome::given_up)) {
    return false;
  }
  about.state = static_cast<outcome>(state);
  about.attempts = static_cast<std::uint32_t>(attempts);
  return take_body(row.octets(4), with_body, into.reply);
}

constexpr auto select_requests =
    "SELECT number, accepted, id, service, body, crc FROM requests ORDER BY number";
constexpr auto select_outcomes =
    "SELECT number, id, state, attempts, body, crc FROM outcomes ORDER BY number";

bool reads(const store_operation& one) noexcept {
  return one.what == operation::read_request || one.what == operation::read_reply;
}

}  // namespace

slot_file::slot_file(sqlite_options options) : options_{std::move(options)} {}

slot_file::~slot_file() = default;

error_code slot_file::open(std::vector<kept_request>& slots) {
  auto ec = open_file();
  if (!ec) {
    ec = load(slots);
  }
  if (!ec) {
    reserve_.emplace(options_.path + "-reserve", options_.vfs, options_.reserve_octets);
    // Without it requests are not accepted, but what is there can be read and closed.
    static_cast<void>(reserve_->hold());
  }
  return ec;
}

error_code slot_file::open_file() {
  if (const auto ec = database_.open(options_.path.c_str(), options_.vfs)) {
    return ec;
  }
  // Nothing is written before it is known to be a store.
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
  if (!is_new && id != application) {
    return errc::not_a_store;
  }
  if (!is_new && version != file_version) {
    return errc::store_version;
  }
  // The log is emptied between batches, not in the midst of a commit, and what goes wrong then is seen.
  ec = database_.execute("PRAGMA journal_mode = WAL");
  if (!ec) {
    ec =
        database_.execute(options_.sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
  }
  if (!ec) {
    ec = database_.execute(
        "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536");
  }
  if (ec) {
    return ec;
  }
  sqlite3_wal_hook(
      database_.handle(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<slot_file*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  if (is_new) {
    ec = make_tables();
  }
  return ec ? ec : prepare();
}

error_code slot_file::make_tables() {
  const auto extent_crc = (checksum{'e'} << std::uint64_t{0}).value();
  const auto sql =
      "BEGIN IMMEDIATE;"
      "CREATE TABLE requests (number INTEGER PRIMARY KEY, accepted INTEGER NOT NULL,"
      " id BLOB NOT NULL, service BLOB NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL);"
      "CREATE TABLE outcomes (number INTEGER PRIMARY KEY, id BLOB NOT NULL,"
      " state INTEGER NOT NULL, attempts INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT "
      "NULL);"
      "CREATE TABLE extent (one INTEGER PRIMARY KEY, slots INTEGER NOT NULL, crc INTEGER NOT NULL);"
      "INSERT INTO extent VALUES (1, 0, " +
      std::to_string(extent_crc) + "); PRAGMA application_id = " + std::to_string(application) +
      "; PRAGMA user_version = " + std::to_string(file_version) + "; COMMIT";
  const auto ec = database_.execute(sql.c_str());
  database_.roll_back();
  return ec;
}

error_code slot_file::prepare() {
  const std::array<std::pair<sqlite_statement*, const char*>, 7> all{{
      {&begin_, "BEGIN IMMEDIATE"},
      {&commit_, "COMMIT"},
      {&put_request_, "REPLACE INTO requests VALUES (?, ?, ?, ?, ?, ?)"},
      {&put_outcome_, "REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)"},
      {&put_extent_, "REPLACE INTO extent VALUES (1, ?, ?)"},
      {&get_request_,
       "SELECT number, accepted, id, service, body, crc FROM requests WHERE number = ?"},
      {&get_outcome_,
       "SELECT number, id, state, attempts, body, crc FROM outcomes WHERE number = ?"},
  }};
  for (const auto& [statement, sql] : all) {
    if (const auto ec = statement->prepare(database_, sql)) {
      return ec;
    }
  }
  return {};
}

error_code slot_file::load(std::vector<kept_request>& slots) {
  sqlite_statement extent;
  sqlite_statement requests;
  sqlite_statement outcomes;
  auto ec = extent.prepare(database_, "SELECT slots, crc FROM extent WHERE one = 1");
  if (!ec) {
    ec = requests.prepare(database_, select_requests);
  }
  if (!ec) {
    ec = outcomes.prepare(database_, select_outcomes);
  }
  if (ec) {
    return ec;
  }
  if (!extent.step(ec)) {
    return ec ? ec : errc::store_damaged;
  }
  slots_ = extent.number(0);
  if ((checksum{'e'} << slots_).value() != extent.number(1)) {
    return errc::store_damaged;
  }
  while (true) {
    const auto more = requests.step(ec);
    if (ec) {
      return ec;
    }
    if (outcomes.step(ec) != more || ec) {
      return ec ? ec : errc::store_damaged;
    }
    if (!more) {
      return slots.size() == slots_ ? error_code{} : errc::store_damaged;
    }
    whole_slot one;
    if (!take_request(requests, false, one) || one.about.number != slots.size() + 1 ||
        !take_outcome(outcomes, false, one)) {
      return errc::store_damaged;
    }
    slots.push_back(std::move(one.about));
  }
}

void slot_file::carry_out(const std::vector<store_operation>& batch,
                          std::vector<store_result>& results) {
  results.clear();
  for (const auto& one : batch) {
    results.push_back({.ticket = one.ticket});
  }
  const auto writes = !std::all_of(batch.begin(), batch.end(), reads);
  error_code ec = failed_ ? errc::store_failed : error_code{};
  const auto accepts = std::any_of(batch.begin(), batch.end(), [](const store_operation& one) {
    return one.what == operation::accept;
  });
  // What is read before it is written, or closed, is as it was.
  std::vector<bool> read_already(batch.size());
  if (writes) {
    std::set<std::uint64_t> written;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!reads(batch[i])) {
        written.insert(batch[i].number);
      } else if (!written.contains(batch[i].number)) {
        read(batch[i], results[i]);
        read_already[i] = true;
      }
    }
  }
  if (writes && !ec) {
    ec = accepts ? hold_reserve() : error_code{};
    if (!ec) {
      ec = transact(batch, results, what_gives_way::nothing);
    }
    if (ec == errc::store_full) {
      ec = transact(batch, results, what_gives_way::what_is_accepted);
    }
    if (ec == errc::store_full && reserve_->release()) {
      ec = transact(batch, results, what_gives_way::what_is_accepted);
    }
    // Whatever it was, a write that failed once is not trusted again.
    failed_ = ec && ec != errc::store_full;
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (read_already[i]) {
      continue;
    }
    if (reads(batch[i])) {
      read(batch[i], results[i]);
    } else if (ec) {
      results[i].ec = failed_ ? errc::store_failed : errc::store_full;
    }
  }
}

error_code slot_file::hold_reserve() {
  if (reserve_->held()) {
    return {};
  }
  // Trying takes time, and what space there is.
  const auto now = std::chrono::steady_clock::now();
  if (now < hold_again_at_) {
    return errc::store_full;
  }
  hold_again_at_ = now + options_.reserve_retry;
  if (reserve_->hold()) {
    return {};
  }
  // The file does not get smaller when requests are closed. What is empty in it does for up to one half
  // of the reserve; the other is for the log, which gives back what it has taken.
  std::int64_t pages = 0;
  std::int64_t page_size = 0;
  auto ec = empty_log(SQLITE_CHECKPOINT_TRUNCATE);
  if (!ec) {
    ec = database_.number_of("PRAGMA freelist_count", pages);
  }
  if (!ec) {
    ec = database_.number_of("PRAGMA page_size", page_size);
  }
  const auto inside =
      std::min(static_cast<std::size_t>(pages * page_size), options_.reserve_octets / 2);
  return ec || reserve_->hold(options_.reserve_octets - inside) ? ec : errc::store_full;
}

error_code slot_file::empty_log(int how) {
  const auto ec =
      error_of(sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, how, nullptr, nullptr));
  if (!ec) {
    // The next commit begins it anew.
    log_pages_ = 0;
  }
  return ec;
}

error_code slot_file::transact(const std::vector<store_operation>& batch,
                               std::vector<store_result>& results, what_gives_way which) {
  const auto slots_before = slots_;
  auto ec = begin_.run();
  for (std::size_t i = 0; i < batch.size() && !ec; ++i) {
    if (batch[i].what == operation::accept && which == what_gives_way::what_is_accepted) {
      results[i].ec = errc::store_full;
    } else if (!reads(batch[i])) {
      ec = write(batch[i]);
    }
  }
  if (!ec && slots_ != slots_before) {
    ec = put_extent();
  }
  if (!ec) {
    ec = commit_.run();
  }
  if (ec) {
    database_.roll_back();
    slots_ = slots_before;
  }
  return ec;
}

error_code slot_file::write(const store_operation& one) {
  switch (one.what) {
    case operation::accept: {
      while (slots_ + 1 < one.number) {
        if (const auto ec = put_empty(slots_ + 1)) {
          return ec;
        }
        ++slots_;
      }
      slots_ = std::max(slots_, one.number);
      const auto ec = put_request(one.number, one.accepted, one.id, one.service, one.body);
      return ec ? ec : put_outcome(one.number, one.id, outcome::pending, 0, {});
    }
    case operation::count_attempt:
      return put_outcome(one.number, one.id, outcome::pending, one.attempts, {});
    case operation::answer:
      return put_outcome(one.number, one.id, outcome::answered, one.attempts, one.body);
    case operation::give_up:
      return put_outcome(one.number, one.id, outcome::given_up, one.attempts, {});
    case operation::close: return put_empty(one.number);
    case operation::read_request:
    case operation::read_reply: break;
  }
  return {};
}

error_code slot_file::put_request(std::uint64_t number, std::uint64_t accepted,
                                  const request_id& id, std::string_view service,
                                  const zmtp::message& body) {
  octets_.clear();
  append_octets(body, octets_);
  checksum sum{'r'};
  sum << number << accepted << octets_of(id) << octets_of(service) << octets_;
  return put_request_.bind(1, number)
      .bind(2, accepted)
      .bind(3, octets_of(id))
      .bind(4, service)
      .bind(5, octets_)
      .bind(6, sum.value())
      .run();
}

error_code slot_file::put_outcome(std::uint64_t number, const request_id& id, outcome state,
                                  std::uint32_t attempts, const zmtp::message& body) {
  octets_.clear();
  append_octets(body, octets_);
  const auto code = static_cast<std::uint64_t>(state);
  checksum sum{'o'};
  sum << number << octets_of(id) << code << std::uint64_t{attempts} << octets_;
  return put_outcome_.bind(1, number)
      .bind(2, octets_of(id))
      .bind(3, code)
      .bind(4, std::uint64_t{attempts})
      .bind(5, octets_)
      .bind(6, sum.value())
      .run();
}

error_code slot_file::put_empty(std::uint64_t number) {
  const auto ec = put_request(number, 0, {}, {}, {});
  return ec ? ec : put_outcome(number, {}, outcome::pending, 0, {});
}

error_code slot_file::put_extent() {
  return put_extent_.bind(1, slots_).bind(2, (checksum{'e'} << slots_).value()).run();
}

void slot_file::read(const store_operation& one, store_result& result) {
  whole_slot slot;
  if (read_request(one.number, slot, one.what == operation::read_request) &&
      read_outcome(one.number, slot, one.what == operation::read_reply)) {
    result.body = std::move(one.what == operation::read_request ? slot.request : slot.reply);
  }
  if (result.body.empty()) {
    result.ec = errc::row_damaged;
  }
}

bool slot_file::read_request(std::uint64_t number, whole_slot& into, bool with_body) {
  error_code ec;
  const auto whole = get_request_.bind(1, number).step(ec) &&
                     take_request(get_request_, with_body, into) && into.about.number == number;
  get_request_.reset();
  return whole;
}

bool slot_file::read_outcome(std::uint64_t number, whole_slot& into, bool with_body) {
  error_code ec;
  const auto whole =
      get_outcome_.bind(1, number).step(ec) && take_outcome(get_outcome_, with_body, into);
  get_outcome_.reset();
  return whole;
}

void slot_file::tidy() {
  if (failed_ || log_pages_ < options_.log_pages) {
    return;
  }
  const auto ec = empty_log(SQLITE_CHECKPOINT_PASSIVE);
  failed_ = ec && ec != errc::store_full;
}

error_code slot_file::salvage(std::function<void(whole_slot&&)> take, salvage_report& report) {
  if (const auto ec = open_file()) {
    return ec;
  }
  for (const auto* const sql : {"SELECT slots FROM extent", "SELECT max(number) FROM requests",
                                "SELECT max(number) FROM outcomes"}) {
    std::int64_t count = 0;
    // A number that was altered must not keep it busy for ever: no slot is smaller than this.
    constexpr std::int64_t least_octets = 16;
    std::int64_t pages = 0;
    std::int64_t page_size = 0;
    if (!database_.number_of(sql, count) && !database_.number_of("PRAGMA page_count", pages) &&
        !database_.number_of("PRAGMA page_size", page_size) && count > 0) {
      const auto most = pages * page_size / least_octets;
      report.slots = std::max(report.slots, static_cast<std::uint64_t>(std::min(count, most)));
    }
  }
  for (std::uint64_t number = 1; number <= report.slots; ++number) {
    whole_slot one;
    if (!read_request(number, one, true)) {
      ++report.lost;
      continue;
    }
    if (one.about.accepted == 0) {
      continue;
    }
    if (!read_outcome(number, one, true)) {
      ++report.reopened;
      one.about.state = outcome::pending;
      one.about.attempts = 0;
      one.reply.clear();
    }
    ++report.kept;
    take(std::move(one));
  }
  return {};
}

}  // namespace mdp::titanic
