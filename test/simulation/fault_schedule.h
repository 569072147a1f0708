#pragma once
// Puts faults into a simulated network at random times, and takes them away again.

#include "test/simulation/disturbance.h"
#include "test/simulation/sim_socket.h"
#include "zmtp/simulation/simulated_network.h"

#include <string>
#include <vector>

namespace zmtp::simulation {

struct troubles {
  bool cuts = false;         // connections die, at any byte
  bool half_open = false;    // … and an end does not learn of it
  bool pauses = false;       // hosts are paused
  bool disconnects = false;  // users close connections
  bool moves = false;        // users disconnect endpoints and connect again
  bool outages = false;      // listeners are away

  // Bytes under way may be lost.
  [[nodiscard]] bool lossy() const noexcept { return cuts || half_open || disconnects || moves; }
};

class fault_schedule : public disturbance {
public:
  struct endpoint {
    sim_socket* binds;
    sim_socket* connects;
    std::string name;
  };

  fault_schedule(simulated_network& net, const troubles& kinds, std::vector<endpoint> endpoints);

  // All is as it was.
  void stop();

private:
  void pause_one();
  void disconnect_one();
  void move_one();
  void take_away_one();
  [[nodiscard]] const endpoint& any() { return endpoints_[random().pick(endpoints_.size())]; }

  std::vector<endpoint> endpoints_;
};

}  // namespace zmtp::simulation
