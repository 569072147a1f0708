#pragma once
// The kinds of faults of a run.

#include "zmtp/simulation/random_source.h"

#include <string>

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
  bool farewells = false;      // workers leave, and others replace them
  bool bad_disk = false;       // Titanic's disk becomes full, or fails

  // Returns whether a live worker may expire at the broker.
  [[nodiscard]] bool deceptive() const noexcept {
    return cuts || half_open || partitions || pauses || crashes || broker_crashes || broker_losses;
  }
};

[[nodiscard]] troubles some_troubles(zmtp::simulation::random_source& random, bool several_brokers,
                                     bool with_titanic);

// The names of all kinds, each after a comma.
[[nodiscard]] std::string description(const troubles& of);

}  // namespace mdp::simulation
