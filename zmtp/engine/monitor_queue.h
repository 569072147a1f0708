#pragma once
// The monitors of a socket, and the queue between the socket and each of them.

#include "zmtp/engine/pending_operations.h"
#include "zmtp/error.h"
#include "zmtp/monitor_event.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/runtime.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace zmtp {

// A limited number of events, then a count of lost ones. Owned by the monitor. The socket's core
// keeps a weak reference.
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
  void complete(waiter& w, error_code ec);

  asio::any_io_executor executor_;
  pending_work work_{executor_};
  std::size_t capacity_;
  std::deque<monitor_event> events_;
  std::uint64_t missed_ = 0;
  waiter_list waiters_;
  error_code end_;
};

// The monitors of one socket.
class monitor_list {
public:
  // `of` dates the events. It must live until close() or abandon().
  explicit monitor_list(const runtime& of) noexcept : runtime_{of} {}

  // Adds a monitor. Removes queues whose monitor has been destroyed.
  [[nodiscard]] std::shared_ptr<monitor_queue> watch(const boost::asio::any_io_executor& executor,
                                                     std::size_t capacity);
  // Sends an event to all monitors. Calls `make` only if there are any. If there is no memory for
  // the event, drops and counts it.
  template <class Make>
  void report(Make&& make) {
    if (watching_.empty()) {
      return;
    }
    try {
      tell(make());
    } catch (const std::bad_alloc&) {
      miss();
    }
  }
  // Sends the last event, `closed`.
  void close();
  // Call when the context is destroyed. Nothing may be posted.
  void abandon() noexcept;

private:
  void tell(monitor_event&& event);
  void miss() noexcept;

  const runtime& runtime_;
  bool closed_ = false;
  std::vector<std::weak_ptr<monitor_queue>> watching_;
};

}  // namespace zmtp
