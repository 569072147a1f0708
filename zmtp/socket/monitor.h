#pragma once
// Watches what happens to a socket: an event stream for people and their tools, from socket::monitor().

#include "zmtp/error.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/monitor_event.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

class monitor_queue;

// Bounded and lossy: a monitor that is not read keeps the oldest events, and the next one says how many
// were lost in between. What the application must not miss (attach and detach of peers) comes in the
// receive queue, by socket_options::announce_peers. Outlives the socket, of which it then tells the end.
//
// Thread safety: as the socket's, whose executor it shares.
class monitor {
public:
  explicit monitor(std::shared_ptr<monitor_queue> queue) noexcept : queue_{std::move(queue)} {}
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  monitor(monitor&&) noexcept = default;
  monitor& operator=(monitor&& other) noexcept;
  // Operations complete with operation_aborted.
  ~monitor();

  // False if nothing has happened since.
  [[nodiscard]] bool try_receive(monitor_event& to);

  // Waits for the next event.
  // Completes with error_code and the event.
  // Cancellation: terminal, partial, total; no event is lost.
  // Errors: errc::socket_closed (after the event `closed`), operation_aborted.
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
