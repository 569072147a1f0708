#pragma once
// Injects faults into connections, processes and endpoints at random times.

#include "test/simulation/disturbance.h"
#include "test/zmtp/simulation/participant.h"
#include "test/zmtp/simulation/programs.h"
#include "zmtp/simulation/world.h"

#include <functional>
#include <string>

namespace zmtp::simulation {

struct troubles {
  bool cuts = false;         // connections die, at any byte
  bool half_open = false;    // … and an end does not learn of it
  bool kills = false;        // processes end and start again, or their machines lose their power
  bool pauses = false;       // processes are paused
  bool parts = false;        // nothing arrives any more, one way
  bool disconnects = false;  // users close connections
  bool moves = false;        // users disconnect endpoints and connect again
  bool outages = false;      // listeners are away

  // Bytes under way may be lost.
  [[nodiscard]] bool lossy() const noexcept {
    return cuts || half_open || kills || parts || disconnects || moves;
  }
};

// The kinds, as a description of the scenario lists them.
[[nodiscard]] std::string to_string(const troubles& kinds);

class fault_schedule : public disturbance {
public:
  fault_schedule(world& in, const participants& all, const troubles& kinds, programs& of,
                 history& record);

  // All is as it was, within a second.
  void stop();

private:
  void kill_one();
  void pause_one();
  void part_two();
  void disconnect_one();
  void move_one();
  void take_away_one();
  [[nodiscard]] participant& any() { return *all_[random().pick(all_.size())]; }
  // Calls `act` in a handler of the process, if it still runs then.
  void in_process(participant& p, std::function<void()> act);

  world& world_;
  const participants& all_;
  programs& programs_;
  history& history_;
};

}  // namespace zmtp::simulation
