#pragma once
// A Majordomo broker (7/MDP, 18/MDP, 8/MMI) on one ROUTER socket. The decisions are broker_state's.

#include "mdp/broker_actions.h"
#include "mdp/options.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

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

// For who looks on: called in the executor, in the order of what happens. They may not call the broker. What they
// throw reaches who runs the context. Absent: nothing is told.
struct broker_handlers {
  // A message as it is on the wire, with the empty frame of 0.1, and the routing id of its peer; empty if the
  // peer is gone already.
  using message_handler = std::function<void(std::string_view peer, const zmtp::message& m)>;
  message_handler on_received{};  // before it is looked at
  message_handler on_send{};      // before it is queued
  std::function<void(const broker_event& event, std::string_view peer)> on_event{};
};

// Serves from the first bind until it is stopped or destroyed. Clients and workers of both versions
// come to the same endpoints.
//
// What a crash of the broker loses are the requests that it holds: clients ask again.
//
// It may outlive its context, which ends what it does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class broker {
public:
  explicit broker(boost::asio::any_io_executor executor, const broker_options& options = {},
                  broker_handlers handlers = {});
  broker(const broker&) = delete;
  broker& operator=(const broker&) = delete;
  // Stops.
  ~broker();

  // As zmtp::socket::bind. Errors: also zmtp::errc::socket_closed, once it is stopped.
  zmtp::endpoint bind(std::string_view at);
  zmtp::endpoint bind(std::string_view at, zmtp::error_code& ec);
  // Closes the socket: what is queued for peers is written, for the linger time, while the context
  // runs; requests that are held are lost.
  void stop();

  // Accepts no more requests, and stops listening; waits until those that it has accepted are answered, and
  // stops. Requests are refused that come meanwhile, and those of a service that has no worker. Clients that
  // announce `mdp-errors` are told so, and this project's go to another broker or wait for the next one.
  //
  // Completes with error_code, when all clients have their replies.
  // Cancellation: none; stop() ends the wait.
  // Errors:
  // - zmtp::errc::timed_out: the deadline passed, and the broker has stopped. counters.stopped of status() is the
  //   number of requests that it has ended.
  // - operation_aborted: the broker was stopped before or meanwhile, or drains already.
  // - errors of zmtp::socket::async_close.
  template <
      boost::asio::completion_token_for<void(zmtp::error_code)> Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_drain(zmtp::deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(zmtp::error_code)>(
        [this](drain_handler h, zmtp::deadline when) { start_drain(when, std::move(h)); }, token,
        until);
  }

  // What these options say of services (`services` and `rules`) counts from now on, instead of what the
  // broker was made with, also for those that are there; nothing is lost by it. Nothing, once it is
  // stopped.
  void change_services(const broker_options& options);

  [[nodiscard]] broker_status status() const;
  [[nodiscard]] std::vector<service_status> services() const;
  // Of the socket: what was dropped, and why connections have ended. All zero once it is stopped.
  [[nodiscard]] zmtp::socket_counters connections() const;

private:
  class core;
  using drain_handler = zmtp::completion_handler<void(zmtp::error_code)>;

  void start_drain(zmtp::deadline until, drain_handler handler);

  boost::asio::any_io_executor executor_;
  std::weak_ptr<core> core_;  // of what goes with the context
  std::shared_ptr<const broker_state> state_;
};

}  // namespace mdp
