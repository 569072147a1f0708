#pragma once
// One run of a pair of a Zinc server and a server of the Guide, with clients and faults, from its
// seed.
//
// The Guide's server promises nothing, so updates may be lost. Zinc's server promises two things: no
// outcome says that both servers have an update, and under degraded_policy::block the server
// acknowledges nothing. When faults stop, the passive server follows, all copies are equal and all
// calls end.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/server_process.h"
#include "test/chp/simulation/violation.h"
#include "test/simulation/run_result.h"
#include "zmtp/simulation/trace.h"

#include <cstdint>
#include <functional>

namespace chp::simulation {

using guide_pair_result = zmtp::simulation::run_result<violation>;

struct guide_pair_options {
  zmtp::simulation::trace::printer print{};
  // The rest plants faults.
  std::function<void(server_process::options&)> spoil{};
  std::function<void(client_process::options&)> spoil_client{};
  bool cuts_at_rest = false;  // the link between the servers
};

[[nodiscard]] guide_pair_result run_guide_pair(std::uint64_t seed,
                                               const guide_pair_options& options = {});

}  // namespace chp::simulation
