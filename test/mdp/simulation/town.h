#pragma once
// One network of Majordomo, with its ledger.

#include "test/mdp/simulation/ledger.h"
#include "test/simulation/sim_alarm.h"
#include "test/simulation/town.h"

#include <cstdint>

namespace mdp::simulation {

using zmtp::simulation::random_source;
using zmtp::simulation::sim_alarm;
using zmtp::simulation::simulated_host;
using zmtp::simulation::simulated_network;
using zmtp::simulation::trace;

class town : public zmtp::simulation::town {
public:
  town(std::uint64_t seed, const trace::printer& print) : zmtp::simulation::town{seed, print} {
    watch(books_);
  }

  [[nodiscard]] ledger& books() noexcept { return books_; }

private:
  ledger books_{net().here()};
};

}  // namespace mdp::simulation
