#include "zmtp/runtime/alarm.h"

#include <boost/system/error_code.hpp>

#include <utility>

namespace zmtp {

alarm::alarm(const boost::asio::any_io_executor& executor, std::function<void()> on_time)
    : timer_{executor}, on_time_{std::move(on_time)} {}

void alarm::set(std::optional<time_point> at) {
  if (!at || (armed_ && *armed_ <= *at)) {
    return;
  }
  armed_ = at;
  timer_.expires_at(*at);
  timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code ec) {
    // The handler may have been posted before cancel().
    if (!ec && !alive.expired() && armed_) {
      armed_.reset();
      on_time_();
    }
  });
}

void alarm::cancel() {
  armed_.reset();
  timer_.cancel();
}

}  // namespace zmtp
