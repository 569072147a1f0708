// Random scenarios, each from its seed: the calls, and the faults. The history of each must have no
// contradiction.
// For the command-line arguments, see test/simulation/seeds.h.
#include "test/mdp/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace mdp::simulation {
namespace {

scenario_result run(std::uint64_t seed) {
  return run_scenario(seed, {.print = zmtp::simulation::printer_asked_for()});
}

TEST(majordomo_scenarios, nothing_is_lost_answered_twice_or_run_again) {
  zmtp::simulation::expect_no_findings("//test/mdp/simulation:majordomo_scenarios_test", run);
}

TEST(majordomo_scenarios, same_seed_same_trace) { zmtp::simulation::expect_same_traces(run); }

}  // namespace
}  // namespace mdp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
