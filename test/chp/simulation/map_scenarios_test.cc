// Random scenarios of a pair of the map, each from its seed. The history of each must break no
// promise.
// For the command-line arguments, see test/simulation/seeds.h.
#include "test/chp/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace chp::simulation {
namespace {

scenario_result run(std::uint64_t seed) {
  return run_scenario(seed, {.print = zmtp::simulation::printer_asked_for()});
}

TEST(map_scenarios, keep_the_promises) {
  zmtp::simulation::expect_no_findings("//test/chp/simulation:map_scenarios_test", run);
}

TEST(map_scenarios, same_seed_same_trace) { zmtp::simulation::expect_same_traces(run); }

}  // namespace
}  // namespace chp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
