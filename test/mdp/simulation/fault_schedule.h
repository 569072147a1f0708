#pragma once
// Kills, stops and separates programs at random times, and lets all be well again.

#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/programs.h"
#include "test/mdp/simulation/troubles.h"
#include "test/simulation/disturbance.h"

namespace mdp::simulation {

class fault_schedule : public zmtp::simulation::disturbance {
public:
  // Both must outlive the schedule.
  fault_schedule(setting& in, const troubles& kinds, programs& of);

  // All programs run, and can reach each other.
  void stop();

private:
  void part_one();
  void lose_broker();
  void send_worker_home();
  void disturb_disk();
  void pause(process& one);
  void kill(process& one);
  [[nodiscard]] process& any_broker();
  [[nodiscard]] process& any_but_brokers();

  setting* in_;
  programs* programs_;
};

}  // namespace mdp::simulation
