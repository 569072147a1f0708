#pragma once
// A whole run of a simulation of Majordomo, all of it chosen by one seed: who asks whom, what goes wrong;
// and the books of it.

#include "test/mdp/simulation/broker_process.h"
#include "test/mdp/simulation/caller_process.h"
#include "test/mdp/simulation/ledger.h"
#include "test/mdp/simulation/titanic_process.h"
#include "test/mdp/simulation/troublemaker.h"
#include "test/mdp/simulation/worker_process.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mdp::simulation {

struct scenario_result {
  std::string description;
  std::vector<ledger::finding> findings;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::chrono::nanoseconds virtual_time{};
  std::size_t calls = 0;
  std::size_t replies = 0;
  std::size_t repetitions = 0;
  std::size_t kept = 0;  // by Titanic
  std::size_t troubles = 0;
};

struct scenario_options {
  trace::printer print{};
  // Each gets what it is of before it begins, to spoil it.
  std::function<void(broker_options&)> adjust{};
  std::function<void(broker_process&)> spoil_broker{};
  std::function<void(worker_process&)> spoil_worker{};
  std::function<void(caller_process&)> spoil_caller{};
  std::function<void(titanic_process&)> spoil_titanic{};
  // Instead of what the seed chooses.
  std::optional<troubles> kinds{};
  std::optional<bool> with_titanic{};
  std::optional<std::size_t> brokers{};
};

[[nodiscard]] scenario_result run_scenario(std::uint64_t seed,
                                           const scenario_options& options = {});

}  // namespace mdp::simulation
