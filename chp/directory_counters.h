#pragma once
// How many updates each subtree has had in this epoch. Pure.

#include "chp/subtree.h"
#include "zmtp/routing/keyed_hash.h"

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chp {

// A directory that is not among the first `limit` is not counted, then or ever: a count that began later
// would say that nothing came before.
class directory_counters {
public:
  // Peers choose the names: `seed` is random.
  directory_counters(std::uint64_t seed, std::size_t limit)
      : counts_{0, hash{zmtp::keyed_hash{seed}}, equal{}}, limit_{limit} {}

  // Counts an update of this key; the new counts of the subtrees that it is in, for as long as the key
  // lives and up to the next call.
  [[nodiscard]] std::span<const directory_count> add(std::string_view key) {
    changed_.clear();
    for_each_directory(key, [this](std::string_view directory) {
      auto at = counts_.find(directory);
      if (at == counts_.end()) {
        if (counts_.size() >= limit_) {
          return;
        }
        at = counts_.emplace(directory, 0).first;
      }
      changed_.push_back({directory, ++at->second});
    });
    return changed_;
  }
  // Nothing if it is not counted.
  [[nodiscard]] std::optional<std::uint64_t> of(std::string_view directory) const {
    if (const auto at = counts_.find(directory); at != counts_.end()) {
      return at->second;
    }
    return counts_.size() < limit_ ? std::optional<std::uint64_t>{0} : std::nullopt;
  }
  [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }
  // Another epoch begins.
  void clear() { counts_.clear(); }

private:
  struct hash {
    using is_transparent = void;
    using is_avalanching = void;
    zmtp::keyed_hash key;
    std::size_t operator()(std::string_view text) const noexcept { return key(text); }
  };
  struct equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
  };

  boost::unordered_flat_map<std::string, std::uint64_t, hash, equal> counts_;
  boost::container::small_vector<directory_count, 8> changed_;
  std::size_t limit_;
};

}  // namespace chp
