#include "chp/store.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace chp {

store::store(std::uint64_t seed, const store_limits& limits)
    : limits_{limits}, slots_{zmtp::keyed_hash{seed}, first_parts} {}

store::~store() {
  assert(!past_.any_open());
  dismantle(std::numeric_limits<std::size_t>::max());
}

errc store::check(const change& to, const entry* replaced) const noexcept {
  if (to.key.empty()) {
    return errc::key_empty;
  }
  if (to.key.size() > past_entries::max_key_size) {
    return errc::key_too_long;
  }
  if (to.value.size() > std::numeric_limits<std::uint32_t>::max()) {
    return errc::value_too_long;
  }
  if (replaced == nullptr && keys_ >= limits_.max_keys) {
    return errc::too_many_keys;
  }
  const auto payload = to.key.size() + to.value.size();
  const auto before = replaced == nullptr ? 0 : replaced->payload();
  return payload > before && bytes_ - before + payload > limits_.max_bytes ? errc::too_many_bytes
                                                                           : errc{};
}

errc store::apply(const change& to, sequence at) {
  const auto p = slots_.probe_of(to.key);
  const auto* const found = slots_.find(p);
  auto* const old = found == nullptr ? nullptr : found->of;
  if (const auto fault = check(to, old); fault != errc{}) {
    return fault;
  }
  if (old == nullptr) {
    insert(entry::make(to, at), p);
  } else if (!past_.needs(*old) && old->fits(to)) {
    overwrite(*old, to, at);
  } else {
    auto by = entry::make(to, at);
    replace(*found, std::move(by), past_.make_version_of(*old));
  }
  advance_to(at);
  return errc{};
}

bool store::erase(std::string_view key, sequence at) {
  const auto found = slots_.place_of(key);
  if (!found) {
    advance_to(at);
    return false;
  }
  auto& e = *found->of;
  auto past = past_.make_version_of(e);
  slots_.erase(found);
  newest_ = newest_ == &e ? nullptr : newest_;
  entries_.erase(map_orders::by_key::s_iterator_to(e));
  --keys_;
  leave(e);
  past_.add(entry::ptr{&e}, std::move(past), at);
  advance_to(at);
  return true;
}

const store::entry* store::find(std::string_view key) const noexcept {
  const auto* const found = slots_.find(key);
  return found == nullptr ? nullptr : found->of;
}

std::optional<store::time_point> store::next_deadline() const noexcept {
  if (expiring_.empty()) {
    return std::nullopt;
  }
  return expiring_.begin()->until;
}

const store::entry* store::first_of(std::string_view subtree) const noexcept {
  const auto first = entries_.lower_bound(subtree);
  return first != entries_.end() && first->key().starts_with(subtree) ? &*first : nullptr;
}

const store::entry* store::next_of(const entry& e, std::string_view subtree) const noexcept {
  const auto next = std::next(map_orders::by_key::s_iterator_to(e));
  return next != entries_.end() && next->key().starts_with(subtree) ? &*next : nullptr;
}

// Keys mostly come in their order: those of snapshots and copies all, and numbered ones in runs.
map_orders::by_key::iterator store::behind_newest() noexcept {
  // At the end of the tree, std::next() would climb up to its root.
  return newest_ == nullptr || newest_ == &*entries_.rbegin()
             ? entries_.end()
             : std::next(map_orders::by_key::s_iterator_to(*newest_));
}

void store::insert(entry::ptr e, const slot_set::probe& p) {
  slots_.insert(slot{e.get(), p.hash}, p);
  auto& added = *e.release();
  entries_.insert(behind_newest(), added);
  newest_ = &added;
  ++keys_;
  join(added);
}

// Enters the deadline and the sums. The entry is in the tree and the table already.
void store::join(entry& e) noexcept {
  bytes_ += e.payload();
  if (e.is_expiring()) {
    // Deadlines mostly rise.
    expiring_.insert(expiring_.end(), static_cast<expiring_entry&>(e));
  }
}

void store::leave(entry& e) noexcept {
  bytes_ -= e.payload();
  if (e.is_expiring()) {
    expiring_.erase(map_orders::by_deadline::s_iterator_to(static_cast<expiring_entry&>(e)));
  }
}

void store::overwrite(entry& e, const change& to, sequence at) noexcept {
  leave(e);
  e.overwrite(to, at);
  join(e);
}

void store::replace(const slot& in, entry::ptr by, past_entries::version_ptr past) noexcept {
  auto& old = *in.of;
  auto& added = *by.release();
  entries_.replace_node(map_orders::by_key::s_iterator_to(old), added);
  newest_ = newest_ == &old ? &added : newest_;
  in.of = &added;
  leave(old);
  join(added);
  past_.add(entry::ptr{&old}, std::move(past), added.number());
}

void store::postpone(expiring_entry& m, time_point until) noexcept {
  expiring_.erase(map_orders::by_deadline::s_iterator_to(m));
  m.until = until;
  expiring_.insert(expiring_.end(), m);
}

store::snapshot store::open_snapshot(std::string_view subtree) {
  return {*this, past_.open(number_, subtree)};
}

bool store::dismantle(std::size_t most) noexcept {
  assert(!past_.any_open());
  expiring_.clear();
  newest_ = nullptr;
  if (!slots_.dismantle(most)) {
    return false;
  }
  const auto past = std::min(most, past_.size());
  past_.tidy(past);
  for (most -= past; most != 0; --most) {
    const entry::ptr e{entries_.unlink_leftmost_without_rebalance()};
    if (e == nullptr) {
      break;
    }
    --keys_;
    bytes_ -= e->payload();
  }
  return keys_ == 0 && past_.size() == 0;
}

}  // namespace chp
