#pragma once
// The map: keys and values in order, their times to live, and consistent views of it while it
// changes. Pure.

#include "chp/divided_set.h"
#include "chp/error.h"
#include "chp/map_entry.h"
#include "chp/past_entries.h"
#include "chp/sequence.h"
#include "zmtp/routing/keyed_hash.h"

#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace chp {

// Limits of a map.
struct store_limits {
  std::size_t max_keys = 10'000'000;
  std::size_t max_bytes = std::size_t{1} << 30;  // bytes, keys and values

  [[nodiscard]] static constexpr store_limits none() noexcept {
    return {.max_keys = std::numeric_limits<std::size_t>::max(),
            .max_bytes = std::numeric_limits<std::size_t>::max()};
  }
};

// Each entry is in an ordered tree and in a hash table. So the time to find a key does not depend
// on the number of keys, and a subtree costs only its own entries. No call takes longer with more
// keys, except as stated and for the depth of the tree.
//
// Thread safety: distinct objects are safe, one object is not. Views and pointers are valid until
// the next change.
class store {
public:
  using time_point = map_entry::time_point;
  using entry = map_entry;
  using change = map_change;
  class snapshot;

  // Peers choose the keys, so `seed` must be random.
  explicit store(std::uint64_t seed = 0, const store_limits& limits = {});
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  // Takes time for all keys; see dismantle(). Snapshots must end before.
  ~store();

  // Sets or replaces an entry. `at` is the update's sequence. While a snapshot is open, it must be
  // above number().
  // Errors: key_empty, key_too_long, value_too_long, too_many_keys, too_many_bytes. Throws
  // std::bad_alloc. After an error or exception nothing has changed.
  errc apply(const change& to, sequence at);
  // Removes an entry. Returns false if the key does not exist; number() is still `at` from then on.
  // Otherwise like apply(), but throws only while a snapshot is open.
  bool erase(std::string_view key, sequence at);
  // An update without an effect on the map: number() becomes `at`.
  void pass(sequence at) noexcept { advance_to(at); }

  // Returns null if the key does not exist.
  [[nodiscard]] const entry* find(std::string_view key) const noexcept;

  // Visits the entries whose keys begin with `subtree`, in the order of keys, until `visit(const
  // entry&)` returns false. It must not change the store.
  template <class Visit>
  void for_each(std::string_view subtree, Visit&& visit) const;

  // Returns when the first entry expires, if one does.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Visits at most `most` entries whose time has ended, the earliest first. `visit(const entry&)`
  // returns a new deadline for the entry, later than `now`, and must not change the store.
  template <class Visit>
  void visit_due(time_point now, std::size_t most, Visit&& visit);

  // Returns a view of the entries whose keys begin with `subtree`, as they are now. Throws
  // std::bad_alloc.
  [[nodiscard]] snapshot open_snapshot(std::string_view subtree = {});

  // Returns the highest sequence so far.
  [[nodiscard]] sequence number() const noexcept { return number_; }
  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }
  [[nodiscard]] bool empty() const noexcept { return keys_ == 0; }
  // Bytes of all keys and values.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  // Returns the past entries, which snapshots need or needed.
  [[nodiscard]] const past_entries& past() const noexcept { return past_; }
  // Frees past entries that no snapshot needs, after it has looked at no more than `most`. Returns
  // true when none are left. Each change frees a few.
  bool tidy(std::size_t most) noexcept { return past_.tidy(most); }
  // Frees at most `most` entries of an unused store without open snapshots. Freeing the hash tables
  // comes first, and counts as much. Returns true when the store is empty, and can be used again.
  bool dismantle(std::size_t most) noexcept;

private:
  static constexpr std::size_t tidied_by_change = 4;

  // An element of the hash table. Its key is constant, but its entry can change. Without the hash,
  // a table that grows would read each of its entries, most of which are in no cache.
  struct slot {
    mutable entry* of;
    std::uint64_t hash;
  };
  struct key_of_slot {
    std::string_view operator()(const slot& s) const noexcept { return s.of->key(); }
  };
  using slot_set = divided_set<slot, key_of_slot, zmtp::keyed_hash>;
  static constexpr std::size_t first_parts = 256;

  [[nodiscard]] errc check(const change& to, const entry* replaced) const noexcept;
  [[nodiscard]] map_orders::by_key::iterator behind_newest() noexcept;
  void insert(entry::ptr e, const slot_set::probe& p);
  void join(entry& e) noexcept;
  void leave(entry& e) noexcept;
  void overwrite(entry& e, const change& to, sequence at) noexcept;
  void replace(const slot& in, entry::ptr by, past_entries::version_ptr past) noexcept;
  void postpone(expiring_entry& m, time_point until) noexcept;
  void advance_to(sequence at) noexcept {
    assert(!past_.any_open() || at > number_);
    number_ = at > number_ ? at : number_;
    if (!past_.is_tidy()) {
      past_.tidy(tidied_by_change);
    }
  }
  [[nodiscard]] const entry* first_of(std::string_view subtree) const noexcept;
  [[nodiscard]] const entry* next_of(const entry& e, std::string_view subtree) const noexcept;

  store_limits limits_;
  slot_set slots_;
  map_orders::by_key entries_;
  entry* newest_ = nullptr;  // the last one that was inserted, while it is in entries_
  map_orders::by_deadline expiring_;
  past_entries past_;
  sequence number_ = 0;
  std::size_t keys_ = 0;
  std::size_t bytes_ = 0;
};

// The entries of a subtree at one moment, read in pieces while the store changes. Destroying it is
// immediate.
class store::snapshot {
public:
  snapshot(snapshot&& other) noexcept
      : of_{other.of_}, view_{std::exchange(other.view_, nullptr)} {}
  snapshot& operator=(snapshot&& other) noexcept {
    std::swap(of_, other.of_);
    std::swap(view_, other.view_);
    return *this;
  }
  ~snapshot() {
    if (view_ != nullptr) {
      of_->past_.close(*view_);
    }
  }

  // Returns the store's number() at that moment.
  [[nodiscard]] sequence number() const noexcept { return view_->at; }
  // Returns whether everything has been read.
  [[nodiscard]] bool at_end() const noexcept { return view_->at_end; }
  // Returns whether this is the first of the open snapshots.
  [[nodiscard]] bool is_oldest() const noexcept { return of_->past_.is_oldest(*view_); }

  // Visits entries in the order of keys, from where the last call stopped, until it has looked at
  // `most` keys or `visit(const entry&)` returns false. `visit` must not change the store.
  template <class Visit>
  void read(std::size_t most, Visit&& visit);

private:
  friend store;
  snapshot(store& of, past_entries::view& v) noexcept : of_{&of}, view_{&v} {}

  store* of_;
  past_entries::view* view_;
};

template <class Visit>
void store::for_each(std::string_view subtree, Visit&& visit) const {
  for (const auto* e = first_of(subtree); e != nullptr && visit(*e); e = next_of(*e, subtree)) {
  }
}

template <class Visit>
void store::visit_due(time_point now, std::size_t most, Visit&& visit) {
  for (; most != 0 && !expiring_.empty() && expiring_.begin()->until <= now; --most) {
    auto& m = *expiring_.begin();
    postpone(m, visit(static_cast<const entry&>(m)));
  }
}

template <class Visit>
void store::snapshot::read(std::size_t most, Visit&& visit) {
  past_entries::reader from{of_->entries_, of_->past_, *view_};
  for (; most != 0 && !view_->at_end; --most) {
    const auto* const e = from.step();
    if (e != nullptr && !visit(*e)) {
      return;
    }
  }
}

}  // namespace chp
