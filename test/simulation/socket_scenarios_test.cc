// Random scenarios, each from its seed, with random patterns and faults. In every case the ledger
// must agree. See seeds.h for the options of the command line.
#include "test/simulation/scenario.h"
#include "test/simulation/seeds.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace zmtp::simulation {
namespace {

scenario_result run(std::uint64_t seed) {
  return run_scenario(seed, {.print = printer_asked_for()});
}

TEST(socket_scenarios, nothing_is_lost_doubled_spliced_or_out_of_order) {
  expect_no_findings("//test/simulation:socket_scenarios_test", run);
}

TEST(socket_scenarios, the_same_seed_gives_the_same_trace) { expect_same_traces(run); }

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
