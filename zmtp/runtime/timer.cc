#include "zmtp/runtime/timer.h"

namespace zmtp {

void alarm::set(std::optional<time_point> at) {
  if (!at || !timer_ || (armed_ && *armed_ <= *at)) {
    return;
  }
  armed_.reset();  // the wait may fail without memory
  timer_->expires_at(*at);
  timer_->async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code ec) {
    // The handler may have been posted before cancel().
    if (!ec && !alive.expired() && armed_) {
      armed_.reset();
      on_time_();
    }
  });
  armed_ = at;
}

void alarm::cancel() {
  armed_.reset();
  if (timer_) {
    timer_->cancel();
  }
}

std::optional<deadline::clock::time_point> deadline::at(const runtime& of) const {
  if (const auto* const time = std::get_if<clock::time_point>(&end_)) {
    return *time;
  }
  if (const auto* const from_start = std::get_if<clock::duration>(&end_)) {
    return of.now() + *from_start;
  }
  return std::nullopt;
}

}  // namespace zmtp
