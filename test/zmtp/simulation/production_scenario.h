#pragma once
// A random scenario of production sockets: one hub and several spokes of a pair of socket types,
// each in its own process, while connections are cut and processes are paused and killed.

#include "test/simulation/run_result.h"
#include "test/simulation/violation.h"
#include "test/zmtp/simulation/first_connection.h"
#include "test/zmtp/simulation/programs.h"
#include "zmtp/simulation/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace zmtp::simulation {

using production_result = run_result<violation>;

struct production_options {
  trace::printer print{};
  // Fixes what the seed would choose: the pair of types, and that nothing goes wrong.
  std::optional<std::size_t> pattern{};
  bool no_troubles = false;
  // One hub and one spoke, and no trouble but this cut.
  std::optional<planned_cut> cut{};
  bool hub_binds = false;  // with `cut`
  programs::edit edit{};
};

// Figures of a run with a planned cut:
// - "cut": 1 if it happened
// - "bytes": bytes that the kernel at planned_cut::from has taken on the first connection.
//
// A finding `lost` also reports messages of the connecting socket that the kernels did not have
// when they were lost.
//
// The number of pairs of socket types.
[[nodiscard]] std::size_t production_patterns() noexcept;
[[nodiscard]] production_result run_production(std::uint64_t seed,
                                               const production_options& options = {});

}  // namespace zmtp::simulation
