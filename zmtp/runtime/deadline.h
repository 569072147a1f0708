#pragma once
// The deadline argument of operations.

#include <chrono>
#include <optional>

namespace zmtp {

// A point in time, a duration from now, or no deadline.
class deadline {
public:
  using clock = std::chrono::steady_clock;

  // No deadline.
  deadline() noexcept = default;
  deadline(clock::time_point at) noexcept : at_{at} {}  // NOLINT: implicit, so that it converts
  template <class Rep, class Period>
  deadline(std::chrono::duration<Rep, Period> from_now) {  // NOLINT: as above
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
  // A longer duration would overflow the clock.
  static constexpr std::chrono::hours never{24 * 365 * 100};

  std::optional<clock::time_point> at_;
};

}  // namespace zmtp
