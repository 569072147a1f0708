#pragma once
// The programs of a run and their settings, chosen by its seed.

#include "test/mdp/simulation/broker_process.h"
#include "test/mdp/simulation/caller_process.h"
#include "test/mdp/simulation/durable_process.h"
#include "test/mdp/simulation/flood_process.h"
#include "test/mdp/simulation/scenario.h"
#include "test/mdp/simulation/stock_client_process.h"
#include "test/mdp/simulation/stock_worker_process.h"
#include "test/mdp/simulation/titanic_history.h"
#include "test/mdp/simulation/titanic_process.h"
#include "test/mdp/simulation/worker_process.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace mdp::simulation {

struct programs {
  template <class Kind>
  using list = std::vector<std::unique_ptr<Kind>>;

  list<trade> trades;
  std::vector<const trade*> served;
  std::vector<const trade*> asked;
  list<broker_process> brokers;
  list<worker_process> workers;
  list<stock_worker_process> stock_workers;
  list<caller_process> callers;
  list<stock_client_process> stock_clients;
  list<flood_process> floods;
  std::unique_ptr<titanic_history> stored;  // with Titanic
  std::unique_ptr<titanic_process> titanic;
  list<durable_process> durables;
  std::vector<process*> all;  // the brokers first

  [[nodiscard]] std::string description() const;
};

struct program_settings {
  std::chrono::milliseconds heartbeat{};
  std::size_t brokers = 1;
  bool loses_broker = false;  // the last one
  bool with_titanic = false;
};

// `in` must outlive the programs.
[[nodiscard]] programs choose_programs(setting& in, const scenario_options& options,
                                       const program_settings& settings);

}  // namespace mdp::simulation
