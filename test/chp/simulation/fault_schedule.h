#pragma once
// Kills, stops and separates servers and clients at random times, and lets all be well again.

#include "test/chp/simulation/node_process.h"
#include "test/chp/simulation/town.h"
#include "test/simulation/disturbance.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace chp::simulation {

struct troubles {
  bool cuts = false;        // connections die, at any byte
  bool half_open = false;   // … and an end does not learn of it
  bool partitions = false;  // nothing arrives any more, one way or both: of a client and a server
  bool pair_partitions = false;  // … of the two servers
  bool pauses = false;           // clients are paused
  bool node_pauses = false;      // … servers do
  bool crashes = false;          // clients are killed, or their machines lose their power
  bool node_crashes = false;     // … servers
  bool full_disks = false;       // servers have no room for a while
};

class fault_schedule : public zmtp::simulation::disturbance {
public:
  // `settles`: the time after the end of a fault within which the servers may not have reconnected.
  fault_schedule(town& in, const troubles& kinds, std::array<node_process*, 2> nodes,
                 std::vector<process*> clients, std::chrono::milliseconds settles);

  // All programs run, and can reach each other.
  void stop();
  // No message arrives from one to the other, unless `ways` is 1, or the other way, unless it is 0.
  void part(process& one, process& other, std::size_t ways, std::chrono::milliseconds lasting);
  // The process restarts after this time.
  void kill(process& one, bool without_power, std::chrono::milliseconds lasting);

private:
  void pause(process& one);
  // A pair: both servers may be active for this time, and until the conflict is settled.
  void disturb(const process& one, std::chrono::milliseconds lasting);
  [[nodiscard]] node_process& any_node();
  [[nodiscard]] process& any_client();

  town* town_;
  std::array<node_process*, 2> nodes_;
  std::vector<process*> clients_;
  std::chrono::milliseconds settles_;
};

}  // namespace chp::simulation
