#include "zmtp/blocking/poll.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace zmtp::blocking {

// The state of one poll(), shared with handlers that may run after it has returned. Its lock is
// taken inside the locks of the contexts, never around them.
class poll_item::waiting : public std::enable_shared_from_this<waiting> {
public:
  // Requires the lock of the context while the handler is pending.
  [[nodiscard]] pollable::done_handler handler(engine* of) {
    auto& added = waits_.emplace_back();
    added.of = of;
    return asio::bind_cancellation_slot(added.cancel.slot(),
                                        [self = shared_from_this()](error_code) { self->wake(); });
  }
  void wake() {
    const std::lock_guard lock{mutex_};
    awake_ = true;
    changed_.notify_one();
  }
  void sleep(std::optional<deadline::clock::time_point> end) {
    std::unique_lock lock{mutex_};
    const auto done = [this] { return awake_; };
    if (end) {
      changed_.wait_until(lock, *end, done);
    } else {
      changed_.wait(lock, done);
    }
  }
  void cancel() {
    for (auto& w : waits_) {
      const monitor::scope alone{w.of->lock()};
      w.cancel.emit(asio::cancellation_type::terminal);
    }
  }

private:
  struct wait {
    engine* of = nullptr;
    asio::cancellation_signal cancel;
  };

  std::deque<wait> waits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool awake_ = false;
};

bool poll_item::look() {
  readable = writable = false;
  closed = true;
  if (socket_ != nullptr && !engine_->forked()) {
    const monitor::scope alone{engine_->lock()};
    closed = !engine_->open() || !socket_->is_open();
    readable = asked != wants::to_send && socket_->readable();
    writable = !closed && asked != wants::to_receive && socket_->writable();
  }
  return readable || writable || closed;
}

void poll_item::begin(const std::shared_ptr<waiting>& in) const {
  const monitor::scope alone{engine_->lock()};
  if (!engine_->open()) {
    in->wake();
    return;
  }
  if (asked != wants::to_send) {
    socket_->wait_readable(in->handler(engine_));
  }
  if (asked != wants::to_receive) {
    socket_->wait_writable(in->handler(engine_));
  }
}

std::size_t poll(std::span<poll_item> items, deadline until) {
  // The thread sleeps by the operating system's clock.
  const auto& time = runtime::system();
  const auto end = until.at(time);
  const auto look = [&] {
    return static_cast<std::size_t>(
        std::count_if(items.begin(), items.end(), [](poll_item& i) { return i.look(); }));
  };
  for (;;) {
    if (const auto ready = look(); ready != 0) {
      return ready;
    }
    if (end && *end <= time.now()) {
      return 0;
    }
    const auto waiting = std::make_shared<poll_item::waiting>();
    for (const auto& item : items) {
      item.begin(waiting);
    }
    waiting->sleep(end);
    waiting->cancel();
  }
}

}  // namespace zmtp::blocking
