#pragma once
// One run of a Binary Star pair with its clients and faults, from its seed.

#include "test/bstar/simulation/fault_schedule.h"
#include "test/bstar/simulation/server_process.h"
#include "test/bstar/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace bstar::simulation {

using scenario_result = zmtp::simulation::run_result<violation>;

struct scenario_options {
  zmtp::simulation::trace::printer print{};
  // Replaces the choice of the seed.
  std::optional<std::vector<fault>> faults{};
  // The rest plants faults. `spoil` is called before a server starts for the first time.
  std::function<void(server, server_process::options&)> spoil{};
  std::optional<fault> stays{};  // begins after the others, and does not end
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace bstar::simulation
