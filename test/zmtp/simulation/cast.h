#pragma once
// The choices of a scenario that follow from its seed: the pair of socket types, the participants
// with their options and habits, which of them connect, and the faults.

#include "test/zmtp/simulation/fault_schedule.h"
#include "test/zmtp/simulation/history.h"
#include "test/zmtp/simulation/participant.h"
#include "test/zmtp/simulation/production_scenario.h"
#include "zmtp/simulation/world.h"

#include <cstdint>
#include <string>

namespace zmtp::simulation {

class cast {
public:
  // Adds the participants to `record`.
  cast(world& in, const production_options& options, history& record);

  [[nodiscard]] const participants& all() const noexcept { return all_; }
  [[nodiscard]] const pair_of_types& types() const noexcept { return types_; }
  [[nodiscard]] const troubles& kinds() const noexcept { return troubles_; }
  // Bytes under way may be lost.
  [[nodiscard]] bool lossy() const noexcept {
    return troubles_.lossy() || (troubles_.pauses && heartbeats_);
  }
  [[nodiscard]] std::string description() const;

private:
  void choose_net();
  void choose_troubles();
  void choose_options(participant& p);
  void choose_habits(participant& p);
  void connect();
  [[nodiscard]] static history::user user_of(const participant& p);

  world& world_;
  random_source& random_;
  const production_options& how_;
  pair_of_types types_{};
  troubles troubles_;
  bool byte_marks_ = false;
  bool heartbeats_ = false;
  unsigned topic_changes_ = 0;
  participants all_;
};

}  // namespace zmtp::simulation
