#include "zmtp/engine/monitor_queue.h"

#include "zmtp/error.h"

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
  work_.hold();
  auto* const w = static_cast<kind*>(kind::make(std::move(h), executor_, attempt));
  if (auto slot = w->slot(); slot.is_connected()) {
    slot.assign([weak = weak_from_this(), w](asio::cancellation_type type) {
      if (const auto self = weak.lock(); self && type != asio::cancellation_type::none) {
        self->complete(*w, asio::error::operation_aborted);
      }
    });
  }
  waiters_.push_back(*w);
  serve();
}

void monitor_queue::complete(waiter& w, error_code ec) {
  w.unlink();
  w.complete(ec, waiter::when::later, executor_);
  if (waiters_.empty()) {
    work_.release();
  }
}

void monitor_queue::serve() {
  while (!waiters_.empty()) {
    auto& w = waiters_.front();
    error_code ec;
    if (!w.attempt(ec)) {
      return;
    }
    complete(w, ec);
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
  work_.release();
  while (!waiters_.empty()) {
    auto& w = waiters_.front();
    waiters_.pop_front();
    w.abandon();
  }
}

std::shared_ptr<monitor_queue> monitor_list::watch(const boost::asio::any_io_executor& executor,
                                                   std::size_t capacity) {
  auto queue = std::make_shared<monitor_queue>(executor, capacity);
  if (closed_) {
    queue->close(errc::socket_closed);
  } else {
    watching_.push_back(queue);
  }
  return queue;
}

void monitor_list::tell(monitor_event&& event) {
  event.at = runtime_.now();
  std::erase_if(watching_, [&](const auto& one) {
    const auto queue = one.lock();
    if (queue) {
      queue->push(event);
    }
    return queue == nullptr;
  });
}

void monitor_list::miss() noexcept {
  for (const auto& one : watching_) {
    if (const auto queue = one.lock()) {
      queue->miss();
    }
  }
}

void monitor_list::close() {
  closed_ = true;
  report([] { return monitor_event{}; });
  for (const auto& one : std::exchange(watching_, {})) {
    if (const auto queue = one.lock()) {
      queue->close(errc::socket_closed);
    }
  }
}

void monitor_list::abandon() noexcept {
  closed_ = true;
  for (const auto& one : std::exchange(watching_, {})) {
    if (const auto queue = one.lock()) {
      queue->abandon();
    }
  }
}

}  // namespace zmtp
