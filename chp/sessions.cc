#include "chp/sessions.h"

#include "chp/answers.h"
#include "chp/network_order.h"

#include <algorithm>
#include <utility>

namespace chp {

namespace {

constexpr std::size_t row_head = 4 * 8 + 4;
constexpr std::size_t row_outcome = 8 + 1;

}  // namespace

std::uint32_t sessions::find(std::uint64_t session) const noexcept {
  // Updates of one session come in runs.
  if (newest_ != none && records_[newest_].session == session) {
    return newest_;
  }
  const auto* const found = by_session_.find(session);
  return found == nullptr ? none : found->at;
}

sessions::decision sessions::decide(const update_id& id, std::uint64_t low,
                                    sequence since) const noexcept {
  const auto counter = id.counter();
  const auto at = find(id.session());
  if (at == none) {
    const auto next = std::max<std::uint64_t>(low, 1);
    return {since < forgotten_ ? verdict::unknown
            : counter < next   ? verdict::over
            : counter > next   ? verdict::early
                               : verdict::execute};
  }
  const auto& r = records_[at];
  const auto lowest = std::max(low, r.low);
  if (counter < lowest) {
    return {verdict::over};
  }
  if (counter < r.first) {
    return {verdict::unknown};
  }
  if (counter < r.next()) {
    return {verdict::known, r.outcomes[static_cast<std::size_t>(counter - r.first)]};
  }
  if (counter > std::max(lowest, r.next())) {
    return {verdict::early};
  }
  const auto dropped =
      std::min<std::uint64_t>(lowest - std::min(lowest, r.first), r.outcomes.size());
  return {r.outcomes.size() - dropped >= limits_.max_outcomes ? verdict::full : verdict::execute};
}

void sessions::note(const log_entry& e) {
  if (!e.id.has_session()) {
    return;
  }
  auto at = find(e.id.session());
  if (at == none) {
    at = add(e.id.session());
  }
  auto& r = records_[at];
  if (e.number <= r.last) {
    return;
  }
  r.last = e.number;
  unlink(at);
  link_newest(at);
  if (!std::exchange(r.changed, true)) {
    changed_.push_back({e.number, r.session, at});
  }
  drop_below(r, e.low);
  const auto counter = e.id.counter();
  if (counter < r.next()) {
    return;  // it has an outcome, and counters are executed in order
  }
  if (counter > r.next()) {
    // Either `low` has passed the missing ones, or they were executed before this record began.
    outcomes_ -= r.outcomes.size();
    r.outcomes.drop(r.outcomes.size());
    r.first = counter;
  }
  const bool is_refused = e.kind == entry_kind::refusal;
  r.outcomes.push_back(
      {e.number, is_refused ? refusal_of(static_cast<std::uint8_t>(e.argument)) : errc{}});
  ++outcomes_;
  // A server of the Guide does not say `low`, so nothing else limits what its updates leave here.
  if (r.outcomes.size() > limits_.max_outcomes) {
    r.outcomes.drop(1);
    ++r.first;
    --outcomes_;
  }
  while (!replaying_ && is_above_limits() && oldest_ != at) {
    forget_oldest();
  }
}

void sessions::drop_below(record& r, std::uint64_t low) noexcept {
  r.low = std::max(r.low, low);
  if (r.first < r.low) {
    const auto count = std::min<std::uint64_t>(r.low - r.first, r.outcomes.size());
    r.outcomes.drop(static_cast<std::size_t>(count));
    outcomes_ -= static_cast<std::size_t>(count);
    r.first = r.outcomes.size() == 0 ? r.low : r.first + count;
  }
}

std::uint32_t sessions::add(std::uint64_t session) {
  std::uint32_t at = 0;
  if (free_.empty()) {
    at = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    at = free_.back();
    free_.pop_back();
  }
  auto& r = records_[at];
  r = record{};
  r.session = session;
  r.used = true;
  by_session_.insert({session, at});
  link_newest(at);
  return at;
}

void sessions::forget_oldest() noexcept {
  const auto at = oldest_;
  auto& r = records_[at];
  raise_forgotten(r.last);
  by_session_.erase(r.session);
  unlink(at);
  outcomes_ -= r.outcomes.size();
  dropped_.push_back(r.session);
  r = record{};
  free_.push_back(at);
}

void sessions::link_newest(std::uint32_t at) noexcept {
  auto& r = records_[at];
  r.older = newest_;
  r.newer = none;
  (newest_ == none ? oldest_ : records_[newest_].newer) = at;
  newest_ = at;
}

void sessions::unlink(std::uint32_t at) noexcept {
  const auto& r = records_[at];
  (r.older == none ? oldest_ : records_[r.older].newer) = r.newer;
  (r.newer == none ? newest_ : records_[r.newer].older) = r.older;
}

void sessions::append_row(const record& r, std::string& rows) {
  append_u64(rows, r.session);
  append_u64(rows, r.low);
  append_u64(rows, r.first);
  append_u64(rows, r.last);
  append_u32(rows, r.outcomes.size());
  for (std::size_t i = 0; i < r.outcomes.size(); ++i) {
    const auto& each = r.outcomes[i];
    append_u64(rows, each.number);
    rows.push_back(each.why == errc{} ? '\0' : static_cast<char>(refusal_code(each.why) + 1));
  }
}

bool sessions::append_rows(std::size_t& at, std::size_t most, std::string& rows) const {
  const auto limit = rows.size() + most;
  for (; at < records_.size() && rows.size() < limit; ++at) {
    if (records_[at].used) {
      append_row(records_[at], rows);
    }
  }
  return at < records_.size();
}

sessions::row sessions::read_row(std::string_view& rows) noexcept {
  const auto count = load_u32(rows, row_head - 4);
  const row first{load_u64(rows, 0), rows.substr(0, row_head + count * row_outcome)};
  rows.remove_prefix(first.bytes.size());
  return first;
}

errc sessions::insert_row(std::string_view& rows, sequence& highest) {
  if (rows.size() < row_head) {
    return errc::malformed_session;
  }
  const std::size_t count = load_u32(rows, row_head - 4);
  if ((rows.size() - row_head) / row_outcome < count) {
    return errc::malformed_session;
  }
  const auto session = load_u64(rows, 0);
  const auto low = load_u64(rows, 8);
  const auto first = load_u64(rows, 16);
  const auto last = load_u64(rows, 24);
  const bool is_valid = update_id::make_session(session) == session && low >= 1 && first >= low &&
                        first <= update_id::max_counter && last <= max_sequence &&
                        by_session_.find(session) == nullptr;
  if (!is_valid) {
    return errc::malformed_session;
  }
  sequence before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = load_u64(rows, row_head + i * row_outcome);
    if (number <= before || number > last) {
      return errc::malformed_session;
    }
    before = number;
  }
  auto& r = records_[add(session)];
  r.low = low;
  r.first = first;
  r.last = last;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = row_head + i * row_outcome;
    const auto code = static_cast<std::uint8_t>(rows[at + 8]);
    r.outcomes.push_back(
        {load_u64(rows, at), code == 0 ? errc{} : refusal_of(static_cast<std::uint8_t>(code - 1))});
  }
  outcomes_ += count;
  highest = std::max(highest, last);
  rows.remove_prefix(row_head + count * row_outcome);
  return {};
}

void sessions::end_replay() {
  std::vector<std::uint32_t> order;
  order.reserve(by_session_.size());
  for (auto at = oldest_; at != none; at = records_[at].newer) {
    order.push_back(at);
  }
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return records_[a].last < records_[b].last;
  });
  oldest_ = newest_ = none;
  for (const auto at : order) {
    link_newest(at);
  }
  replaying_ = false;
  while (is_above_limits() && oldest_ != newest_) {
    forget_oldest();
  }
}

template <class Visit>
void sessions::visit_changed(sequence to, Visit&& visit) {
  for (; !changed_.empty() && changed_.front().number <= to; changed_.pop_front()) {
    auto& r = records_[changed_.front().at];
    if (r.used && r.session == changed_.front().session && std::exchange(r.changed, false)) {
      visit(r);
    }
  }
}

void sessions::take_changed(sequence to, std::string& rows) {
  visit_changed(to, [&](const record& r) { append_row(r, rows); });
}

void sessions::forget_changed(sequence to) {
  visit_changed(to, [](const record& /*changed*/) {});
}

std::vector<std::uint64_t> sessions::take_forgotten() {
  std::erase_if(dropped_, [this](std::uint64_t session) { return find(session) != none; });
  return std::exchange(dropped_, {});
}

}  // namespace chp
