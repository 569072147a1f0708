#pragma once
// Sessions whose updates the server has deferred until the client resends them in order. Pure.

#include "chp/divided_set.h"
#include "zmtp/routing/keyed_hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace chp {

// The first deferred update of each session. A Zinc client resends all its uncommitted updates in
// order. The server must accept the first deferred update before later ones of the session, which
// may have been in flight already.
class deferred_sessions {
public:
  // Peers choose the sessions, so `seed` must be random. Above `most` sessions some are forgotten.
  deferred_sessions(std::uint64_t seed, std::size_t most)
      : first_{zmtp::keyed_hash{seed}}, most_{std::max<std::size_t>(most, 1)} {}

  // An update was deferred.
  void add(std::uint64_t session, std::uint64_t counter) {
    const auto p = first_.probe_of(session);
    if (const auto* const there = first_.find(p)) {
      there->counter = std::min(there->counter, counter);
      return;
    }
    if (first_.size() >= most_) {
      first_.erase(first_.find_if([](const first_update&) { return true; })->session);
    }
    first_.insert({session, counter}, p);
  }
  // Returns whether an earlier update of the session is deferred.
  [[nodiscard]] bool holds(std::uint64_t session, std::uint64_t counter) const noexcept {
    const auto* const found = first_.find(session);
    return found != nullptr && found->counter < counter;
  }
  // The update was accepted.
  void on_taken(std::uint64_t session, std::uint64_t counter) noexcept {
    if (const auto found = first_.place_of(session); found && found->counter == counter) {
      first_.erase(found);
    }
  }
  void clear() noexcept { first_.clear(); }
  [[nodiscard]] std::size_t size() const noexcept { return first_.size(); }

private:
  struct first_update {
    std::uint64_t session;
    mutable std::uint64_t counter;
  };
  struct session_of {
    std::uint64_t operator()(const first_update& u) const noexcept { return u.session; }
  };

  divided_set<first_update, session_of, zmtp::keyed_hash> first_;
  std::size_t most_;
};

}  // namespace chp
