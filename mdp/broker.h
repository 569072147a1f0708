#pragma once
// A Majordomo broker (7/MDP, 18/MDP, 8/MMI) on one ROUTER socket. broker_state makes the decisions.

#include "mdp/broker_actions.h"
#include "mdp/options.h"
#include "zmtp/counters.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp {

class broker_state;

// Handlers for observers, in the order of events. They run in the broker's executor, some of them
// inside a call of the broker, and must not call the broker. An exception that they throw
// propagates out of `io_context::run()`. Each handler may be empty.
struct broker_handlers {
  // Takes a message as it is on the wire, with the empty frame of 0.1, and the routing id of its
  // peer. The id is empty if the peer has already disconnected.
  using message_handler = std::function<void(std::string_view peer, const zmtp::message& m)>;
  message_handler on_received{};  // before the broker reads it
  message_handler on_send{};      // before it is queued
  std::function<void(const broker_event& event, std::string_view peer)> on_event{};
};

// Serves clients and workers of both versions on the same endpoints, from the first bind until it
// is stopped or destroyed. The broker keeps its requests in memory: if its process ends, they are
// lost, and clients must resend them.
//
// Lifetime: the broker may outlive its execution context. It then does nothing.
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
// Handlers: a completion handler runs in its associated executor, by default in the broker's
// executor, and never inside the call that starts or ends its operation.
class broker {
public:
  // Throws: boost::system::system_error with errc::bad_option, and the option and its range.
  explicit broker(boost::asio::any_io_executor executor, const broker_options& options = {},
                  broker_handlers handlers = {});
  broker(const broker&) = delete;
  broker& operator=(const broker&) = delete;
  // Calls stop().
  ~broker();

  // Same as zmtp::socket::bind. A stopped broker fails with zmtp::errc::socket_closed.
  zmtp::endpoint bind(std::string_view at);
  zmtp::endpoint bind(std::string_view at, zmtp::error_code& ec);
  // Closes the socket and drops all requests. Queued messages are still written while the context
  // runs, for at most the linger time.
  void stop();

  // Stops listening, rejects new requests, answers the requests that it has accepted, and stops.
  // Requests that wait for a service without workers are rejected as well. A client that announces
  // `mdp-errors` gets an error. Zinc's clients then send the request to another broker, or to the
  // next one at the same endpoint.
  //
  // Lifetime: destroying the broker completes the operation with operation_aborted.
  // Completes with: error_code, when all clients have received their replies.
  // Errors:
  // - zmtp::errc::timed_out: the deadline passed, and the broker has stopped. counters.stopped of
  //   status() is the number of requests that the broker has ended.
  // - operation_aborted: the broker was stopped before or meanwhile, or another drain is in
  //   progress.
  // - errors of zmtp::socket::async_close.
  // Cancellation: none. stop() ends the wait.
  template <
      boost::asio::completion_token_for<void(zmtp::error_code)> Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_drain(zmtp::deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(zmtp::error_code)>(
        [this](drain_handler h, zmtp::deadline when) { start_drain(when, std::move(h)); }, token,
        until);
  }

  // Replaces the options of services (`services` and `rules`), for existing services too. No
  // request is lost. The other options have no effect. Does nothing if the broker is stopped.
  // Throws: as the constructor. Nothing has changed then.
  void change_services(const broker_options& options);

  // Replaces broker_options::access. Connections stay open. A worker that may no longer offer its
  // service gets DISCONNECT. Does nothing if the broker is stopped.
  void change_access(zmtp::access_rules rules);

  // Sends the worker no more requests, and disconnects it when it has answered those that it holds.
  // Returns false if the peer is not a registered worker, or the broker is stopped.
  [[nodiscard]] bool drain_worker(zmtp::peer_id worker);

  [[nodiscard]] broker_status status() const;
  // Return up to `count` registered workers and connected clients.
  [[nodiscard]] std::vector<worker_status> workers(std::size_t count) const;
  [[nodiscard]] std::vector<client_status> clients(std::size_t count) const;
  [[nodiscard]] std::vector<service_status> services() const;
  // Returns the counters of the socket: drops and ended connections, by cause. All are zero once
  // the context has destroyed the broker's coroutine.
  [[nodiscard]] zmtp::socket_counters connections() const;

private:
  class core;
  using drain_handler = zmtp::completion_handler<void(zmtp::error_code)>;

  void start_drain(zmtp::deadline until, drain_handler handler);

  boost::asio::any_io_executor executor_;
  std::weak_ptr<core> core_;  // empty once the context has destroyed its coroutine
  std::shared_ptr<const broker_state> state_;
};

}  // namespace mdp
