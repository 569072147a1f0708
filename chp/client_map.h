#pragma once
// A client's copy of the map, and the snapshot that will replace it. Pure.

#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/command.h"
#include "chp/store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace chp {

class client_map {
public:
  // `seed` is secret. It hashes the keys.
  client_map(const client_options& options, std::uint64_t seed);

  [[nodiscard]] const store& now() const noexcept { return *now_; }
  // Sets whether changes are reported.
  void tell_changes(bool wanted) noexcept { watched_ = wanted; }

  // Applies an update of the followed server. Returns false if the map is too large.
  [[nodiscard]] bool apply(const update& u, std::vector<change>& out);
  // Adds an entry to the snapshot in progress. Returns false if the map is too large.
  [[nodiscard]] bool add_to_snapshot(const update& entry);
  // The snapshot replaces the copy.
  void adopt_snapshot(sequence at, std::vector<change>& out);
  void drop_snapshot() { discard(incoming_); }

  // Frees at most `most` keys of replaced maps. Returns true when all are freed.
  bool tidy(std::size_t most) noexcept;

private:
  [[nodiscard]] std::unique_ptr<store> new_store() const;
  void discard(std::unique_ptr<store>& what);
  void tell_difference(const store& before, sequence at, std::vector<change>& out) const;

  const store_limits limits_;
  const std::uint64_t seed_;
  std::unique_ptr<store> now_;
  std::unique_ptr<store> incoming_;
  std::vector<std::unique_ptr<store>> discarded_;
  bool watched_ = false;
};

}  // namespace chp
