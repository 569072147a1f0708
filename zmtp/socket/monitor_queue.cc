#include "zmtp/socket/monitor_queue.h"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>

#include <utility>

namespace zmtp {

void monitor_queue::push(const monitor_event& event) {
  if (end_) {
    return;
  }
  if (events_.size() >= capacity_) {
    ++missed_;
    return;
  }
  events_.push_back(event);
  events_.back().missed = std::exchange(missed_, 0);
  serve();
}

bool monitor_queue::try_take(monitor_event& to) {
  if (events_.empty()) {
    return false;
  }
  to = std::move(events_.front());
  events_.pop_front();
  return true;
}

void monitor_queue::start(handler h) {
  const auto attempt = [this](error_code& ec, monitor_event& to) {
    if (try_take(to)) {
      return true;
    }
    ec = end_;
    return end_.failed();
  };
  using kind = result_waiter<decltype(attempt), monitor_event>;
  auto* const w = static_cast<kind*>(kind::make(std::move(h), executor_, attempt));
  if (auto slot = w->slot(); slot.is_connected()) {
    slot.assign([weak = weak_from_this(), w](asio::cancellation_type type) {
      if (const auto self = weak.lock(); self && type != asio::cancellation_type::none) {
        w->unlink();
        w->complete(asio::error::operation_aborted, waiter::when::later);
      }
    });
  }
  waiters_.push_back(*w);
  serve();
}

void monitor_queue::serve() {
  while (!waiters_.empty()) {
    auto& w = waiters_.front();
    error_code ec;
    if (!w.attempt(ec)) {
      return;
    }
    waiters_.pop_front();
    w.complete(ec, waiter::when::later);
  }
}

void monitor_queue::close(error_code reason) {
  if (!end_) {
    end_ = reason;
    serve();
  }
}

void monitor_queue::abandon() noexcept {
  end_ = asio::error::operation_aborted;
  while (!waiters_.empty()) {
    auto& w = waiters_.front();
    waiters_.pop_front();
    w.abandon();
  }
}

}  // namespace zmtp
