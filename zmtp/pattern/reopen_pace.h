#pragma once
// How long to wait before a conversation with a server is begun anew on another connection.

#include "zmtp/conversation/reconnect_backoff.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace zmtp {

// Not at all after a conversation that lasted; ever longer after ones that did not, so that a server
// that turns everybody away is not called again and again without a pause.
class reopen_pace {
public:
  using time_point = std::chrono::steady_clock::time_point;

  void on_attached(time_point now) noexcept { attached_at_ = now; }

  // The conversation has ended. `random` spreads the waits of many.
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
