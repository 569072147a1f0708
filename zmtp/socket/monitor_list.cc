#include "zmtp/socket/monitor_list.h"

#include "zmtp/error.h"

#include <chrono>

namespace zmtp {

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
  event.at = std::chrono::steady_clock::now();
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
