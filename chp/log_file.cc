#include "chp/log_file.h"

#include "chp/log_entry.h"
#include "chp/network_order.h"
#include "chp/sessions.h"
#include "zmtp/storage/error.h"

#include <utility>

namespace chp {

using boost::system::error_code;

log_file::log_file(zmtp::sqlite_file_options options) : options_{std::move(options)} {}

void log_file::write(const std::vector<state_write>& writes, std::vector<error_code>& results) {
  results.assign(writes.size(), {});
  const std::span all{writes};
  auto whole = all.size();
  while (whole != 0 && writes[whole - 1].more) {
    --whole;
  }
  std::size_t at = 0;
  if (trust_ == trust::whole && !is_open_ && whole != 0 && !carry_out(all.first(whole))) {
    at = whole;
  }
  // As many transactions as there is room for, from the first one on.
  while (at < writes.size()) {
    const bool is_accepted =
        trust_ == trust::whole || (trust_ == trust::full && writes[at].replaces);
    if (!is_accepted) {
      results[at++] =
          trust_ == trust::full ? zmtp::storage_errc::store_full : zmtp::storage_errc::store_failed;
      continue;
    }
    auto end = at + 1;
    while (end < writes.size() && writes[end - 1].more && !writes[end].replaces) {
      ++end;
    }
    const auto ec = carry_out(all.subspan(at, end - at));
    if (!ec) {
      trust_ = trust::whole;
      at = end;
    } else if (trust_ != trust::failed) {
      trust_ = trust::full;
      // One write of the transaction has failed, and so all of them.
      for (; at != end; ++at) {
        results[at] = zmtp::storage_errc::store_full;
      }
    }
  }
}

error_code log_file::carry_out(std::span<const state_write> some) {
  error_code ec;
  if (!is_open_) {
    before_ = all_;
    ec = file_.begin();
    is_open_ = !ec;
  }
  for (const auto& each : some) {
    if (!ec) {
      ec = put(each);
    }
  }
  if (!ec && !some.back().more) {
    ec = put_numbers();
    if (!ec) {
      ec = file_.commit();
    }
    is_open_ = ec.failed();
  }
  if (ec) {
    roll_back();
    // After any other failed write, later writes cannot be trusted.
    if (ec != zmtp::storage_errc::store_full) {
      trust_ = trust::failed;
    }
  }
  return ec;
}

void log_file::roll_back() {
  file_.roll_back();
  all_ = before_;
  is_open_ = false;
}

error_code log_file::put(const state_write& w) {
  auto ec = w.replaces ? clear() : error_code{};
  if (!ec) {
    ec = put_entries(w.entries);
  }
  if (!ec) {
    ec = put_map(w.map);
  }
  if (!ec) {
    ec = put_sessions(w);
  }
  if (!ec) {
    ec = put_ids(w.ids);
  }
  if (!ec && w.lineage) {
    ec = put_lineage(*w.lineage);
  }
  if (!ec && !w.more) {
    ec = trim(w.numbers.start);
    all_.numbers = w.numbers;
  }
  return ec;
}

error_code log_file::put_map(std::string_view records) {
  error_code ec;
  while (!records.empty() && !ec) {
    const auto from = records;
    const auto e = read_record(records);
    ec = e.kind == entry_kind::set
             ? map_.put(e.key, from.substr(0, from.size() - records.size()), all_.records)
             : map_.remove(e.key, all_.records);
  }
  return ec;
}

error_code log_file::put_sessions(const state_write& w) {
  error_code ec;
  for (std::string_view rest{w.sessions}; !rest.empty() && !ec;) {
    const auto row = sessions::read_row(rest);
    ec = sessions_.put(network_number{row.session}.bytes(), row.bytes, all_.records);
  }
  for (const auto session : w.forgotten_sessions) {
    if (!ec) {
      ec = sessions_.remove(network_number{session}.bytes(), all_.records);
    }
  }
  return ec;
}

// The records of a write are one row. A server appends thousands at once.
error_code log_file::put_entries(std::string_view records) {
  if (records.empty()) {
    return {};
  }
  sequence last = 0;
  for (auto rest = records; !rest.empty();) {
    last = read_record(rest).number;
  }
  return add_entries_.bind(1, last)
      .bind(2, records)
      .bind(3, (zmtp::row_checksum{'l'} << last << records).value())
      .run();
}

error_code log_file::put_ids(std::string_view rows) {
  if (rows.empty()) {
    return {};
  }
  const auto key = ++all_.last_ids;
  const auto crc = (zmtp::row_checksum{'i'} << key << rows).value();
  all_.ids += rows.size() / known_ids::row_size;
  all_.records.digest += crc;
  ++all_.records.rows;
  auto ec = add_ids_.bind(1, key).bind(2, rows).bind(3, crc).run();
  while (!ec && oldest_ids_.step(ec)) {
    const auto oldest = oldest_ids_.number(0);
    const auto count = oldest_ids_.number(1) / known_ids::row_size;
    const auto checksum = oldest_ids_.number(2);
    oldest_ids_.reset();
    if (all_.ids - count < most_ids_) {
      return {};
    }
    all_.ids -= count;
    all_.records.digest -= checksum;
    --all_.records.rows;
    ec = remove_ids_.bind(1, oldest).run();
  }
  oldest_ids_.reset();
  return ec;
}

error_code log_file::put_lineage(std::string_view rows) {
  return put_lineage_.bind(1, rows).bind(2, (zmtp::row_checksum{'h'} << rows).value()).run();
}

// A row that begins at or below `start` and ends above it stays.
error_code log_file::trim(sequence start) {
  return start == all_.numbers.start ? error_code{} : trim_entries_.bind(1, start).run();
}

error_code log_file::clear() {
  all_ = {};
  auto ec = map_.clear();
  if (!ec) {
    ec = sessions_.clear();
  }
  return ec ? ec
            : file_.database().execute("DELETE FROM log; DELETE FROM ids; DELETE FROM lineage");
}

void log_file::tidy() {
  if (trust_ == trust::failed || is_open_) {
    return;
  }
  const auto ec = file_.tidy();
  if (ec && ec != zmtp::storage_errc::store_full) {
    trust_ = trust::failed;
  }
}

}  // namespace chp
