#pragma once
// A program of Majordomo's.

#include "test/mdp/simulation/town.h"
#include "test/simulation/process.h"

namespace mdp::simulation {

using process = zmtp::simulation::process<town>;

}  // namespace mdp::simulation
