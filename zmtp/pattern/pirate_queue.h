#pragma once
// The queue between Lazy Pirate clients and Simple or Paranoid Pirate workers (the Guide, chapter 4; 6/PPP).
// The decisions are pirate_queue_state's.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/pattern/pirate_queue_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace zmtp {

// Serves from the first bind until it is stopped or destroyed: clients on one ROUTER, workers on another.
// A worker has one request at a time; what a lost worker had is lost, and its client asks again.
//
// It may outlive its context, which ends what it does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class pirate_queue {
public:
  // Called in the executor with the routing id of the worker, or of the client of a dropped request. The id is
  // empty if the peer has disconnected. An exception that the handler throws propagates out of io_context::run().
  using event_handler = std::function<void(pirate_event, std::string_view)>;

  explicit pirate_queue(boost::asio::any_io_executor executor,
                        const pirate_queue_options& options = {}, event_handler on_event = {});
  pirate_queue(const pirate_queue&) = delete;
  pirate_queue& operator=(const pirate_queue&) = delete;
  // Stops.
  ~pirate_queue();

  // As zmtp::socket::bind. Errors: also errc::socket_closed, once it is stopped.
  endpoint bind_clients(std::string_view at);
  endpoint bind_workers(std::string_view at);
  // Closes the sockets: replies that are queued are written, for the linger time, while the context runs.
  void stop();

  [[nodiscard]] const pirate_queue_counters& counters() const noexcept;
  [[nodiscard]] std::size_t workers() const noexcept;
  [[nodiscard]] std::size_t waiting() const noexcept;

private:
  class core;
  std::weak_ptr<core> core_;  // of what goes with the context
  std::shared_ptr<const pirate_queue_state> state_;
};

}  // namespace zmtp
