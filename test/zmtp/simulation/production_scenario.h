#pragma once
// A random scenario of production sockets: one hub and several spokes of a pair of socket types,
// each in its own process, while connections are cut and processes are paused and killed.

#include "test/simulation/run_result.h"
#include "test/simulation/violation.h"
#include "zmtp/message.h"
#include "zmtp/simulation/trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace zmtp::simulation {

using production_result = run_result<violation>;

struct production_options {
  trace::printer print{};
  // Fixes what the seed would choose: the pair of types, and that nothing goes wrong.
  std::optional<std::size_t> pattern{};
  bool no_troubles = false;
  // A planted fault: what a receiver records instead of a message that it received.
  std::function<std::vector<message>(message)> edit{};
};

// The number of pairs of socket types.
[[nodiscard]] std::size_t production_patterns() noexcept;
[[nodiscard]] production_result run_production(std::uint64_t seed,
                                               const production_options& options = {});

}  // namespace zmtp::simulation
