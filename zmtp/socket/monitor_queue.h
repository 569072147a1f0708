#pragma once
// The queue between a socket and one monitor: a limited number of events, then a count of lost
// ones.

#include "zmtp/error.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/monitor_event.h"
#include "zmtp/socket/waiter.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace zmtp {

// Owned by the monitor. The socket's core keeps a weak reference.
class monitor_queue final : public std::enable_shared_from_this<monitor_queue> {
public:
  using handler = completion_handler<void(error_code, monitor_event)>;

  monitor_queue(asio::any_io_executor executor, std::size_t capacity)
      : executor_{std::move(executor)}, capacity_{capacity} {}
  monitor_queue(const monitor_queue&) = delete;
  monitor_queue& operator=(const monitor_queue&) = delete;
  ~monitor_queue() { abandon(); }

  // Drops and counts the event if the queue is full.
  void push(const monitor_event& event);
  // Counts a lost event.
  void miss() noexcept { ++missed_; }
  [[nodiscard]] bool try_take(monitor_event& to);
  void start(handler h);

  // Call after the last event. Queued events can still be taken. After them, receives fail with
  // `reason`.
  void close(error_code reason);
  // Call when the context is destroyed. Nothing may be posted.
  void abandon() noexcept;

private:
  void serve();

  asio::any_io_executor executor_;
  std::size_t capacity_;
  std::deque<monitor_event> events_;
  std::uint64_t missed_ = 0;
  waiter_list waiters_;
  error_code end_;
};

}  // namespace zmtp
