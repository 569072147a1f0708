#pragma once
// Checks of the programs of a run after its faults. Violations go to the history.

#include "test/mdp/simulation/history.h"
#include "test/mdp/simulation/programs.h"

namespace mdp::simulation {

// Workers that have done nothing wrong are still registered.
void check_no_worker_expired(const programs& of, history& calls);
// Brokers have counted each unanswered call of a flood.
void check_floods(const programs& of, history& calls);
// Titanic runs, and has nothing to do.
void check_titanic(const programs& of, history& calls);
// The counters of each broker add up, and it has no request.
void check_brokers(const programs& of, history& calls);
// All others have left: the brokers have no peers.
void check_nobody_is_left(const programs& of, history& calls);

}  // namespace mdp::simulation
