#pragma once
// Counts durations with a relative error below 1 %, for percentiles. Pure.

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zinc::bench {

// Each power of two has 128 buckets, so the memory does not grow with the number of durations.
class latency_histogram {
public:
  using duration = std::chrono::nanoseconds;

  // Negative durations, which come from clocks that differ, count as zero.
  void add(duration taken) noexcept {
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(taken.count(), 0));
    ++counts_[bucket_of(ns)];
    ++count_;
    longest_ = std::max(longest_, ns);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] duration longest() const noexcept { return ns(longest_); }
  // Returns the duration that `share` of all durations do not exceed. `share` is from 0 to 1. Returns
  // zero if there are no durations.
  [[nodiscard]] duration percentile(double share) const noexcept {
    const auto rank = std::max<std::uint64_t>(
        static_cast<std::uint64_t>(share * static_cast<double>(count_) + 0.999999), 1);
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
      seen += counts_[bucket];
      if (seen >= rank) {
        return ns(std::min(largest_of(bucket), longest_));
      }
    }
    return ns(longest_);
  }

private:
  static constexpr unsigned fine_bits = 7;
  static constexpr std::uint64_t fine = std::uint64_t{1} << fine_bits;
  static constexpr std::size_t buckets = (64 - fine_bits + 1) * fine;

  static duration ns(std::uint64_t count) noexcept {
    return duration{static_cast<std::int64_t>(count)};
  }
  // Below `fine` each value has a bucket. Above, the bits below the `fine_bits` highest after the
  // first do not count.
  static std::size_t bucket_of(std::uint64_t value) noexcept {
    if (value < fine) {
      return static_cast<std::size_t>(value);
    }
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - fine_bits;
    return static_cast<std::size_t>((shift + 1) * fine + ((value >> shift) - fine));
  }
  static std::uint64_t largest_of(std::size_t bucket) noexcept {
    if (bucket < fine) {
      return bucket;
    }
    const auto shift = bucket / fine - 1;
    return ((bucket % fine + fine + 1) << shift) - 1;
  }

  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace zinc::bench
