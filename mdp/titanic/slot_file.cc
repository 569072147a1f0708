#include "mdp/titanic/slot_file.h"

#include "zmtp/storage/error.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace mdp::titanic {

using boost::system::error_code;

namespace {

constexpr std::int64_t application = 0x5A54'4954;  // "ZTIT", shown by file(1)
constexpr std::int64_t file_version = 3;

// Returns whether nothing was written and a later try may succeed.
bool passes(error_code ec) noexcept {
  return ec == zmtp::storage_errc::store_full || ec == zmtp::storage_errc::read_failed;
}

bool reads(const store_operation& one) noexcept {
  return one.what == operation::read_request || one.what == operation::read_reply;
}

}  // namespace

slot_file::slot_file(sqlite_options options, const zmtp::runtime& of)
    : options_{std::move(options)}, runtime_{of} {}

slot_file::~slot_file() = default;

error_code slot_file::open(std::vector<stored_request>& slots) {
  auto ec = open_file();
  if (!ec) {
    ec = slot_rows::read_all(file_.database(), date(), slots);
  }
  if (!ec) {
    slots_ = slots.size();
    reserve_.emplace(options_.path + "-reserve", options_.vfs, options_.reserve_bytes);
    // Without the reserve no requests are accepted, but existing ones can be read and closed.
    static_cast<void>(reserve_->hold());
  }
  return ec;
}

error_code slot_file::open_file() {
  const auto ec = file_.open({.path = options_.path,
                              .sync = options_.sync,
                              .log_pages = options_.log_pages,
                              .cache_kibibytes = options_.cache_kibibytes,
                              .vfs = options_.vfs},
                             {.application = application,
                              .version = file_version,
                              .tables = slot_rows::tables(),
                              .upgrades = slot_rows::upgrades(date())});
  return ec ? ec : rows_.prepare(file_.database());
}

void slot_file::carry_out(const std::vector<store_operation>& batch,
                          std::vector<store_result>& results) {
  results.clear();
  for (const auto& one : batch) {
    results.push_back({.ticket = one.ticket});
  }
  const auto writes = !std::all_of(batch.begin(), batch.end(), reads);
  error_code ec = failed_ ? zmtp::storage_errc::store_failed : error_code{};
  const auto accepts = std::any_of(batch.begin(), batch.end(), [](const store_operation& one) {
    return one.what == operation::accept;
  });
  // Data that is read before it is written or closed in the same batch must be the old data.
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
    if (ec == zmtp::storage_errc::store_full) {
      ec = transact(batch, results, what_gives_way::what_is_accepted);
    }
    if (ec == zmtp::storage_errc::store_full && reserve_->release()) {
      ec = transact(batch, results, what_gives_way::what_is_accepted);
    }
    // After any other failed write, later writes cannot be trusted.
    failed_ = ec && !passes(ec);
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (read_already[i]) {
      continue;
    }
    if (reads(batch[i])) {
      read(batch[i], results[i]);
    } else if (ec) {
      results[i].ec = failed_ ? zmtp::storage_errc::store_failed : ec;
    }
  }
}

std::chrono::sys_seconds slot_file::date() const {
  return options_.clock ? options_.clock()
                        : std::chrono::floor<std::chrono::seconds>(runtime_.wall_clock());
}

error_code slot_file::hold_reserve() {
  if (reserve_->held()) {
    return {};
  }
  // A failed attempt costs time and may use the remaining space.
  const auto now = runtime_.now();
  if (now < hold_again_at_) {
    return zmtp::storage_errc::store_full;
  }
  hold_again_at_ = now + options_.reserve_retry;
  if (reserve_->hold()) {
    return {};
  }
  // The file does not shrink when requests are closed, so its free pages count for up to half of
  // the reserve. The other half is for the log, whose space empty_log() frees.
  std::int64_t pages = 0;
  std::int64_t page_size = 0;
  auto ec = file_.empty_log();
  if (!ec) {
    ec = file_.database().number_of("PRAGMA freelist_count", pages);
  }
  if (!ec) {
    ec = file_.database().number_of("PRAGMA page_size", page_size);
  }
  const auto inside =
      std::min(static_cast<std::size_t>(pages * page_size), options_.reserve_bytes / 2);
  return ec || reserve_->hold(options_.reserve_bytes - inside) ? ec
                                                               : zmtp::storage_errc::store_full;
}

error_code slot_file::transact(const std::vector<store_operation>& batch,
                               std::vector<store_result>& results, what_gives_way which) {
  const auto slots_before = slots_;
  auto ec = file_.begin();
  for (std::size_t i = 0; i < batch.size() && !ec; ++i) {
    if (batch[i].what == operation::accept && which == what_gives_way::what_is_accepted) {
      results[i].ec = zmtp::storage_errc::store_full;
    } else if (!reads(batch[i])) {
      ec = write(batch[i]);
    }
  }
  if (!ec && slots_ != slots_before) {
    ec = rows_.put_extent(slots_);
  }
  if (!ec) {
    ec = file_.commit();
    if (ec == zmtp::storage_errc::read_failed) {
      // SQLite may have written the transaction.
      ec = zmtp::storage_errc::store_failed;
    }
  }
  if (ec) {
    file_.roll_back();
    slots_ = slots_before;
  }
  return ec;
}

error_code slot_file::write(const store_operation& one) {
  const auto since = date();
  switch (one.what) {
    case operation::accept: {
      while (slots_ + 1 < one.number) {
        if (const auto ec = rows_.put_empty(slots_ + 1)) {
          return ec;
        }
        ++slots_;
      }
      slots_ = std::max(slots_, one.number);
      const auto ec =
          rows_.put_request(one.number, one.accepted, one.id, one.service, one.principal, one.body);
      return ec ? ec : rows_.put_outcome(one.number, one.id, outcome::pending, 0, {}, since);
    }
    case operation::count_attempt:
      return rows_.put_outcome(one.number, one.id, outcome::pending, one.attempts, {}, since);
    case operation::answer:
      return rows_.put_outcome(one.number, one.id, outcome::answered, one.attempts, one.body,
                               since);
    case operation::give_up:
      return rows_.put_outcome(one.number, one.id, outcome::given_up, one.attempts, {}, since);
    case operation::close: return rows_.put_empty(one.number);
    case operation::read_request:
    case operation::read_reply: break;
  }
  return {};
}

void slot_file::read(const store_operation& one, store_result& result) {
  whole_slot slot;
  result.ec = rows_.read_request(one.number, slot, one.what == operation::read_request);
  if (!result.ec) {
    result.ec = rows_.read_outcome(one.number, slot, one.what == operation::read_reply);
  }
  if (!result.ec) {
    result.body = std::move(one.what == operation::read_request ? slot.request : slot.reply);
    if (result.body.empty()) {
      result.ec = zmtp::storage_errc::row_damaged;
    }
  }
}

void slot_file::tidy() {
  if (failed_) {
    return;
  }
  const auto ec = file_.tidy();
  failed_ = ec && !passes(ec);
}

error_code slot_file::salvage(std::function<void(whole_slot&&)> take, salvage_report& report) {
  if (const auto ec = open_file()) {
    return ec;
  }
  for (const auto* const sql : {"SELECT slots FROM extent", "SELECT max(number) FROM requests",
                                "SELECT max(number) FROM outcomes"}) {
    std::int64_t count = 0;
    // Limits the work if the number was altered: no slot is smaller than this.
    constexpr std::int64_t least_bytes = 16;
    std::int64_t pages = 0;
    std::int64_t page_size = 0;
    auto ec = file_.database().number_of(sql, count);
    if (!ec) {
      ec = file_.database().number_of("PRAGMA page_count", pages);
    }
    if (!ec) {
      ec = file_.database().number_of("PRAGMA page_size", page_size);
    }
    if (ec == zmtp::storage_errc::read_failed) {
      return ec;
    }
    if (!ec && count > 0) {
      const auto most = pages * page_size / least_bytes;
      report.slots = std::max(report.slots, static_cast<std::uint64_t>(std::min(count, most)));
    }
  }
  for (std::uint64_t number = 1; number <= report.slots; ++number) {
    whole_slot one;
    auto ec = rows_.read_request(number, one, true);
    if (ec == zmtp::storage_errc::row_damaged) {
      ++report.lost;
      continue;
    }
    if (!ec && one.about.accepted == 0) {
      continue;
    }
    if (!ec) {
      ec = rows_.read_outcome(number, one, true);
    }
    if (ec == zmtp::storage_errc::read_failed) {
      return ec;
    }
    if (ec) {
      ++report.reopened;
      one.about.state = outcome::pending;
      one.about.attempts = 0;
      one.reply.clear();
    }
    ++report.kept;
    take(std::move(one));
  }
  // The caller renames the file without its log.
  return empty_log();
}

}  // namespace mdp::titanic
