#pragma once
// A Simple or Paranoid Pirate worker (the Guide, chapter 4; 6/PPP). pirate_worker_state makes the
// decisions.

#include "zmtp/message.h"
#include "zmtp/pattern/held_request.h"
#include "zmtp/pattern/pirate_worker_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

// Serves one queue, and reconnects when the queue restarts. Sends READY on each new connection.
// Handles one request at a time.
//
// Executor: handlers run in the executor of the worker. `on_event` can run inside
// held_request::reply() and inside the destructor of a held_request.
//
// Lifetime: the worker may outlive its context. It stops when the context is destroyed.
//
// Thread safety: distinct objects safe, one object not. The executor must be serial. Call all
// members in it.
class pirate_worker {
public:
  // Called for each request. The request may be answered later. If the handler destroys it without
  // a reply, the request is lost and its client must retry. An exception that the handler throws
  // propagates out of `io_context::run()`.
  using handler = std::function<void(held_request)>;
  using event_handler = std::function<void(const pirate_worker_event&)>;

  // Throws boost::system::system_error: call_errc::bad_call_option with the option and its range,
  // and what zmtp::socket::connect throws.
  pirate_worker(boost::asio::any_io_executor executor, std::string_view queue,
                const pirate_worker_options& options, handler on_request,
                event_handler on_event = {});
  pirate_worker(const pirate_worker&) = delete;
  pirate_worker& operator=(const pirate_worker&) = delete;
  // Calls stop().
  ~pirate_worker();

  // Accepts no more requests. The context writes a queued reply for the linger time. An unanswered
  // request is lost.
  void stop();

private:
  class core;
  std::weak_ptr<core> core_;  // owned by the context's coroutine
};

}  // namespace zmtp
