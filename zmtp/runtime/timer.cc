#include "zmtp/runtime/timer.h"

#include <boost/asio/bind_allocator.hpp>

#include <new>

namespace zmtp {

void alarm::set(std::optional<time_point> at) {
  if (!at || !timer_ || (due_ && *due_ <= *at)) {
    return;
  }
  due_ = at;
  wait();
}

void alarm::wait() {
  timer_->expires_at(*due_);
  try {
    timer_->async_wait(boost::asio::bind_allocator(
        for_wait_.get_allocator(),
        [this, alive = std::weak_ptr{alive_}](boost::system::error_code ec) {
          if (!alive.expired()) {
            on_wait(ec);
          }
        }));
    ++waits_;
  } catch (const std::bad_alloc&) {
    // If a cancelled wait still has the reserved memory, its handler will wait.
    if (waits_ == 0) {
      due_.reset();
      throw;
    }
  }
}

void alarm::on_wait(boost::system::error_code ec) {
  --waits_;
  if (!due_) {
    return;
  }
  // The handler of a wait that was cancelled late has no error. The alarm is early then.
  if (!ec) {
    due_.reset();
    on_time_();
  } else if (waits_ == 0 && timer_) {
    wait();
  }
}

void alarm::cancel() noexcept {
  due_.reset();
  if (timer_) {
    timer_->cancel();
  }
}

deadline::clock::time_point deadline::end(const runtime& of) const {
  const auto* const from_start = std::get_if<clock::duration>(&end_);
  return from_start != nullptr ? of.now() + *from_start : std::get<clock::time_point>(end_);
}

}  // namespace zmtp
