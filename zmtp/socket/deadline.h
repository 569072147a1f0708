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
  deadline(std::chrono::duration<Rep, Period> from_now)  // NOLINT: likewise
      : at_{clock::now() + std::chrono::duration_cast<clock::duration>(from_now)} {}

  [[nodiscard]] const std::optional<clock::time_point>& at() const noexcept { return at_; }

private:
  std::optional<clock::time_point> at_;
};

}  // namespace zmtp
