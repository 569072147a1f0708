#pragma once
// One run of a pair of the map with its clients and faults, from its seed.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/fault_schedule.h"
#include "test/chp/simulation/guide_process.h"
#include "test/chp/simulation/server_process.h"
#include "test/chp/simulation/setting.h"
#include "test/chp/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace chp::simulation {

using scenario_result = zmtp::simulation::run_result<violation>;

struct scenario_options {
  zmtp::simulation::trace::printer print{};
  // Replaces the choice of the seed.
  std::optional<std::vector<fault>> faults{};
  // The rest plants faults.
  std::function<void(setting&)> set{};
  // Called before a server starts for the first time.
  std::function<void(server, server_process::options&)> spoil{};
  std::function<void(client_process::options&)> spoil_client{};
  bool witness_grants_all = false;
  std::optional<guide_process::options> guide{};
  std::optional<fault> stays{};  // begins after the others, and does not end
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace chp::simulation
