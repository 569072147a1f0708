#pragma once
// A whole run of a simulation, chosen by one seed: the parties, their messages, the faults, and the
// ledger.

#include "test/simulation/ledger.h"
#include "test/simulation/pattern.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace zmtp::simulation {

// Figures: parcels (received), bytes (written), troubles.
using scenario_result = run_result<violation>;

struct scenario_options {
  trace::printer print{};
  // Gets each part before it is played, to play it otherwise.
  std::function<void(casting&)> adjust{};
  // Gets each party before it begins, to spoil it.
  std::function<void(party&)> prepare{};
  // Replaces the choice of the seed.
  std::optional<std::size_t> pattern{};  // index in the list of patterns
  bool no_troubles = false;
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace zmtp::simulation
