#include "zmtp/engine/linger_state.h"

#include <algorithm>

namespace zmtp {

namespace {

// A longer time could overflow the clock.
constexpr std::chrono::milliseconds longest = std::chrono::hours{24 * 365};

}  // namespace

linger_state::step linger_state::on_close(time_point now,
                                          std::optional<std::chrono::milliseconds> linger,
                                          std::uint64_t dropped) noexcept {
  if (over()) {
    return step::nothing;
  }
  if (open()) {
    dropped_before_ = dropped;
  }
  if (linger && linger->count() == 0) {
    return step::end;
  }
  deadline_.reset();
  if (linger) {
    deadline_ = now + std::min(*linger, longest);
  }
  if (finishing()) {
    return step::nothing;
  }
  phase_ = phase::finishing;
  return step::finish;
}

void linger_state::on_end(bool unwritten, std::uint64_t dropped) noexcept {
  phase_ = phase::over;
  deadline_.reset();
  if (unwritten) {
    outcome_ = errc::timed_out;
  } else if (unread_ || dropped != dropped_before_) {
    outcome_ = errc::connection_lost;
  }
}

}  // namespace zmtp
