#pragma once
// Counts of durations in fixed buckets, for figures. Words. Pure.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zmtp {

inline constexpr std::array<std::chrono::microseconds, 20> fine_duration_bounds = [] {
  std::array<std::chrono::microseconds, 20> all{};
  std::size_t next = 0;
  for (std::int64_t unit = 10; unit <= 1'000'000; unit *= 10) {
    all[next++] = std::chrono::microseconds{unit};
    all[next++] = std::chrono::microseconds{unit * 5 / 2};
    all[next++] = std::chrono::microseconds{unit * 5};
  }
  all[next++] = std::chrono::seconds{10};
  all[next++] = std::chrono::seconds{30};
  return all;
}();

// For things whose number is large, as services.
inline constexpr std::array<std::chrono::microseconds, 5> coarse_duration_bounds{
    std::chrono::milliseconds{1}, std::chrono::milliseconds{10}, std::chrono::milliseconds{100},
    std::chrono::seconds{1}, std::chrono::seconds{10}};

// Counts durations by their size. Never allocates.
template <const auto& Bounds>
class basic_duration_histogram {
public:
  // The greatest duration of each bucket. The last bucket, which has no bound, follows.
  static constexpr const auto& bounds = Bounds;

  void add(std::chrono::nanoseconds taken, std::uint64_t count = 1) noexcept {
    const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), taken) - bounds.begin();
    counts_[static_cast<std::size_t>(bucket)] += count;
    sum_ += taken * static_cast<std::int64_t>(count);
  }

  // Returns the number of durations in each bucket. Buckets do not include those before them.
  [[nodiscard]] const std::array<std::uint64_t, bounds.size() + 1>& counts() const noexcept {
    return counts_;
  }
  [[nodiscard]] std::chrono::nanoseconds sum() const noexcept { return sum_; }

private:
  std::array<std::uint64_t, bounds.size() + 1> counts_{};
  std::chrono::nanoseconds sum_{};
};

using duration_histogram = basic_duration_histogram<fine_duration_bounds>;
using coarse_duration_histogram = basic_duration_histogram<coarse_duration_bounds>;

}  // namespace zmtp
