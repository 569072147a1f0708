#pragma once
// For tests of planted faults: each is found within 10,000 seeds.

#include "test/chp/simulation/scenario.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace chp::simulation {

using faults = std::vector<fault>;

// `seed` has found the fault, so that the test is quick. Another compiler may need another seed.
inline void expect_noticed(violation what, std::uint64_t seed, const scenario_options& options) {
  const auto finds = [&](std::uint64_t with) {
    const bool found = run_scenario(with, options).shows(what);
    if (found) {
      testing::Test::RecordProperty("seed", std::to_string(with));
    }
    return found;
  };
  bool noticed = finds(seed);
  for (std::uint64_t other = 1; !noticed && other <= 10'000; ++other) {
    noticed = finds(other);
  }
  EXPECT_TRUE(noticed) << "no seed finds " << to_string(what);
}

}  // namespace chp::simulation
