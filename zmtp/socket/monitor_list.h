#pragma once
// Who watches a socket.

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
  // For one monitor more; it forgets a queue that nobody has any more.
  [[nodiscard]] std::shared_ptr<monitor_queue> watch(const boost::asio::any_io_executor& executor,
                                                     std::size_t capacity);
  // Tells all; without one no event is made. An event for which there is no memory is lost, and counted.
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
  // All is over, which is the last event.
  void close();
  // The context is going down: nothing may be posted.
  void abandon() noexcept;

private:
  void tell(monitor_event&& event);
  void miss() noexcept;

  bool closed_ = false;
  std::vector<std::weak_ptr<monitor_queue>> watching_;
};

}  // namespace zmtp
