#include "chp/update_register.h"

#include "chp/error.h"

#include <algorithm>
#include <utility>

namespace chp {

namespace {

using gap_list = boost::container::small_vector<counter_range, 1>;

// The gap that a counter is in, or the end.
template <class Gaps>
auto find_gap(Gaps& gaps, std::uint64_t counter) noexcept {
  const auto found = std::partition_point(
      gaps.begin(), gaps.end(), [&](const counter_range& gap) { return gap.last < counter; });
  return found != gaps.end() && found->first <= counter ? found : gaps.end();
}

// Notes that the counter is applied. False, and nothing has changed, where that would make too many gaps.
bool fill(std::uint64_t& upto, gap_list& gaps, std::uint64_t counter) {
  if (counter > upto) {
    if (counter != upto + 1) {
      if (gaps.size() == max_gaps) {
        return false;
      }
      gaps.push_back({upto + 1, counter - 1});
    }
    upto = counter;
    return true;
  }
  const auto gap = find_gap(gaps, counter);
  if (gap == gaps.end()) {
    return true;
  }
  if (gap->first == gap->last) {
    gaps.erase(gap);
  } else if (gap->first == counter) {
    ++gap->first;
  } else if (gap->last == counter) {
    --gap->last;
  } else if (gaps.size() == max_gaps) {
    return false;
  } else {
    const counter_range above{counter + 1, gap->last};
    const auto lower = gaps.insert(std::next(gap), above) - 1;
    lower->last = counter - 1;
  }
  return true;
}

}  // namespace

update_register::update_register(std::uint64_t seed, const register_limits& limits)
    : limits_{std::max<std::size_t>(limits.max_sessions, 1),
              std::max<std::size_t>(limits.max_others, 1)},
      by_session_{zmtp::keyed_hash{seed}},
      by_id_{hash_of_id{zmtp::keyed_hash{seed}}} {}

const update_register::record* update_register::find_record(std::uint64_t session) const noexcept {
  const auto* const found = by_session_.find(session);
  return found == nullptr ? nullptr : &records_[found->at];
}

update_register::session_view update_register::find(std::uint64_t session) const noexcept {
  const auto* const r = find_record(session);
  if (r == nullptr) {
    return {};
  }
  session_view view{r->counter, r->gaps};
  if (r->refused) {
    view.refused = r->refused->last;
    view.unsure = r->refused->forgotten;
  }
  return view;
}

// In its place; what it continues becomes one with it. When there are too many the lowest go.
void update_register::refusals::add(const refusal& one) noexcept {
  const auto next = std::upper_bound(
      last.begin(), last.end(), one.updates.first,
      [](std::uint64_t first, const refusal& each) { return first < each.updates.first; });
  if (next != last.begin()) {
    auto& before = *std::prev(next);
    if (before.updates.last >= one.updates.first) {
      return;
    }
    if (before.why == one.why && before.updates.last + 1 == one.updates.first &&
        (next == last.end() || one.updates.last < next->updates.first)) {
      before.updates.last = one.updates.last;
      return;
    }
  }
  if (next != last.end() && next->updates.first <= one.updates.last) {
    return;
  }
  last.insert(next, one);
  if (last.size() > max_refusals) {
    forgotten = std::max(forgotten, last.front().updates.last);
    last.erase(last.begin());
  }
}

bool update_register::refuse(const update_id& id, errc why) {
  if (contains(id)) {
    return false;
  }
  // So that nothing can fail once it is known.
  auto& r = touch(id.session());
  if (!r.refused) {
    r.refused = std::make_unique<refusals>();
  }
  r.refused->last.reserve(r.refused->last.size() + 1);
  insert(id);
  r.refused->add({{id.counter(), id.counter()}, why});
  return true;
}

bool update_register::contains(const update_id& id) const noexcept {
  if (id.empty()) {
    return false;
  }
  if (id.has_session()) {
    const auto* const r = find_record(id.session());
    if (r != nullptr && id.counter() <= r->counter &&
        find_gap(r->gaps, id.counter()) == r->gaps.end()) {
      return true;
    }
  }
  return by_id_.contains(id);
}

bool update_register::insert(const update_id& id) {
  if (id.empty()) {
    return true;
  }
  const bool is_new = !contains(id);
  if (id.has_session()) {
    auto& r = touch(id.session());
    // An id that was stored without a session may fit the gaps now.
    if (fill(r.counter, r.gaps, id.counter())) {
      return is_new;
    }
  }
  if (is_new) {
    insert_other(id);
  }
  return is_new;
}

update_register::record& update_register::touch(std::uint64_t session) {
  const auto* const found = by_session_.find(session);
  if (found == nullptr) {
    return records_[add(session)];
  }
  const auto at = found->at;
  prepare_change(at);
  if (at != newest_) {
    unlink(records_[at]);
    link_newest(at);
  }
  return records_[at];
}

std::uint32_t update_register::add(std::uint64_t session) {
  if (records_.size() < limits_.max_sessions) {
    const auto at = static_cast<std::uint32_t>(records_.size());
    records_.push_back({.session = session, .changed = images_ever_});
    try {
      by_session_.insert({session, at});
    } catch (...) {
      records_.pop_back();
      throw;
    }
    link_newest(at);
    return at;
  }
  const auto at = oldest_;
  prepare_change(at);
  by_session_.insert({session, at});
  auto& r = records_[at];
  by_session_.erase(r.session);
  unlink(r);
  r = {.session = session, .changed = images_ever_};
  link_newest(at);
  return at;
}

void update_register::unlink(const record& r) noexcept {
  (r.older == none ? oldest_ : records_[r.older].newer) = r.newer;
  (r.newer == none ? newest_ : records_[r.newer].older) = r.older;
}

void update_register::link_newest(std::uint32_t at) noexcept {
  records_[at].older = newest_;
  records_[at].newer = none;
  (newest_ == none ? oldest_ : records_[newest_].newer) = at;
  newest_ = at;
}

void update_register::insert_other(const update_id& id) {
  if (others_.size() < limits_.max_others) {
    others_.push_back(id);
    try {
      by_id_.insert(id);
    } catch (...) {
      others_.pop_back();
      throw;
    }
  } else {
    prepare_end_of_other(others_ever_ - limits_.max_others);
    by_id_.insert(id);
    by_id_.erase(std::exchange(others_[others_ever_ % limits_.max_others], id));
  }
  ++others_ever_;
}

}  // namespace chp
