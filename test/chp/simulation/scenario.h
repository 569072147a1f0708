#pragma once
// A whole run of a simulation of a pair of servers of the clustered hashmap with clients, chosen by one
// seed: who sets what, what goes wrong; and the books of it.

#include "test/chp/simulation/client_process.h"
#include "test/chp/simulation/ledger.h"
#include "test/chp/simulation/letter_client_process.h"
#include "test/chp/simulation/node_process.h"
#include "test/chp/simulation/troublemaker.h"
#include "test/simulation/run_result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace chp::simulation {

// Figures: updates, committed, activations, failovers of clients, offered by losers, questions at once,
// expired, refused, lost with both memories, losses told, troubles.
using scenario_result = zmtp::simulation::run_result<breach>;

// The faults of a scenario.
enum class drama : std::uint8_t {
  chance,          // nothing: trouble of all kinds
  active_killed,   // the active server is killed, and comes back; three times
  both_killed,     // both servers are, at once, and come back
  both_restarted,  // one after the other, as one does who has a new version
  partition,       // the servers do not hear each other, and each has clients that hear it alone
  left_alone,      // the active server restarts, and no program can reach its peer for a while
  questions_held,  // after a partition what the loser asks is held, and comes at once, over a slow network
};

struct scenario_options {
  trace::printer print{};
  // Each gets what it is of before it begins, to spoil it.
  std::function<void(node_process&)> spoil_node{};
  std::function<void(client_process&)> spoil_client{};
  // Instead of what the seed chooses.
  drama what = drama::chance;
  std::optional<troubles> kinds{};
  std::optional<std::size_t> letter_clients{};
  // Servers have stores, and with trouble of all kinds their disks are full now and then.
  bool stored = false;
  // Servers have room for few keys. Then all clients are ours: others are not told what is refused.
  bool small = false;
  // Clients of Zinc make many updates of many keys. Overwritten updates of two active servers leave more gaps
  // in a session than a server remembers.
  bool busy = false;
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace chp::simulation
