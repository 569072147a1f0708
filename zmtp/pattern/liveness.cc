#include "zmtp/pattern/liveness.h"

#include <algorithm>

namespace zmtp {

using namespace std::chrono_literals;

std::optional<std::chrono::steady_clock::time_point> postponed(
    std::chrono::steady_clock::time_point due, std::chrono::milliseconds grace,
    std::chrono::steady_clock::time_point now) noexcept {
  return now - due > grace ? std::optional{now + grace} : std::nullopt;
}

liveness::liveness(std::chrono::milliseconds interval, unsigned intervals) noexcept
    : interval_{std::max(interval, 1ms)}, silence_{interval_ * std::max(intervals, 1U)} {}

void liveness::on_deadline(time_point due, time_point now) noexcept {
  earliest_verdict_ = postponed(due, interval_, now).value_or(earliest_verdict_);
}

}  // namespace zmtp
