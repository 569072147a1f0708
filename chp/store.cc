#include "chp/store.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace chp {

namespace {

// Returns the size of the heap's block for a size: a multiple of sixteen with eight bytes of
// overhead.
constexpr std::size_t block_size(std::size_t size) noexcept {
  return std::max<std::size_t>((size + 7) / 16 * 16 + 8, 24);
}
constexpr std::size_t heap_overhead = 8;

}  // namespace

char* store::entry::bytes() noexcept { return const_cast<char*>(std::as_const(*this).bytes()); }

// `value` may be a view of the old value.
void store::entry::put_value(std::string_view value) noexcept {
  value_size_ = static_cast<std::uint32_t>(value.size());
  if (!value.empty()) {
    std::memmove(bytes() + key_size_, value.data(), value.size());
  }
}

std::size_t store::size_of(bool is_mortal, std::size_t payload) noexcept {
  return block_size((is_mortal ? sizeof(mortal) : sizeof(entry)) + payload);
}

void store::free_entry::operator()(entry* e) const noexcept { ::operator delete(e); }

store::store(std::uint64_t seed, const store_limits& limits)
    : limits_{limits}, slots_{zmtp::keyed_hash{seed}, first_parts} {}

store::~store() {
  assert(open_.empty());
  dismantle(std::numeric_limits<std::size_t>::max());
}

errc store::check(const change& to, const entry* replaced) const noexcept {
  if (to.key.empty()) {
    return errc::key_empty;
  }
  if (to.key.size() > max_key_size) {
    return errc::key_too_long;
  }
  if (to.value.size() > std::numeric_limits<std::uint32_t>::max()) {
    return errc::value_too_long;
  }
  return check_room(to.key.size() + to.value.size(), replaced, limits_);
}

errc store::check_room(std::size_t payload, const entry* replaced,
                       const store_limits& of) const noexcept {
  if (replaced == nullptr && keys_ >= of.max_keys) {
    return errc::too_many_keys;
  }
  const auto before = replaced == nullptr ? 0 : replaced->payload();
  return payload > before && bytes_ - before + payload > of.max_bytes ? errc::too_many_bytes
                                                                      : errc{};
}

errc store::check_room(std::string_view key, std::string_view value,
                       const store_limits& of) const noexcept {
  const auto payload = key.size() + value.size();
  // Whatever it replaces.
  if (keys_ < of.max_keys && bytes_ + payload <= of.max_bytes) {
    return {};
  }
  return check_room(payload, find(key), of);
}

errc store::apply(const change& to, sequence at) {
  const auto p = slots_.probe_of(to.key);
  const auto* const found = slots_.find(p);
  auto* const old = found == nullptr ? nullptr : found->of;
  if (const auto fault = check(to, old); fault != errc{}) {
    return fault;
  }
  if (old == nullptr) {
    insert(make(to, at), p);
  } else if (!is_needed(*old) && fits(to, *old)) {
    overwrite(*old, to, at);
  } else {
    auto by = make(to, at);
    replace(*found, std::move(by), make_version_of(*old));
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
  remove(found, make_version_of(*found->of), at);
  return true;
}

const store::entry* store::find(std::string_view key) const noexcept {
  const auto* const found = slots_.find(key);
  return found == nullptr ? nullptr : found->of;
}

std::optional<store::time_point> store::next_deadline() const noexcept {
  if (mortals_.empty()) {
    return std::nullopt;
  }
  return mortals_.begin()->until;
}

const store::entry* store::first_due(time_point now) const noexcept {
  return mortals_.empty() || mortals_.begin()->until > now ? nullptr : &*mortals_.begin();
}

const store::entry* store::first_of(std::string_view subtree) const noexcept {
  const auto first = entries_.lower_bound(subtree);
  return first != entries_.end() && first->key().starts_with(subtree) ? &*first : nullptr;
}

const store::entry* store::next_of(const entry& e, std::string_view subtree) const noexcept {
  const auto next = std::next(entry_tree::s_iterator_to(e));
  return next != entries_.end() && next->key().starts_with(subtree) ? &*next : nullptr;
}

store::entry_ptr store::make(const change& to, sequence at) {
  const bool is_mortal = to.deadline.has_value();
  void* const memory = ::operator new(size_of(is_mortal, to.key.size() + to.value.size()));
  entry_ptr made;
  if (is_mortal) {
    auto* const m = new (memory) mortal;
    m->until = *to.deadline;
    m->full = to.ttl;
    made.reset(m);
  } else {
    made.reset(new (memory) entry);
  }
  made->is_mortal_ = is_mortal;
  made->number_ = at;
  made->id_ = to.id;
  made->key_size_ = static_cast<std::uint8_t>(to.key.size());
  std::copy(to.key.begin(), to.key.end(), made->bytes());
  made->put_value(to.value);
  return made;
}

store::version_ptr store::make_version_of(const entry& e) const {
  return is_needed(e) ? std::make_unique<version>() : nullptr;
}

void store::insert(entry_ptr e, const slot_set::probe& p) {
  slots_.insert(slot{e.get()}, p);
  auto& added = *e.release();
  entries_.insert(added);
  ++keys_;
  join(added);
}

// Enters the deadline and the sums. The entry is in the tree and the table already.
void store::join(entry& e) noexcept {
  bytes_ += e.payload();
  memory_ += size_of(e.is_mortal_, e.payload()) + heap_overhead;
  if (e.is_mortal_) {
    // Deadlines mostly rise.
    mortals_.insert(mortals_.end(), static_cast<mortal&>(e));
  }
}

void store::leave(entry& e) noexcept {
  bytes_ -= e.payload();
  if (e.is_mortal_) {
    mortals_.erase(mortal_tree::s_iterator_to(static_cast<mortal&>(e)));
  }
}

// Whether its block is of the size that one made for this would be, no larger and no smaller.
bool store::fits(const change& to, const entry& e) noexcept {
  return e.is_mortal_ == to.deadline.has_value() &&
         size_of(e.is_mortal_, e.payload()) ==
             size_of(e.is_mortal_, to.key.size() + to.value.size());
}

void store::overwrite(entry& e, const change& to, sequence at) noexcept {
  bytes_ += to.value.size() - e.value_size_;
  e.number_ = at;
  e.id_ = to.id;
  e.put_value(to.value);
  if (e.is_mortal_) {
    auto& m = static_cast<mortal&>(e);
    mortals_.erase(mortal_tree::s_iterator_to(m));
    m.until = *to.deadline;
    m.full = to.ttl;
    mortals_.insert(mortals_.end(), m);
  }
}

void store::replace(const slot& in, entry_ptr by, version_ptr past) noexcept {
  auto& old = *in.of;
  auto& added = *by.release();
  entries_.replace_node(entry_tree::s_iterator_to(old), added);
  in.of = &added;
  leave(old);
  join(added);
  keep_or_free(old, std::move(past), added.number_);
}

void store::remove(const slot_set::place& found, version_ptr past, sequence at) noexcept {
  auto& e = *found->of;
  slots_.erase(found);
  entries_.erase(entry_tree::s_iterator_to(e));
  --keys_;
  leave(e);
  keep_or_free(e, std::move(past), at);
  advance_to(at);
}

void store::remove_due(const entry& e, version_ptr past, sequence at) noexcept {
  remove(slots_.place_of(e.key()), std::move(past), at);
}

void store::keep_or_free(entry& e, version_ptr past, sequence end) noexcept {
  if (past == nullptr) {
    free(e);
    return;
  }
  auto& kept = *past.release();
  kept.of = &e;
  kept.end = end;
  past_.insert(kept);
  ++past_count_;
  memory_ += block_size(sizeof(version)) + heap_overhead;
  // The newest is the last to have it.
  auto& by = *open_.back();
  kept.next = std::exchange(by.needs, &kept);
}

void store::free(entry& e) noexcept {
  memory_ -= size_of(e.is_mortal_, e.payload()) + heap_overhead;
  free_entry{}(&e);
}

void store::free(version& v) noexcept {
  past_.erase(version_tree::s_iterator_to(v));
  --past_count_;
  memory_ -= block_size(sizeof(version)) + heap_overhead;
  free(*v.of);
  delete &v;
}

store::snapshot store::open_snapshot(std::string_view subtree) {
  auto opened = std::make_unique<view>();
  opened->at = number_;
  opened->subtree = subtree;
  open_.push_back(opened.get());
  return {*this, *opened.release()};
}

void store::close(view& v) noexcept {
  open_.erase(std::find(open_.begin(), open_.end(), &v));
  if (v.needs == nullptr) {
    delete &v;
  } else {
    v.next_ended = std::exchange(ended_, &v);
  }
}

bool store::tidy(std::size_t most) noexcept {
  for (; ended_ != nullptr && most != 0; --most) {
    auto& v = *ended_->needs;
    ended_->needs = v.next;
    // An entry that was replaced after this view was opened was also replaced after older views
    // were opened. So the next older view needs the entry too, if the entry existed by then.
    const auto newer = std::upper_bound(open_.begin(), open_.end(), ended_->at,
                                        [](sequence at, const view* o) { return at < o->at; });
    if (newer != open_.begin() && (*std::prev(newer))->at >= v.of->number_) {
      auto& older = **std::prev(newer);
      v.next = std::exchange(older.needs, &v);
    } else {
      free(v);
    }
    if (ended_->needs == nullptr) {
      delete std::exchange(ended_, ended_->next_ended);
    }
  }
  return ended_ == nullptr;
}

bool store::dismantle(std::size_t most) noexcept {
  assert(open_.empty());
  mortals_.clear();
  if (!slots_.dismantle(most)) {
    return false;
  }
  const auto past = std::min(most, past_count_);
  tidy(past);
  for (most -= past; most != 0; --most) {
    auto* const e = entries_.unlink_leftmost_without_rebalance();
    if (e == nullptr) {
      break;
    }
    --keys_;
    bytes_ -= e->payload();
    free(*e);
  }
  return keys_ == 0 && past_count_ == 0;
}

store::reader::reader(const store& of, view& v) noexcept
    : of_{of},
      view_{v},
      entry_{v.read_size == 0 ? of.entries_.lower_bound(std::string_view{v.subtree})
                              : of.entries_.upper_bound(v.read())},
      version_{of.past_.lower_bound(v.read_size == 0
                                        ? std::pair{std::string_view{v.subtree}, sequence{0}}
                                        : std::pair{v.read(), max_sequence + 1})} {}

store::reader::~reader() {
  if (!last_.empty()) {
    view_.read_size = static_cast<std::uint8_t>(last_.size());
    std::copy(last_.begin(), last_.end(), view_.read_key.begin());
  }
}

const store::entry* store::reader::step() noexcept {
  const auto is_in_subtree = [&](std::string_view key) { return key.starts_with(view_.subtree); };
  const auto entries_end = of_.entries_.end();
  const auto past_end = of_.past_.end();
  const bool has_entry = entry_ != entries_end && is_in_subtree(entry_->key());
  const bool has_version = version_ != past_end && is_in_subtree(version_->of->key());
  if (!has_entry && !has_version) {
    view_.at_end = true;
    return nullptr;
  }
  last_ = !has_version                          ? entry_->key()
          : !has_entry                          ? version_->of->key()
          : version_->of->key() < entry_->key() ? version_->of->key()
                                                : entry_->key();
  const entry* found = nullptr;
  for (; version_ != past_end && version_->of->key() == last_; ++version_) {
    if (version_->of->number_ <= view_.at && view_.at < version_->end) {
      found = version_->of;
    }
  }
  if (has_entry && entry_->key() == last_) {
    if (entry_->number_ <= view_.at) {
      found = &*entry_;
    }
    ++entry_;
  }
  return found;
}

}  // namespace chp
