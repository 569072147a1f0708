#pragma once
// The rate of a host's clock, and the times of that clock.

#include "zmtp/simulation/event_queue.h"

#include <limits>

namespace zmtp::simulation {

// 110: the clock shows 110 seconds after 100 seconds of the simulation's time. Pure. Integers only,
// so that all compilers give the same times.
class clock_rate {
public:
  using time_point = event_queue::time_point;
  using duration = event_queue::duration;

  constexpr clock_rate() = default;
  // `percent` is above 0.
  constexpr explicit clock_rate(unsigned percent) noexcept : percent_{percent} {}

  [[nodiscard]] constexpr unsigned percent() const noexcept {
    return static_cast<unsigned>(percent_);
  }
  // Returns the time of the clock at a time of the simulation.
  [[nodiscard]] constexpr time_point shown_at(time_point simulated) const noexcept {
    return time_point{duration{scaled(simulated.time_since_epoch().count(), percent_, 100, 0)}};
  }
  // Returns the first time of the simulation at which the clock shows `shown`.
  [[nodiscard]] constexpr time_point reaches(time_point shown) const noexcept {
    return time_point{
        duration{scaled(shown.time_since_epoch().count(), 100, percent_, percent_ - 1)}};
  }

private:
  using count = duration::rep;

  // Returns (of * by + up) / per, between the first time and the last one.
  [[nodiscard]] static constexpr count scaled(count of, count by, count per, count up) noexcept {
    if (of <= 0) {
      return 0;
    }
    const auto whole = of / per;
    const auto rest = (of % per * by + up) / per;
    return whole > (std::numeric_limits<count>::max() - rest) / by
               ? std::numeric_limits<count>::max()
               : whole * by + rest;
  }

  count percent_ = 100;
};

}  // namespace zmtp::simulation
