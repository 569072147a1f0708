#pragma once
// A Majordomo broker (7/MDP, 18/MDP, 8/MMI) on one ROUTER socket. The decisions are broker_state's.

#include "mdp/broker_actions.h"
#include "mdp/options.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string_view>
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
  std::weak_ptr<core> core_;  // of what goes with the context
  std::shared_ptr<const broker_state> state_;
};

}  // namespace mdp
