// Random scenarios of a Binary Star pair, each from its seed. The history of each must break no
// rule.
// For the command-line arguments, see test/simulation/seeds.h.
#include "test/bstar/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace bstar::simulation {
namespace {

scenario_result run(std::uint64_t seed) {
  return run_scenario(seed, {.print = zmtp::simulation::printer_asked_for()});
}

// BS-5, BS-12, BS-13, BS-14
TEST(pair_scenarios, keep_the_guarantees) {
  zmtp::simulation::expect_no_findings("//test/bstar/simulation:pair_scenarios_test", run);
}

TEST(pair_scenarios, same_seed_same_trace) { zmtp::simulation::expect_same_traces(run); }

}  // namespace
}  // namespace bstar::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
