#pragma once
// How long to wait before connecting again (reliability: doubling, spread, forgiving), and when to give
// up. Pure.

#include "zmtp/error.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zmtp {

// Whether a connection that ended so was turned away: by the peer, who said ERROR, or by what one of
// both found in the handshake, which will be found there again. Loss and slowness are none.
[[nodiscard]] bool is_refusal(error_code reason, bool handshake_done) noexcept;

class reconnect_backoff {
public:
  using milliseconds = std::chrono::milliseconds;

  explicit reconnect_backoff(const reconnect_options& options) noexcept : options_{options} {}
  // From the next end on.
  void change(const reconnect_options& options) noexcept { options_ = options; }

  // A connection attempt or a connection has ended. `handshake_lasted` is the time since its handshake
  // was completed, if it ever was. Returns the wait before the next attempt; nothing if there is to be
  // none (reconnect_options::stop_after, stop_on_refusal).
  [[nodiscard]] std::optional<milliseconds> on_end(error_code reason,
                                                   std::optional<milliseconds> handshake_lasted,
                                                   std::uint32_t random) noexcept;
  // The wait alone: doubled each time, ± 50 % by `random`, over again after a handshake that lasted.
  [[nodiscard]] milliseconds next(milliseconds handshake_lasted, bool refused,
                                  std::uint32_t random) noexcept;

private:
  reconnect_options options_;
  milliseconds wait_{0};      // zero: start over
  std::size_t failures_ = 0;  // in a row
};

}  // namespace zmtp
