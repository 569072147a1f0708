#pragma once
// The monitors of a socket.

#include "zmtp/socket/monitor_event.h"
#include "zmtp/socket/monitor_queue.h"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace zmtp {

class monitor_list {
public:
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

  bool closed_ = false;
  std::vector<std::weak_ptr<monitor_queue>> watching_;
};

}  // namespace zmtp
