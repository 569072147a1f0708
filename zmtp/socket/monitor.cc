#include "zmtp/socket/monitor.h"

#include "zmtp/engine/monitor_queue.h"

#include <boost/asio/error.hpp>

namespace zmtp {

monitor& monitor::operator=(monitor&& other) noexcept {
  if (this != &other) {
    const monitor gone{std::move(queue_)};
    queue_ = std::move(other.queue_);
  }
  return *this;
}

monitor::~monitor() {
  if (queue_) {
    queue_->close(asio::error::operation_aborted);
  }
}

bool monitor::try_receive(monitor_event& to) { return queue_->try_take(to); }

void monitor::start_receive(handler h) { queue_->start(std::move(h)); }

}  // namespace zmtp
