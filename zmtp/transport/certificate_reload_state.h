#pragma once
// When an endpoint looks at the files of its certificates, and which faults it reports. Pure.

#include "zmtp/error.h"

#include <chrono>
#include <optional>

namespace zmtp::transport {

class certificate_reload_state {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit certificate_reload_state(std::chrono::milliseconds interval) noexcept
      : interval_{interval} {}

  // Call before a handshake. Returns whether to look at the files: at most once in an interval.
  [[nodiscard]] bool looks(time_point now) noexcept {
    if (last_ && now - *last_ < interval_) {
      return false;
    }
    last_ = now;
    return true;
  }
  // Returns whether to load files that have not changed: they have not been loaded, or the machine may
  // have been short of descriptors or memory.
  [[nodiscard]] bool loads_again() const noexcept { return !loaded_ || fault_; }
  // Call after the files have been loaded. Returns the fault to report, or none: a fault that stays
  // is reported once.
  [[nodiscard]] error_code on_loaded(error_code fault) noexcept {
    const bool again = fault == fault_;
    loaded_ = true;
    fault_ = fault;
    return again ? error_code{} : fault;
  }

private:
  std::chrono::milliseconds interval_;
  std::optional<time_point> last_;
  bool loaded_ = false;
  error_code fault_;  // the last load ended with this
};

}  // namespace zmtp::transport
