#pragma once
// The map: keys and values in order, their times to live, and consistent views of it while it changes.
// Pure.

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

struct store_limits {
  std::size_t max_keys = 10'000'000;
  std::size_t max_octets = std::size_t{1} << 30;  // of keys and values

  [[nodiscard]] static constexpr store_limits none() noexcept {
    return {.max_keys = std::numeric_limits<std::size_t>::max(),
            .max_octets = std::numeric_limits<std::size_t>::max()};
  }
  // So many times as much.
  [[nodiscard]] constexpr store_limits times(std::size_t count) const noexcept {
    const auto most = std::numeric_limits<std::size_t>::max() / count;
    return {.max_keys = std::min(max_keys, most) * count,
            .max_octets = std::min(max_octets, most) * count};
  }
};

// One block of memory for an entry, in an ordered tree and in a hash table, so that a key is found in the
// same time whatever their number and a subtree costs what it has. No call takes longer with more
// keys, but for what it says and the depth of a tree.
//
// What a snapshot needs of the past is kept once for all of them, and no longer than one needs it.
//
// Thread safety: distinct objects safe, one object not. Views and pointers hold until the next change.
class store {
  using hook =
      boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>,
                                        boost::intrusive::optimize_size<true>>;

public:
  using time_point = std::chrono::steady_clock::time_point;
  class snapshot;

  // What a key holds.
  class entry {
  public:
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;

    [[nodiscard]] std::string_view key() const noexcept { return {octets(), key_size_}; }
    [[nodiscard]] std::string_view value() const noexcept {
      return {octets() + key_size_, value_size_};
    }
    // Of the update that set it.
    [[nodiscard]] sequence number() const noexcept { return number_; }
    [[nodiscard]] const update_id& id() const noexcept { return id_; }
    // When it is to go, if it does.
    [[nodiscard]] std::optional<time_point> deadline() const noexcept;

  private:
    friend store;
    entry() noexcept = default;
    ~entry() = default;
    // Key and value follow the object.
    [[nodiscard]] const char* octets() const noexcept;
    [[nodiscard]] char* octets() noexcept;
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

  // What a key is to hold.
  struct change {
    std::string_view key;    // 1 to 255 octets
    std::string_view value;  // less than 4 GiB
    update_id id = {};
    std::optional<time_point> deadline = {};
  };

  // Peers choose the keys: `seed` is random.
  explicit store(std::uint64_t seed = 0, const store_limits& limits = {});
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  // Takes as long as there are keys; see dismantle(). Its snapshots end before.
  ~store();

  // Sets or replaces. `at` is the update's sequence; while a snapshot is open it is above number().
  // Errors: key_empty, key_too_long, value_too_long, too_many_keys, too_many_octets. Throws
  // std::bad_alloc. After any of these nothing has changed.
  errc apply(const change& to, sequence at);
  // False if there is no such key, but number() is `at` from then on. As apply() otherwise, and throws
  // only while a snapshot is open.
  bool erase(std::string_view key, sequence at);
  // Of an update that leaves nothing here: number() is `at`.
  void pass(sequence at) noexcept { advance_to(at); }

  // Whether it would have room within these limits, whatever are its own. Errors: too_many_keys, too_many_octets.
  [[nodiscard]] errc check_room(std::string_view key, std::string_view value,
                                const store_limits& of) const noexcept;

  // Nothing if there is no such key.
  [[nodiscard]] const entry* find(std::string_view key) const noexcept;

  // Visits the entries whose keys begin so, in the order of keys, until `visit(const entry&)` returns
  // false. It must not change the store.
  template <class Visit>
  void for_each(std::string_view subtree, Visit&& visit) const;

  // When the first entry is to go, if any is.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Erases what is due, the earliest first, so many at most. `visit(const entry&)` is called before each
  // and returns the sequence of its erasing; it must not change the store. Returns how many went. Throws
  // std::bad_alloc while a snapshot is open, before the visit of what stays.
  template <class Visit>
  std::size_t expire(time_point now, std::size_t most, Visit&& visit);

  // A view of the entries whose keys begin so, as they are now. Throws std::bad_alloc.
  [[nodiscard]] snapshot open_snapshot(std::string_view subtree = {});

  // The highest sequence that there was.
  [[nodiscard]] sequence number() const noexcept { return number_; }
  [[nodiscard]] std::size_t keys() const noexcept { return keys_; }
  [[nodiscard]] bool empty() const noexcept { return keys_ == 0; }
  // Of all keys and values.
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
  // What entries, past ones too, take with what the heap adds. Hash tables take another 9 to 20 octets
  // for each key.
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }

  // Past entries, which snapshots need or needed.
  [[nodiscard]] std::size_t versions() const noexcept { return past_count_; }
  // Frees past entries that no snapshot needs any longer, of so many at most. True if there are no more.
  // Each change does it for a few.
  bool tidy(std::size_t most) noexcept;
  // Frees so many entries at most, of a store that nobody uses and that has no open snapshot; their places in
  // hash tables come before, and count as much. True if it is empty, and then it can be used again.
  bool dismantle(std::size_t most) noexcept;

private:
  static constexpr std::size_t max_key_size = 255;
  static constexpr std::size_t tidied_by_change = 4;

  // An entry that has a deadline.
  struct mortal : entry {
    hook by_deadline;
    time_point until;
  };
  // An entry that was replaced or erased, at `end`.
  struct version {
    hook by_key_and_end;
    version* next = nullptr;  // of the same view
    entry* of = nullptr;
    sequence end = 0;
  };
  // What is open or has been, and which past entries no newer one needs.
  struct view {
    sequence at = 0;
    std::string subtree;
    bool at_end = false;
    // The key up to which it has been read; no key is empty.
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

  // In the hash table. Its key does not change, which entry has it does.
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

  // Goes along what a view has, from where it was read up to, which it notes when it ends.
  class reader {
  public:
    reader(const store& of, view& v) noexcept;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader();
    // Looks at one key. Nothing if the view does not have it, or is at its end.
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
  // Nothing if no open view needs it.
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
  view* ended_ = nullptr;    // those that past entries are left of
  sequence number_ = 0;
  std::size_t keys_ = 0;
  std::size_t octets_ = 0;
  std::size_t memory_ = 0;
  std::size_t past_count_ = 0;
};

// The entries of a subtree as they were when it was opened, read in pieces while the store changes.
// Destroying it, which takes no time, ends it.
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

  // The store's number() when it was opened.
  [[nodiscard]] sequence number() const noexcept { return view_->at; }
  [[nodiscard]] std::string_view subtree() const noexcept { return view_->subtree; }
  // Whether all of it has been read.
  [[nodiscard]] bool at_end() const noexcept { return view_->at_end; }

  // Visits entries in the order of keys from where it stopped, until it has looked at so many, which may
  // be fewer visits, or `visit(const entry&)` returns false. That must not change the store.
  template <class Visit>
  void read(std::size_t most, Visit&& visit);

private:
  friend store;
  snapshot(store& of, view& v) noexcept : of_{&of}, view_{&v} {}

  store* of_;
  view* view_;
};

inline const char* store::entry::octets() const noexcept {
  return reinterpret_cast<const char*>(this) + (is_mortal_ ? sizeof(mortal) : sizeof(entry));
}

inline std::optional<store::time_point> store::entry::deadline() const noexcept {
  if (!is_mortal_) {
    return std::nullopt;
  }
  return static_cast<const mortal*>(this)->until;
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
