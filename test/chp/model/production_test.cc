// Random schedules with servers of production code. The long form is 10 parts of 10^5 schedules.

#include "test/chp/model/production_server.h"
#include "test/chp/model/world.h"
#include "test/support/long_run.h"

#include <gtest/gtest.h>

namespace chp::model {
namespace {

TEST(chp_log_production, keeps_every_promise_in_random_schedules) {
  const zmtp::test::run_seeds seeds{10'000, 100'000};
  figures sum;
  for (auto seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (const auto broken = try_seed(seed, planted::none, sum, production_server::make)) {
      FAIL() << describe(seed, shorten(seed, planted::none, *broken, production_server::make));
    }
  }
  // The schedules reach what they are for.
  EXPECT_GT(sum.answers, seeds.count);
  EXPECT_GT(sum.cuts, seeds.count / 100);
  EXPECT_GT(sum.losses, seeds.count / 100);
}

TEST(chp_log_production, keeps_every_promise_with_a_witness) {
  const zmtp::test::run_seeds seeds{10'000, 100'000};
  figures sum;
  for (auto seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (const auto broken = try_seed(seed, planted::none, sum, production_server::make, true)) {
      FAIL() << describe(seed,
                         shorten(seed, planted::none, *broken, production_server::make, true));
    }
  }
  EXPECT_GT(sum.answers, seeds.count);
  EXPECT_GT(sum.cuts, seeds.count / 1'000);
  EXPECT_GT(sum.losses, seeds.count / 100);
}

TEST(chp_log_production, a_seed_does_the_same_twice) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const schedule s = make_schedule(seed, planted::none);
    std::vector<std::string> first;
    std::vector<std::string> second;
    run(s, &first, production_server::make);
    run(s, &second, production_server::make);
    EXPECT_EQ(first, second) << "seed " << seed;
    EXPECT_FALSE(first.empty());
  }
}

}  // namespace
}  // namespace chp::model
