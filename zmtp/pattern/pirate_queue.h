#pragma once
// The queue between Lazy Pirate clients and Simple or Paranoid Pirate workers (the Guide, chapter
// 4; 6/PPP). pirate_queue_state makes the decisions.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/pattern/pirate_queue_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

// Serves from the first bind until it is stopped or destroyed, with one ROUTER for clients and one
// for workers. A worker has one request at a time. If a worker disconnects, its request is lost and
// the client must retry.
//
// Executor: handlers run in the executor of the queue.
//
// Lifetime: the queue may outlive its context. It stops when the context is destroyed.
//
// Thread safety: distinct objects safe, one object not. The executor must be serial. Call all
// members in it.
class pirate_queue {
public:
  // Called with the routing id of the worker, or of the client of a dropped request. The id is
  // empty if the peer has disconnected. An exception that the handler throws propagates out of
  // `io_context::run()`.
  using event_handler = std::function<void(pirate_event, std::string_view)>;

  explicit pirate_queue(boost::asio::any_io_executor executor,
                        const pirate_queue_options& options = {}, event_handler on_event = {});
  pirate_queue(const pirate_queue&) = delete;
  pirate_queue& operator=(const pirate_queue&) = delete;
  // Calls stop().
  ~pirate_queue();

  // Bind as zmtp::socket::bind does. Additional error: errc::socket_closed after stop().
  endpoint bind_clients(std::string_view at);
  endpoint bind_workers(std::string_view at);
  // Closes the sockets. The context writes queued replies for the linger time.
  void stop();

  [[nodiscard]] const pirate_queue_counters& counters() const noexcept;
  [[nodiscard]] std::size_t workers() const noexcept;
  [[nodiscard]] std::size_t waiting() const noexcept;

private:
  class core;
  std::weak_ptr<core> core_;  // owned by the context's coroutines
  std::shared_ptr<const pirate_queue_state> state_;
};

}  // namespace zmtp
