#pragma once
// The delay before the next connection attempt, and the decision to stop retrying. Pure.

#include "zmtp/error.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zmtp {

// Returns whether the connection was rejected: by an ERROR of the peer, or by a mismatch in the
// handshake that would occur again. Lost and slow connections are not rejections.
[[nodiscard]] bool is_refusal(error_code reason, bool handshake_done) noexcept;

class reconnect_backoff {
public:
  using milliseconds = std::chrono::milliseconds;

  explicit reconnect_backoff(const reconnect_options& options) noexcept : options_{options} {}
  // Applies from the next end of a connection.
  void change(const reconnect_options& options) noexcept { options_ = options; }

  // Call when a connection attempt or a connection has ended. `handshake_lasted` is the time since
  // the handshake was complete, if it was. Returns the delay before the next attempt. Returns
  // nothing if there must not be one (reconnect_options::stop_after, stop_on_refusal).
  [[nodiscard]] std::optional<milliseconds> on_end(error_code reason,
                                                   std::optional<milliseconds> handshake_lasted,
                                                   std::uint32_t random) noexcept;
  // Returns only the delay: `random` picks it between half of a bound and the bound. The bound
  // doubles each time, and starts again after a connection that lasted.
  [[nodiscard]] milliseconds next(milliseconds handshake_lasted, bool refused,
                                  std::uint32_t random) noexcept;

private:
  reconnect_options options_;
  milliseconds wait_{0};      // zero: starts at `initial`
  std::size_t failures_ = 0;  // consecutive failures
};

}  // namespace zmtp
