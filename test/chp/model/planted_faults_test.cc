// Every fault of the implementation that words.h names is found, but those of the witness:
// planted_production_faults_test has them.

#include "test/chp/model/world.h"

#include <gtest/gtest.h>

namespace chp::model {
namespace {

class planted_fault : public testing::TestWithParam<planted> {};

TEST_P(planted_fault, is_found_within_10_000_schedules) {
  figures sum;
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    if (const auto broken = try_seed(seed, GetParam(), sum)) {
      RecordProperty("seed", std::to_string(seed));
      RecordProperty("promise", name_of(broken->broken));
      return;
    }
  }
  FAIL() << "not found";
}

std::vector<planted> all() {
  std::vector<planted> result;
  for (int f = 1; f < static_cast<int>(planted::witness_grants_all); ++f) {
    result.push_back(static_cast<planted>(f));
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(each, planted_fault, testing::ValuesIn(all()));

TEST(planted_faults, a_violation_is_told_by_a_short_schedule) {
  figures sum;
  std::uint64_t seed = 1;
  auto broken = try_seed(seed, planted::commits_before_durable, sum);
  while (!broken) {
    broken = try_seed(++seed, planted::commits_before_durable, sum);
  }
  const finding found = shorten(seed, planted::commits_before_durable, *broken);
  EXPECT_LT(found.shortest.events.size(), 20U);
  EXPECT_LT(found.trace.size(), 20U);
  EXPECT_EQ(found.broken.broken, broken->broken);
}

}  // namespace
}  // namespace chp::model
