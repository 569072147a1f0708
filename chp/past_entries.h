#pragma once
// The past entries of a map, for its open snapshots. Pure.

#include "chp/map_entry.h"
#include "chp/sequence.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

// A past entry is stored once for all snapshots, and only as long as one needs it.
class past_entries {
public:
  static constexpr std::size_t max_key_size = 255;

  // An entry that was replaced or erased at `end`.
  struct version {
    map_entry::hook by_key_and_end;
    version* next = nullptr;  // next one of the same view
    map_entry* of = nullptr;
    sequence end = 0;
  };
  using version_ptr = std::unique_ptr<version>;
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

  class reader;

  // Throws std::bad_alloc. `at` must not be below that of any view.
  [[nodiscard]] view& open(sequence at, std::string_view subtree);
  // Immediate: tidy() frees what the view alone needed.
  void close(view& v) noexcept;
  [[nodiscard]] bool any_open() const noexcept { return !open_.empty(); }
  [[nodiscard]] std::size_t open_views() const noexcept { return open_.size(); }
  [[nodiscard]] bool is_oldest(const view& v) const noexcept { return open_.front() == &v; }

  // Returns whether an open view needs an entry that is replaced or erased now.
  [[nodiscard]] bool needs(const map_entry& e) const noexcept {
    return any_open() && open_.back()->at >= e.number();
  }
  // Returns the memory to keep this entry, or null if no open view needs it. Throws std::bad_alloc.
  [[nodiscard]] version_ptr make_version_of(const map_entry& e) const {
    return needs(e) ? std::make_unique<version>() : nullptr;
  }
  // The entry was replaced or erased at `end`. Without a version, it is freed.
  void add(map_entry::ptr e, version_ptr in, sequence end) noexcept;

  // Frees past entries that no view needs, after it has looked at no more than `most`. Returns true
  // when none are left.
  bool tidy(std::size_t most) noexcept;
  // Returns whether open views need all past entries.
  [[nodiscard]] bool is_tidy() const noexcept { return ended_ == nullptr; }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  // Bytes of their keys and values.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  struct key_and_end_of {
    using type = std::pair<std::string_view, sequence>;
    type operator()(const version& v) const noexcept { return {v.of->key(), v.end}; }
  };
  using version_tree = map_orders::ordered_by<version, &version::by_key_and_end, key_and_end_of>;

  void free(version& v) noexcept;

  version_tree all_;
  std::vector<view*> open_;  // the oldest first
  view* ended_ = nullptr;    // ended views with past entries
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

// Reads a view from the last key that was read. The destructor stores the position.
class past_entries::reader {
public:
  reader(const map_orders::by_key& now, const past_entries& past, view& v) noexcept;
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader();
  // Looks at one key. Returns null if the view does not contain it, or is at its end.
  [[nodiscard]] const map_entry* step() noexcept;

private:
  view& view_;
  std::string_view last_;
  map_orders::by_key::const_iterator entry_;
  const map_orders::by_key::const_iterator entries_end_;
  version_tree::const_iterator version_;
  const version_tree::const_iterator versions_end_;
};

}  // namespace chp
