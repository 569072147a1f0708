#pragma once
// The map: keys and values in order, their times to live, and consistent views of it while it
// changes. Pure.

#include "chp/divided_set.h"
#include "chp/error.h"
#include "chp/sequence.h"
#include "chp/update_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/intrusive/set.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

// Limits of a map.
struct store_limits {
  std::size_t max_keys = 10'000'000;
  std::size_t max_bytes = std::size_t{1} << 30;  // bytes, keys and values

  [[nodiscard]] static constexpr store_limits none() noexcept {
    return {.max_keys = std::numeric_limits<std::size_t>::max(),
            .max_bytes = std::numeric_limits<std::size_t>::max()};
  }
  // Returns `count` times these limits.
  [[nodiscard]] constexpr store_limits times(std::size_t count) const noexcept {
    const auto most = std::numeric_limits<std::size_t>::max() / count;
    return {.max_keys = std::min(max_keys, most) * count,
            .max_bytes = std::min(max_bytes, most) * count};
  }
};

// Each entry is one block of memory, in an ordered tree and in a hash table. So the time to find a
// key does not depend on the number of keys, and a subtree costs only its own entries. No call
// takes longer with more keys, except as stated and for the depth of the tree.
//
// Old entries that snapshots need are stored once for all snapshots, and only as long as one needs
// them.
//
// Thread safety: distinct objects are safe, one object is not. Views and pointers are valid until
// the next change.
class store {
  using hook =
      boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>,
                                        boost::intrusive::optimize_size<true>>;

public:
  using time_point = std::chrono::steady_clock::time_point;
  class snapshot;

  // The entry of a key.
  class entry {
  public:
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;

    [[nodiscard]] std::string_view key() const noexcept { return {bytes(), key_size_}; }
    [[nodiscard]] std::string_view value() const noexcept {
      return {bytes() + key_size_, value_size_};
    }
    // Returns the sequence of the update that set it.
    [[nodiscard]] sequence number() const noexcept { return number_; }
    [[nodiscard]] const update_id& id() const noexcept { return id_; }
    // Returns when the entry expires, if it does.
    [[nodiscard]] std::optional<time_point> deadline() const noexcept;
    // Returns the full time to live with which it was set, or 0.
    [[nodiscard]] std::chrono::milliseconds ttl() const noexcept;

  private:
    friend store;
    entry() noexcept = default;
    ~entry() = default;
    // Key and value are stored after the object.
    [[nodiscard]] const char* bytes() const noexcept;
    [[nodiscard]] char* bytes() noexcept;
    [[nodiscard]] std::size_t payload() const noexcept {
      return std::size_t{key_size_} + value_size_;
    }
    void put_value(std::string_view value) noexcept;

    hook by_key_;
    sequence number_ = 0;
    update_id id_;
    std::uint32_t value_size_ = 0;
    std::uint8_t key_size_ = 0;
    bool is_mortal_ = false;
  };

  // The new content of a key.
  struct change {
    std::string_view key;    // 1 to 255 bytes
    std::string_view value;  // less than 4 GiB
    update_id id = {};
    std::optional<time_point> deadline = {};
    std::chrono::milliseconds ttl{0};  // with a deadline
  };

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

  // Checks whether the entry would fit within `of` instead of the store's own limits.
  // Errors: too_many_keys, too_many_bytes.
  [[nodiscard]] errc check_room(std::string_view key, std::string_view value,
                                const store_limits& of) const noexcept;

  // Returns null if the key does not exist.
  [[nodiscard]] const entry* find(std::string_view key) const noexcept;

  // Visits the entries whose keys begin with `subtree`, in the order of keys, until `visit(const
  // entry&)` returns false. It must not change the store.
  template <class Visit>
  void for_each(std::string_view subtree, Visit&& visit) const;

  // Returns when the first entry expires, if one does.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Erases at most `most` expired entries, the earliest first, and returns their number. Calls
  // `visit(const entry&)` before each one, which returns the sequence of the erasure and must not
  // change the store. While a snapshot is open, it may throw std::bad_alloc, before the visit of an
  // entry that stays.
  template <class Visit>
  std::size_t expire(time_point now, std::size_t most, Visit&& visit);

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
  // Bytes of memory of all entries, past ones included, with the overhead of the heap. Hash tables
  // use another 9 to 20 bytes for each key.
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }

  // Number of past entries, which snapshots need or needed.
  [[nodiscard]] std::size_t versions() const noexcept { return past_count_; }
  // Frees past entries that no snapshot needs, after it has looked at no more than `most`. Returns
  // true when none are left. Each change frees a few.
  bool tidy(std::size_t most) noexcept;
  // Frees at most `most` entries of an unused store without open snapshots. Freeing the hash tables
  // comes first, and counts as much. Returns true when the store is empty, and can be used again.
  bool dismantle(std::size_t most) noexcept;

private:
  static constexpr std::size_t max_key_size = 255;
  static constexpr std::size_t tidied_by_change = 4;

  // An entry with a deadline.
  struct mortal : entry {
    hook by_deadline;
    time_point until;
    std::chrono::milliseconds full{0};
  };
  // An entry that was replaced or erased at `end`.
  struct version {
    hook by_key_and_end;
    version* next = nullptr;  // next one of the same view
    entry* of = nullptr;
    sequence end = 0;
  };
  // A snapshot that is open or was, and the past entries that no newer one needs.
  struct view {
    sequence at = 0;
    std::string subtree;
    bool at_end = false;
    // The last key that was read; empty at first.
    std::uint8_t read_size = 0;
    std::array<char, max_key_size> read_key;
    version* needs = nullptr;
    view* next_ended = nullptr;

    [[nodiscard]] std::string_view read() const noexcept { return {read_key.data(), read_size}; }
  };

  struct key_of_entry {
    using type = std::string_view;
    type operator()(const entry& e) const noexcept { return e.key(); }
  };
  struct deadline_of_mortal {
    using type = time_point;
    const type& operator()(const mortal& m) const noexcept { return m.until; }
  };
  struct key_and_end_of_version {
    using type = std::pair<std::string_view, sequence>;
    type operator()(const version& v) const noexcept { return {v.of->key(), v.end}; }
  };
  template <class T, hook T::*Member, class KeyOf>
  using ordered_by = boost::intrusive::multiset<T, boost::intrusive::member_hook<T, hook, Member>,
                                                boost::intrusive::key_of_value<KeyOf>,
                                                boost::intrusive::constant_time_size<false>>;
  using entry_tree = ordered_by<entry, &entry::by_key_, key_of_entry>;
  using mortal_tree = ordered_by<mortal, &mortal::by_deadline, deadline_of_mortal>;
  using version_tree = ordered_by<version, &version::by_key_and_end, key_and_end_of_version>;

  // An element of the hash table. Its key is constant, but its entry can change.
  struct slot {
    mutable entry* of;
  };
  struct key_of_slot {
    std::string_view operator()(const slot& s) const noexcept { return s.of->key(); }
  };
  using slot_set = divided_set<slot, key_of_slot, zmtp::keyed_hash>;
  static constexpr std::size_t first_parts = 256;

  struct free_entry {
    void operator()(entry* e) const noexcept;
  };
  using entry_ptr = std::unique_ptr<entry, free_entry>;
  using version_ptr = std::unique_ptr<version>;

  // Reads a view from the last key that was read. The destructor stores the position.
  class reader {
  public:
    reader(const store& of, view& v) noexcept;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader();
    // Looks at one key. Returns null if the view does not contain it, or is at its end.
    [[nodiscard]] const entry* step() noexcept;

  private:
    const store& of_;
    view& view_;
    std::string_view last_;
    entry_tree::const_iterator entry_;
    version_tree::const_iterator version_;
  };

  [[nodiscard]] errc check(const change& to, const entry* replaced) const noexcept;
  [[nodiscard]] errc check_room(std::size_t payload, const entry* replaced,
                                const store_limits& of) const noexcept;
  [[nodiscard]] static entry_ptr make(const change& to, sequence at);
  // Returns null if no open view needs the entry.
  [[nodiscard]] version_ptr make_version_of(const entry& e) const;
  [[nodiscard]] bool is_needed(const entry& e) const noexcept {
    return !open_.empty() && open_.back()->at >= e.number_;
  }
  [[nodiscard]] static std::size_t size_of(bool is_mortal, std::size_t payload) noexcept;
  [[nodiscard]] static bool fits(const change& to, const entry& e) noexcept;
  void insert(entry_ptr e, const slot_set::probe& p);
  void join(entry& e) noexcept;
  void leave(entry& e) noexcept;
  void overwrite(entry& e, const change& to, sequence at) noexcept;
  void replace(const slot& in, entry_ptr by, version_ptr past) noexcept;
  void remove(const slot_set::place& found, version_ptr past, sequence at) noexcept;
  void remove_due(const entry& e, version_ptr past, sequence at) noexcept;
  void keep_or_free(entry& e, version_ptr past, sequence end) noexcept;
  void free(entry& e) noexcept;
  void free(version& v) noexcept;
  void close(view& v) noexcept;
  void advance_to(sequence at) noexcept {
    assert(open_.empty() || at > number_);
    number_ = at > number_ ? at : number_;
    if (ended_ != nullptr) {
      tidy(tidied_by_change);
    }
  }
  [[nodiscard]] const entry* first_of(std::string_view subtree) const noexcept;
  [[nodiscard]] const entry* next_of(const entry& e, std::string_view subtree) const noexcept;
  [[nodiscard]] const entry* first_due(time_point now) const noexcept;

  store_limits limits_;
  slot_set slots_;
  entry_tree entries_;
  mortal_tree mortals_;
  version_tree past_;
  std::vector<view*> open_;  // the oldest first
  view* ended_ = nullptr;    // ended views with past entries
  sequence number_ = 0;
  std::size_t keys_ = 0;
  std::size_t bytes_ = 0;
  std::size_t memory_ = 0;
  std::size_t past_count_ = 0;
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
      of_->close(*view_);
    }
  }

  // Returns the store's number() at that moment.
  [[nodiscard]] sequence number() const noexcept { return view_->at; }
  [[nodiscard]] std::string_view subtree() const noexcept { return view_->subtree; }
  // Returns whether everything has been read.
  [[nodiscard]] bool at_end() const noexcept { return view_->at_end; }

  // Visits entries in the order of keys, from where the last call stopped, until it has looked at
  // `most` keys or `visit(const entry&)` returns false. `visit` must not change the store.
  template <class Visit>
  void read(std::size_t most, Visit&& visit);

private:
  friend store;
  snapshot(store& of, view& v) noexcept : of_{&of}, view_{&v} {}

  store* of_;
  view* view_;
};

inline const char* store::entry::bytes() const noexcept {
  return reinterpret_cast<const char*>(this) + (is_mortal_ ? sizeof(mortal) : sizeof(entry));
}

inline std::optional<store::time_point> store::entry::deadline() const noexcept {
  if (!is_mortal_) {
    return std::nullopt;
  }
  return static_cast<const mortal*>(this)->until;
}

inline std::chrono::milliseconds store::entry::ttl() const noexcept {
  return is_mortal_ ? static_cast<const mortal*>(this)->full : std::chrono::milliseconds{0};
}

template <class Visit>
void store::for_each(std::string_view subtree, Visit&& visit) const {
  for (const auto* e = first_of(subtree); e != nullptr && visit(*e); e = next_of(*e, subtree)) {
  }
}

template <class Visit>
std::size_t store::expire(time_point now, std::size_t most, Visit&& visit) {
  std::size_t count = 0;
  for (; count < most; ++count) {
    const auto* const e = first_due(now);
    if (e == nullptr) {
      break;
    }
    auto past = make_version_of(*e);
    const sequence at = visit(*e);
    remove_due(*e, std::move(past), at);
  }
  return count;
}

template <class Visit>
void store::visit_due(time_point now, std::size_t most, Visit&& visit) {
  for (; most != 0 && first_due(now) != nullptr; --most) {
    auto& m = *mortals_.begin();
    const time_point until = visit(static_cast<const entry&>(m));
    mortals_.erase(mortal_tree::s_iterator_to(m));
    m.until = until;
    mortals_.insert(mortals_.end(), m);
  }
}

template <class Visit>
void store::snapshot::read(std::size_t most, Visit&& visit) {
  reader from{*of_, *view_};
  for (; most != 0 && !view_->at_end; --most) {
    const auto* const e = from.step();
    if (e != nullptr && !visit(*e)) {
      return;
    }
  }
}

}  // namespace chp
