#pragma once
// A whole run of a simulation of Majordomo, chosen by one seed: the calls, the faults, and the history.

#include "test/mdp/simulation/broker_process.h"
#include "test/mdp/simulation/caller_process.h"
#include "test/mdp/simulation/history.h"
#include "test/mdp/simulation/stock_client_process.h"
#include "test/mdp/simulation/titanic_process.h"
#include "test/mdp/simulation/troubles.h"
#include "test/mdp/simulation/worker_process.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace mdp::simulation {

// Figures: calls, replies, runs again, kept by Titanic, troubles.
using scenario_result = zmtp::simulation::run_result<violation>;

struct scenario_options {
  trace::printer print{};
  // Called with each process before it begins, to plant faults.
  std::function<void(broker_options&)> adjust{};
  std::function<void(broker_process&)> spoil_broker{};
  std::function<void(worker_process&)> spoil_worker{};
  std::function<void(caller_process&)> spoil_caller{};
  std::function<void(stock_client_process::options&)> spoil_stock_client{};
  std::function<void(titanic_process&)> spoil_titanic{};
  // Replaces the choice of the seed.
  std::optional<troubles> kinds{};
  std::optional<bool> with_titanic{};
  std::optional<std::size_t> brokers{};
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace mdp::simulation
