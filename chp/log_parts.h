#pragma once
// The state that the two roles of a server share. Plain data.

#include "chp/lineage.h"
#include "chp/log_actions.h"
#include "chp/publications.h"
#include "chp/replica.h"
#include "chp/waiting_updates.h"
#include "chp/witness_state.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace chp {

// Entries that a turn commits or executes. Each takes a microsecond or more where keys are far apart
// in memory, and other events wait meanwhile. One sync of a disk can commit many thousands.
inline constexpr std::size_t published_at_once = 1'000;

// The end of a time in which this server was active.
struct ended_role {
  position told;  // the last entry that its subscribers have
  std::chrono::steady_clock::time_point at;
};

struct log_parts {
  log_parts(const update_log_options& with, std::uint64_t random, replica&& of)
      : options{with},
        state{std::move(of)},
        published{with.wire_format, random, with.directories},
        waiting{random + 1, with.waiting_bytes} {
    if (with.has_witness) {
      witness.emplace(state.member(), with.witness_retry);
    }
  }

  void refuse(errc why) noexcept { ++counters.refused[static_cast<std::size_t>(why)]; }

  const update_log_options options;
  replica state;
  publications published;
  waiting_updates waiting;
  std::optional<witness_state> witness;
  log_counters counters;
  std::optional<ended_role> was_active;
};

}  // namespace chp
