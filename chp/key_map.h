#pragma once
// The keys and values that a client holds. Pure.

#include "chp/error.h"
#include "chp/sequence.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace chp {

class key_map {
public:
  struct entry {
    std::string value;
    sequence number;  // of the update that set it
  };
  using entries = std::map<std::string, entry, std::less<>>;

  key_map(std::size_t most_keys, std::size_t most_octets) noexcept
      : most_keys_{most_keys}, most_octets_{most_octets} {}

  // Fast if keys come in order. Errors (errc{}: none): too_many_keys, too_many_octets; the map is as it was.
  [[nodiscard]] errc set(std::string_view key, std::string_view value, sequence number);
  // False if it was not there.
  bool erase(std::string_view key);
  // Valid until the key is set or erased.
  [[nodiscard]] const entry* find(std::string_view key) const;
  // Visits what begins with `prefix`, in the order of keys: visit(key, entry).
  template <class Visit>
  void for_each(std::string_view prefix, Visit&& visit) const {
    for (auto at = entries_.lower_bound(prefix);
         at != entries_.end() && at->first.starts_with(prefix); ++at) {
      visit(std::string_view{at->first}, at->second);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  // Of keys and values.
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }
  void clear() noexcept;
  void swap(key_map& with) noexcept;

  // Visits in the order of keys what makes this map of another: set(key, entry) and erased(key).
  template <class Set, class Erased>
  void for_each_difference(const key_map& from, Set&& set, Erased&& erased) const {
    auto was = from.entries_.begin();
    auto is = entries_.begin();
    while (was != from.entries_.end() || is != entries_.end()) {
      if (is == entries_.end() || (was != from.entries_.end() && was->first < is->first)) {
        erased(std::string_view{was->first});
        ++was;
      } else if (was == from.entries_.end() || is->first < was->first) {
        set(std::string_view{is->first}, is->second);
        ++is;
      } else {
        if (is->second.value != was->second.value) {
          set(std::string_view{is->first}, is->second);
        }
        ++was;
        ++is;
      }
    }
  }

private:
  std::size_t most_keys_;
  std::size_t most_octets_;
  entries entries_;
  std::size_t octets_ = 0;
};

}  // namespace chp
