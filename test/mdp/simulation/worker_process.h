#pragma once
// A program with a worker of Zinc at each of its brokers, which works slowly, and now and then does not answer
// at all.

#include "mdp/options.h"
#include "test/mdp/simulation/process.h"
#include "test/mdp/simulation/sim_worker.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mdp::simulation {

// How workers work.
struct labour {
  std::chrono::milliseconds longest{50};
  unsigned in_parts = 0;  // percent of all requests
  unsigned fails = 0;     // … requests fail
  unsigned refuses = 0;   // … or are refused, before they are executed
  unsigned hangs = 0;     // … or never end
};

class worker_process final : public process {
public:
  // Faults to put in, to see that they are noticed.
  struct planted_fault {
    // Has its way with a piece of a reply.
    std::function<void(piece&)> edit{};
    bool runs_twice = false;
    bool mixes_brokers_up = false;  // answers at the next one
  };

  worker_process(town& in, std::string name, std::vector<std::string> brokers, const trade& serves,
                 const worker_options& options, const labour& how)
      : process{in, std::move(name)}, brokers_{std::move(brokers)}, options_{options}, how_{how} {
    options_.service = serves.name;
  }

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  // From now on it answers.
  void be_good() noexcept { how_.fails = how_.refuses = how_.hangs = 0; }
  // Accepts no more requests, answers those in flight, and ends. The process may be killed and started
  // afterwards.
  void leave();

private:
  void begin() override;
  void end() override { workers_.clear(); }
  // `at` is the number of the broker.
  void take(std::size_t at, std::uint64_t id, const zmtp::message& body);
  void work(std::size_t at, std::uint64_t id, piece next);
  void say(std::size_t at, std::uint64_t id, piece next);

  std::vector<std::string> brokers_;
  worker_options options_;
  labour how_;
  planted_fault faults_;
  std::vector<std::unique_ptr<sim_worker>> workers_;
};

}  // namespace mdp::simulation
