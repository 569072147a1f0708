#pragma once
// When an operation gives up.

#include <chrono>
#include <optional>

namespace zmtp {

// An argument of operations: a point in time, a time from now, or none.
class deadline {
public:
  using clock = std::chrono::steady_clock;

  // Never.
  deadline() noexcept = default;
  deadline(clock::time_point at) noexcept : at_{at} {}  // NOLINT: an argument is meant to convert
  template <class Rep, class Period>
  deadline(std::chrono::duration<Rep, Period> from_now) {  // NOLINT: likewise
    const std::chrono::duration<double> seconds{from_now};
    if (seconds < never) {
      at_ = clock::now();
      if (seconds.count() > 0) {
        *at_ += std::chrono::duration_cast<clock::duration>(from_now);
      }
    }
  }

  [[nodiscard]] const std::optional<clock::time_point>& at() const noexcept { return at_; }

private:
  // Further away than the clock counts.
  static constexpr std::chrono::hours never{24 * 365 * 100};

  std::optional<clock::time_point> at_;
};

}  // namespace zmtp
