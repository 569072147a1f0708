#include "zmtp/engine/deadline_timer.h"

#include "zmtp/engine/socket_core.h"

namespace zmtp {

void deadline_timer::set(std::optional<time_point> at, socket_core& whose) {
  if (!at || !timer_ || (armed_ && *armed_ <= *at)) {
    return;
  }
  armed_ = at;
  timer_->expires_at(*at);
  timer_->async_wait([this, weak = whose.weak_from_this()](error_code ec) {
    if (const auto core = weak.lock(); core && !ec) {
      armed_.reset();
      (core.get()->*on_time_)();
    }
  });
}

void deadline_timer::cancel() noexcept {
  armed_.reset();
  if (timer_) {
    timer_->cancel();
  }
}

}  // namespace zmtp
