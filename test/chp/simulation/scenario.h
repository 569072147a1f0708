#pragma once
// A whole run of a simulation of a pair of servers of the clustered hashmap with clients, chosen by one seed:
// the updates, the faults, and the ledger.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/fault_schedule.h"
#include "test/chp/simulation/ledger.h"
#include "test/chp/simulation/letter_client_process.h"
#include "test/chp/simulation/node_process.h"
#include "test/simulation/run_result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace chp::simulation {

// Figures: updates, committed, activations, failovers of clients, offered by losers, questions at once,
// expired, refused, lost with both memories, losses told, troubles.
using scenario_result = zmtp::simulation::run_result<violation>;

// The faults of a scenario.
enum class drama : std::uint8_t {
  chance,          // nothing: trouble of all kinds
  active_killed,   // the active server is killed and restarts; three times
  both_killed,     // both servers are, at once, and come back
  both_restarted,  // one after the other, as in an upgrade
  partition,   // the servers are disconnected, and each has clients that are connected only to it
  left_alone,  // the active server restarts, and no program can reach its peer for a while
  questions_held,  // after a partition, requests of the passive server arrive late and at once
};

struct scenario_options {
  trace::printer print{};
  // Called with each process before it begins, to inject faults.
  std::function<void(node_process&)> spoil_node{};
  std::function<void(client_process&)> spoil_client{};
  // Replaces the choice of the seed.
  drama what = drama::chance;
  std::optional<troubles> kinds{};
  std::optional<std::size_t> letter_clients{};
  // Servers have stores, and with trouble of all kinds their disks are full now and then.
  bool stored = false;
  // Servers have room for few keys. Then all clients are of Zinc, because others receive no refusals.
  bool small = false;
  // Clients of Zinc make many updates of many keys. Overwritten updates of two active servers leave more gaps
  // in a session than a server remembers.
  bool busy = false;
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace chp::simulation
