#pragma once
// Kills, stops and separates programs at random times, and lets all be well again.

#include "test/mdp/simulation/process.h"
#include "test/simulation/disturbance.h"

#include <cstddef>
#include <vector>

namespace mdp::simulation {

struct troubles {
  bool cuts = false;           // connections die, at any byte
  bool half_open = false;      // … and an end does not learn of it
  bool partitions = false;     // nothing arrives any more, one way or both
  bool pauses = false;         // programs are paused
  bool broker_pauses = false;  // … brokers are
  bool crashes = false;        // programs are killed, or their machines lose their power
  bool broker_crashes = false;
  bool broker_losses = false;  // … or the last of several is, and does not come back

  [[nodiscard]] bool any() const noexcept { return deceptive() || broker_pauses; }
  // Returns whether a live worker may expire at the broker.
  [[nodiscard]] bool deceptive() const noexcept {
    return cuts || half_open || partitions || pauses || crashes || broker_crashes || broker_losses;
  }
};

class fault_schedule : public zmtp::simulation::disturbance {
public:
  // The first `brokers` of the programs are brokers.
  fault_schedule(setting& in, const troubles& kinds, std::vector<process*> programs,
                 std::size_t brokers);

  // All programs run, and can reach each other.
  void stop();

private:
  void part_one();
  void lose_broker();
  void pause(process& one);
  void kill(process& one);
  [[nodiscard]] process& any_broker();
  [[nodiscard]] process& any_but_brokers();

  setting* in_;
  std::vector<process*> programs_;
  std::size_t brokers_;
};

}  // namespace mdp::simulation
