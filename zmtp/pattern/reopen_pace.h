#pragma once
// The delay before the next conversation with a server on a new connection.

#include "zmtp/conversation/reconnect_backoff.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace zmtp {

// No delay after a conversation that lasted. The delay grows with short conversations, so that a
// server that rejects every client does not receive connections without a pause.
class reopen_pace {
public:
  using time_point = std::chrono::steady_clock::time_point;

  void on_attached(time_point now) noexcept { attached_at_ = now; }

  // Call when the conversation has ended. `random` spreads the delays of many clients.
  [[nodiscard]] std::chrono::milliseconds wait(time_point now, std::uint32_t random) noexcept {
    const auto lasted =
        attached_at_ ? std::chrono::duration_cast<std::chrono::milliseconds>(now - *attached_at_)
                     : std::chrono::milliseconds{0};
    attached_at_.reset();
    const auto next = backoff_.next(lasted, false, random);
    return lasted >= options_.stable ? std::chrono::milliseconds{0} : next;
  }

private:
  reconnect_options options_;
  reconnect_backoff backoff_{options_};
  std::optional<time_point> attached_at_;
};

}  // namespace zmtp
