#pragma once
// A random scenario of production sockets: one hub and several spokes of a pair of socket types,
// each in its own process, while connections are cut and processes are paused and killed.

#include "test/simulation/run_result.h"
#include "test/zmtp/simulation/first_connection.h"
#include "test/zmtp/simulation/planted_fault.h"
#include "test/zmtp/simulation/violation.h"
#include "zmtp/simulation/trace.h"
#include "zmtp/socket_type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp::simulation {

struct pair_of_types {
  socket_type hub;     // one socket of this type
  socket_type spokes;  // several sockets of this type
};

// Every pair of types that talk to each other, both ways round.
inline constexpr std::array patterns = {
    pair_of_types{socket_type::push, socket_type::pull},
    pair_of_types{socket_type::pull, socket_type::push},
    pair_of_types{socket_type::dealer, socket_type::router},
    pair_of_types{socket_type::router, socket_type::dealer},
    pair_of_types{socket_type::router, socket_type::router},
    pair_of_types{socket_type::dealer, socket_type::dealer},
    pair_of_types{socket_type::req, socket_type::rep},
    pair_of_types{socket_type::rep, socket_type::req},
    pair_of_types{socket_type::req, socket_type::router},
    pair_of_types{socket_type::router, socket_type::req},
    pair_of_types{socket_type::dealer, socket_type::rep},
    pair_of_types{socket_type::rep, socket_type::dealer},
    pair_of_types{socket_type::pub, socket_type::sub},
    pair_of_types{socket_type::sub, socket_type::pub},
    pair_of_types{socket_type::pub, socket_type::xsub},
    pair_of_types{socket_type::xsub, socket_type::pub},
    pair_of_types{socket_type::xpub, socket_type::sub},
    pair_of_types{socket_type::sub, socket_type::xpub},
    pair_of_types{socket_type::xpub, socket_type::xsub},
    pair_of_types{socket_type::xsub, socket_type::xpub},
    pair_of_types{socket_type::pair, socket_type::pair},
};

// Figures: parcels (received), bytes (written), troubles. Figures of a run with a planned cut:
// - "cut": 1 if it happened
// - "taken": bytes that the kernel at planned_cut::from had taken on the first connection when
//   nothing happened any more.
//
// A finding `lost` also reports messages of the connecting socket that the kernels did not have
// when they were lost.
using production_result = run_result<violation>;

struct production_options {
  trace::printer print{};
  std::string_view transport = "tcp";
  // Replaces the choice of the seed.
  std::optional<std::size_t> pattern{};  // index in the list of patterns
  bool no_troubles = false;
  // One hub and one spoke, and no trouble but this cut.
  std::optional<planned_cut> cut{};
  bool hub_binds = false;       // with `cut`
  unsigned large = 0;           // with `cut`: percentage of parts of 4 to 70 KiB
  std::size_t each_sends = 12;  // with `cut`
  planted_fault fault{};
};

[[nodiscard]] production_result run_production(std::uint64_t seed,
                                               const production_options& options = {});

}  // namespace zmtp::simulation
