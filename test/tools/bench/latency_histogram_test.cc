#include "tools/zinc/bench/latency_histogram.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace zinc::bench {
namespace {

using namespace std::chrono_literals;

TEST(latency_histogram, finds_the_percentiles_of_small_numbers) {
  latency_histogram counted;
  for (int i = 1; i <= 100; ++i) {
    counted.add(std::chrono::nanoseconds{i});
  }
  EXPECT_EQ(counted.count(), 100U);
  EXPECT_EQ(counted.percentile(0), 1ns);
  EXPECT_EQ(counted.percentile(0.5), 50ns);
  EXPECT_EQ(counted.percentile(0.99), 99ns);
  EXPECT_EQ(counted.percentile(0.999), 100ns);
  EXPECT_EQ(counted.longest(), 100ns);
}

TEST(latency_histogram, has_an_error_below_one_percent_everywhere) {
  for (std::uint64_t value = 1; value < std::uint64_t{1} << 62; value += 1 + value / 3) {
    latency_histogram counted;
    counted.add(std::chrono::nanoseconds{static_cast<std::int64_t>(value)});
    counted.add(10'000'000h / 10'000);  // so that the longest does not correct the value
    const auto found = static_cast<double>(counted.percentile(0.5).count());
    if (value < std::uint64_t{1} << 41) {
      EXPECT_GE(found, static_cast<double>(value));
      EXPECT_LT(found, static_cast<double>(value) * 1.01 + 1);
    }
  }
}

TEST(latency_histogram, takes_every_duration) {
  latency_histogram counted;
  counted.add(-5ns);
  EXPECT_EQ(counted.percentile(1), 0ns);
  counted.add(std::chrono::nanoseconds::max());
  EXPECT_EQ(counted.percentile(1), std::chrono::nanoseconds::max());
  EXPECT_EQ(counted.longest(), std::chrono::nanoseconds::max());
}

TEST(latency_histogram, has_no_percentile_without_durations) {
  EXPECT_EQ(latency_histogram{}.percentile(0.5), 0ns);
}

}  // namespace
}  // namespace zinc::bench
