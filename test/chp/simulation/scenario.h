#pragma once
// One run of a pair of the map with its clients and faults, from its seed.

#include "test/chp/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/trace.h"

#include <cstdint>

namespace chp::simulation {

using scenario_result = zmtp::simulation::run_result<violation>;

struct scenario_options {
  zmtp::simulation::trace::printer print{};
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace chp::simulation
