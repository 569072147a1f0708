#pragma once
// How long to wait before connecting again (reliability: doubling, spread, forgiving). Pure.

#include "zmtp/options.h"

#include <chrono>
#include <cstdint>

namespace zmtp {

class reconnect_backoff {
public:
  explicit reconnect_backoff(const reconnect_options& options) noexcept : options_{options} {}

  // A connection attempt or a connection has ended. `handshake_lasted` is the time since its
  // handshake was completed, zero if it never was; `refused` says that the peer turned us away (its
  // handshake failed, or it sent ERROR). Returns the wait: doubled each time, ± 50 % by `random`.
  [[nodiscard]] std::chrono::milliseconds next(std::chrono::milliseconds handshake_lasted,
                                               bool refused, std::uint32_t random) noexcept;

private:
  reconnect_options options_;
  std::chrono::milliseconds wait_{0};  // zero: start over
};

}  // namespace zmtp
