#include "chp/map_file_conversion.h"

#include "chp/lineage.h"
#include "chp/log_entry.h"
#include "chp/network_order.h"
#include "chp/old_updates.h"
#include "zmtp/storage/error.h"
#include "zmtp/storage/sqlite_file.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace chp {

using boost::system::error_code;

namespace {

const error_code damaged = zmtp::storage_errc::store_damaged;

constexpr std::size_t piece = 64 * 1024;       // bytes of a write
constexpr std::size_t max_sessions = 100'000;  // the limit of version 1
// Outcomes of one session. All sessions together have at most a million, or ten each.
constexpr std::uint64_t max_outcomes = 1'000;
constexpr std::uint64_t min_outcomes = 10;
constexpr std::uint64_t max_all_outcomes = 1'000'000;

// No other history has such a tag, except one that was converted too.
constexpr std::uint64_t tag_of_converted(std::uint64_t epoch) noexcept {
  return 0x7a69'6e63'0000'0000 | epoch;
}

// Reads the tables in turn.
class conversion {
public:
  using sink = std::function<error_code(const state_write&)>;

  conversion(zmtp::sqlite_database& file, const sink& store) : file_{file}, store_{store} {}

  error_code run() {
    auto ec = read_extent();
    if (!ec) {
      ec = convert_entries();
    }
    if (!ec) {
      ec = read_updates();
    }
    if (!ec) {
      ec = store_sessions();
    }
    if (!ec) {
      ec = store_ids();
    }
    if (!ec) {
      ec = store_end();
    }
    return ec ? ec : file_.execute("DROP TABLE entries; DROP TABLE applied; DROP TABLE extent");
  }

private:
  error_code read_extent() {
    zmtp::sqlite_statement row;
    auto ec = row.prepare(
        file_, "SELECT number, keys, digest, applied, memo, crc FROM extent WHERE one = 1");
    if (ec || !row.step(ec)) {
      return ec ? ec : damaged;
    }
    number_ = row.number(0);
    keys_ = row.number(1);
    digest_ = row.number(2);
    applied_ = row.number(3);
    const auto crc =
        (zmtp::row_checksum{'e'} << number_ << keys_ << digest_ << applied_ << row.text(4)).value();
    return crc == row.number(5) && number_ <= max_sequence ? error_code{} : damaged;
  }

  error_code convert_entries() {
    zmtp::sqlite_statement row;
    auto ec = row.prepare(file_, "SELECT key, number, id, ttl, value, crc FROM entries");
    std::uint64_t rows = 0;
    std::uint64_t digest = 0;
    while (!ec && row.step(ec)) {
      const auto key = row.text(0);
      const auto id = row.text(2);
      const auto value = row.text(4);
      const auto crc =
          (zmtp::row_checksum{'m'} << key << row.number(1) << id << row.number(3) << value).value();
      if (crc != row.number(5)) {
        return damaged;
      }
      ++rows;
      digest += crc;
      if (value.empty()) {
        continue;  // the record of an erased key
      }
      append_record(next_.map,
                    {.number = row.number(1),
                     .id = update_id::of_frame(id),
                     .ttl = std::chrono::milliseconds{static_cast<std::int64_t>(row.number(3))},
                     .key = key,
                     .value = value});
      ec = store_piece(next_.map.size());
    }
    return ec ? ec : rows == keys_ && digest == digest_ ? error_code{} : damaged;
  }

  error_code read_updates() {
    zmtp::sqlite_statement row;
    auto ec = row.prepare(file_, "SELECT row, kind, octets, crc FROM applied ORDER BY row");
    std::uint64_t rows = 0;
    while (!ec && row.step(ec)) {
      const auto kind = row.number(1);
      const auto bytes = row.text(2);
      const auto crc = (zmtp::row_checksum{'a'} << ++rows << kind << bytes).value();
      const bool is_valid = row.number(0) == rows && row.number(3) == crc &&
                            (kind == 0   ? updates_.add_ids(bytes)
                             : kind == 1 ? updates_.add_piece(bytes)
                                         : kind == 2 && updates_.add_refusal(bytes));
      if (!is_valid) {
        return damaged;
      }
    }
    return ec ? ec : rows == applied_ ? error_code{} : damaged;
  }

  // The numbers of outcomes were not stored. They only have to rise, and to be committed.
  error_code store_sessions() {
    const auto share = max_all_outcomes / std::max<std::uint64_t>(updates_.sessions().size(), 1);
    const auto most = std::min(std::clamp(share, min_outcomes, max_outcomes), number_);
    error_code ec;
    for (const auto& [id, session] : updates_.sessions()) {
      if (ec) {
        break;
      }
      const auto& [from, last] = *session.done.rbegin();
      const auto known =
          std::max({from, std::min(session.unsure, last) + 1, last + 1 - std::min(last, most)});
      const auto first = std::min(known, update_id::max_counter);
      append_u64(next_.sessions, id);
      append_u64(next_.sessions, 1);
      append_u64(next_.sessions, first);
      append_u64(next_.sessions, number_);
      const auto count = last + 1 - first;
      append_u32(next_.sessions, count);
      for (auto counter = first; counter <= last; ++counter) {
        append_u64(next_.sessions, number_ - (last - counter));
        const auto refused = session.refused.find(counter);
        next_.sessions +=
            refused == session.refused.end() ? '\0' : static_cast<char>(refused->second + 1);
      }
      ec = store_piece(next_.sessions.size());
    }
    return ec;
  }

  error_code store_ids() {
    error_code ec;
    for (const auto& id : updates_.others()) {
      append_u64(next_.ids, number_);
      next_.ids += id.bytes();
      ec = store_piece(next_.ids.size());
      if (ec) {
        break;
      }
    }
    return ec;
  }

  error_code store_end() {
    const bool is_empty = number_ == 0 && keys_ == 0 && applied_ == 0;
    if (is_empty) {
      return {};
    }
    lineage reigns;
    reigns.begin_reign(epoch_of(number_), tag_of_converted(epoch_of(number_)), number_);
    next_.lineage.emplace();
    reigns.append_to(*next_.lineage);
    next_.numbers = {
        .start = number_,
        .end = number_,
        .published = number_,
        .commit = number_,
        // The store may have forgotten sessions only if it was full.
        .forgotten = updates_.sessions().size() < max_sessions ? 0 : number_,
    };
    return store_(next_);
  }

  error_code store_piece(std::size_t bytes) {
    if (bytes < piece) {
      return {};
    }
    next_.more = true;
    return store_(std::exchange(next_, {}));
  }

  zmtp::sqlite_database& file_;
  const sink& store_;
  std::uint64_t number_ = 0;
  std::uint64_t keys_ = 0;
  std::uint64_t digest_ = 0;
  std::uint64_t applied_ = 0;
  old_updates updates_;
  state_write next_;
};

}  // namespace

error_code convert_map_file(zmtp::sqlite_database& file,
                            const std::function<error_code(const state_write&)>& store) {
  return conversion{file, store}.run();
}

}  // namespace chp
