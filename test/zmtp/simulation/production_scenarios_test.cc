// Random scenarios of production sockets, each from its seed. See test/simulation/seeds.h for the
// options of the command line.
#include "test/simulation/seeds.h"
#include "test/zmtp/simulation/production_scenario.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace zmtp::simulation {
namespace {

production_result run(std::uint64_t seed) {
  return run_production(seed, {.print = printer_asked_for()});
}

TEST(production_scenarios, nothing_is_lost_doubled_spliced_or_out_of_order) {
  expect_no_findings("//test/zmtp/simulation:production_scenarios_test", run);
}

TEST(production_scenarios, the_same_seed_gives_the_same_trace) { expect_same_traces(run); }

TEST(production_scenarios, every_pair_of_types_delivers_without_trouble) {
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    const auto result = run_production(3, {.pattern = pattern, .no_troubles = true});
    for (const auto& f : result.findings) {
      ADD_FAILURE() << result.description << ": " << f.text;
    }
    EXPECT_GT(result.figure("parcels"), 5U) << result.description;
  }
}

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
