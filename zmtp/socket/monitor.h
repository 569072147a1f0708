#pragma once
// A stream of the events of one socket, for people and their tools, from socket::monitor().

#include "zmtp/error.h"
#include "zmtp/monitor_event.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

class monitor_queue;

// Bounded, and may lose events: a monitor that is not read keeps the oldest events, and the next
// event has the number of lost ones. If an application must not miss attach and detach of peers,
// use socket_options::announce_peers instead. A monitor may outlive its socket, and then reports
// its end.
//
// Executor: handlers run in their associated executor, or in the executor of the socket. A handler
// never runs inside async_receive(). Thread safety: distinct monitors of one socket are not safe
// either. Use all of them in the executor of the socket.
class monitor {
public:
  explicit monitor(std::shared_ptr<monitor_queue> queue) noexcept : queue_{std::move(queue)} {}
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  monitor(monitor&&) noexcept = default;
  monitor& operator=(monitor&& other) noexcept;
  // Completes pending operations with operation_aborted.
  ~monitor();

  // Takes the next event without waiting. Returns false if there is none.
  [[nodiscard]] bool try_receive(monitor_event& to);

  // Waits for the next event.
  //
  // Completes with: error_code and the event.
  // Errors: errc::socket_closed, after the event `closed`; operation_aborted.
  // Cancellation: terminal, partial, total. No event is lost.
  template <asio::completion_token_for<void(error_code, monitor_event)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, monitor_event)>(
        [this](handler h) { start_receive(std::move(h)); }, token);
  }

private:
  using handler = completion_handler<void(error_code, monitor_event)>;

  void start_receive(handler h);

  std::shared_ptr<monitor_queue> queue_;
};

}  // namespace zmtp
