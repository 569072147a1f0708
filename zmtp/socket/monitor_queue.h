#pragma once
// Between a socket and one monitor of it: events up to a number, then a count of what was lost.

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

// Shared by the monitor and, as long as that lives, known to the socket's core.
class monitor_queue final : public std::enable_shared_from_this<monitor_queue> {
public:
  using handler = completion_handler<void(error_code, monitor_event)>;

  monitor_queue(asio::any_io_executor executor, std::size_t capacity)
      : executor_{std::move(executor)}, capacity_{capacity} {}
  monitor_queue(const monitor_queue&) = delete;
  monitor_queue& operator=(const monitor_queue&) = delete;
  ~monitor_queue() { abandon(); }

  // Lost, and counted, if there is no room.
  void push(const monitor_event& event);
  // An event is lost.
  void miss() noexcept { ++missed_; }
  [[nodiscard]] bool try_take(monitor_event& to);
  void start(handler h);

  // No events come any more: what is there can still be taken, then the end is `reason`.
  void close(error_code reason);
  // The context is going down: nothing may be posted.
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
