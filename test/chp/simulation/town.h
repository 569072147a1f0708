#pragma once
// One network of a clustered hashmap, with its ledger.

#include "test/chp/simulation/ledger.h"
#include "test/chp/simulation/process.h"
#include "test/chp/simulation/sim_alarm.h"
#include "test/chp/simulation/sim_town.h"

#include <cstdint>

namespace chp::simulation {

using zmtp::simulation::random_source;
using zmtp::simulation::sim_alarm;
using zmtp::simulation::sim_socket;
using zmtp::simulation::simulated_host;
using zmtp::simulation::trace;

class town : public zmtp::simulation::sim_town {
public:
  town(std::uint64_t seed, const trace::printer& print) : zmtp::simulation::sim_town{seed, print} {}

  [[nodiscard]] ledger& books() noexcept { return books_; }

private:
  ledger books_{net().here()};
};

using process = zmtp::simulation::process<town>;

// Where a server is.
struct address {
  std::string snapshots;
  std::string publisher;
  std::string collector;
  std::string state;  // the endpoint that its peer reads the state from
};

[[nodiscard]] inline address address_of(const std::string& name) {
  return {name + " snapshots", name + " publisher", name + " collector", name + " state"};
}

}  // namespace chp::simulation
