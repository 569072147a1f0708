#pragma once
// Whose updates are put off, until they come again in their order. Pure.

#include "zmtp/routing/keyed_hash.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace chp {

// A client of ours sends what is not committed again, all of it, in its order. Of one session the first update
// that was put off is the next to be taken: one behind it, which may have been on its way, must not overtake it.
class put_off_sessions {
public:
  // Peers choose the sessions: `seed` is random. Above `most` sessions some are forgotten.
  put_off_sessions(std::uint64_t seed, std::size_t most)
      : first_{0, hash{zmtp::keyed_hash{seed}}}, most_{std::max<std::size_t>(most, 1)} {}

  // An update has come that is not to be taken yet.
  void add(std::uint64_t session, std::uint64_t counter) {
    const auto [at, is_new] = first_.try_emplace(session, counter);
    at->second = std::min(at->second, counter);
    if (is_new && first_.size() > most_) {
      const auto other = first_.begin();
      first_.erase(other != at ? other : std::next(other));
    }
  }
  // Whether one before this is put off.
  [[nodiscard]] bool holds(std::uint64_t session, std::uint64_t counter) const noexcept {
    const auto found = first_.find(session);
    return found != first_.end() && found->second < counter;
  }
  // It is taken.
  void on_taken(std::uint64_t session, std::uint64_t counter) noexcept {
    if (const auto found = first_.find(session);
        found != first_.end() && found->second == counter) {
      first_.erase(found);
    }
  }
  void clear() noexcept { first_.clear(); }
  [[nodiscard]] std::size_t size() const noexcept { return first_.size(); }

private:
  struct hash {
    using is_avalanching = void;
    zmtp::keyed_hash of;
    std::size_t operator()(std::uint64_t session) const noexcept { return of(session); }
  };

  boost::unordered_flat_map<std::uint64_t, std::uint64_t, hash> first_;
  std::size_t most_;
};

}  // namespace chp
