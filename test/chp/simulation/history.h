#pragma once
// All publications of the active servers, and their order: an epoch continues from the position of its server
// in an earlier epoch.

#include "chp/sequence.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chp::simulation {

class history {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // A number that was given.
  struct entry {
    sequence number = 0;
    std::string key;
    std::uint32_t update = 0;  // the update; none: the key has expired
    bool erases = false;
    time_point when{};
  };
  // The last value of each key, or its erasure.
  using contents = std::map<std::string, const entry*, std::less<>>;

  // False if there was this epoch before. `base` is the number of the last update that its server has.
  bool begin(std::uint64_t epoch, sequence base);
  // The next of its epoch, which there is.
  void add(entry what) { epochs_.at(epoch_of(what.number)).entries.push_back(std::move(what)); }

  // Returns the epoch before which a server at `at` has nothing; 0 if there is none.
  [[nodiscard]] std::uint64_t began_in(sequence at) const;
  // Returns whether a server at `at` has received the update of this number.
  [[nodiscard]] bool contains(sequence at, sequence number) const;
  // Whether there was a later number for the same key in the same epoch.
  [[nodiscard]] bool is_overwritten(std::string_view key, sequence number) const;
  // Returns everything that a server at `at` has received.
  [[nodiscard]] contents at(sequence at) const;
  // … the last of this key; none if there was nothing.
  [[nodiscard]] const entry* last_of(std::string_view key, sequence at) const;
  // Visits all updates that a server at `at` has received, in its order.
  template <class Visit>
  void for_each(sequence at, Visit&& visit) const;

private:
  struct era {
    sequence base = 0;
    std::vector<entry> entries;
  };

  [[nodiscard]] const era* era_of(sequence at) const;

  std::map<std::uint64_t, era> epochs_;
};

template <class Visit>
void history::for_each(sequence at, Visit&& visit) const {
  std::vector<sequence> ends;
  for (const auto* one = era_of(at); one != nullptr; one = era_of(at)) {
    ends.push_back(at);
    at = one->base;
  }
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    for (const auto& e : era_of(*end)->entries) {
      if (e.number <= *end) {
        visit(e);
      }
    }
  }
}

}  // namespace chp::simulation
