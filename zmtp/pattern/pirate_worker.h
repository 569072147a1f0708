#pragma once
// A Simple or Paranoid Pirate worker (the Guide, chapter 4; 6/PPP). The decisions are pirate_worker_state's.

#include "zmtp/message.h"
#include "zmtp/pattern/held_request.h"
#include "zmtp/pattern/pirate_worker_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

// Serves one queue, and comes back when the queue does: says READY on each new connection, one request at
// a time.
//
// It may outlive its context, which ends what it does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class pirate_worker {
public:
  // Called for each request, in the executor, which may be answered later. One that is dropped
  // unanswered is lost, and its client asks again. What it throws reaches who runs the context.
  using handler = std::function<void(held_request)>;
  using event_handler = std::function<void(const pirate_worker_event&)>;

  // Throws what zmtp::socket::connect throws.
  pirate_worker(boost::asio::any_io_executor executor, std::string_view queue,
                const pirate_worker_options& options, handler on_request,
                event_handler on_event = {});
  pirate_worker(const pirate_worker&) = delete;
  pirate_worker& operator=(const pirate_worker&) = delete;
  // Stops.
  ~pirate_worker();

  // Takes no more requests. A reply that was given is written, for the linger time, while the context
  // runs; a request that is still in hand is lost.
  void stop();

private:
  class core;
  std::weak_ptr<core> core_;  // which goes with the context
};

}  // namespace zmtp
