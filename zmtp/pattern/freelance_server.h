#pragma once
// A Freelance server (the Guide, chapter 4; 10/FLP). The decisions are freelance_server_state's.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/pattern/freelance_server_state.h"
#include "zmtp/pattern/held_request.h"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace zmtp {

// For who looks on: a message as it is on the wire, and the routing id of its peer, which is empty if the peer is
// gone already. Called in the executor; may not call the server. What they throw reaches who runs the context.
struct freelance_server_handlers {
  std::function<void(std::string_view peer, const message& m)>
      on_received{};                                                       // before it is looked at
  std::function<void(std::string_view peer, const message& m)> on_send{};  // before it is queued
};

// Serves from the first bind until it is stopped or destroyed, on one ROUTER whatever the form: to clients it
// is as a REP is, but many requests may be in hand.
//
// It may outlive its context, which ends what it does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class freelance_server {
public:
  // Called for each request, in the executor, which may be answered later. What it throws reaches who runs
  // the context.
  using handler = std::function<void(held_request)>;

  // `identity` is what the server announces itself as: for clients of the Guide's third model the endpoint
  // that they connect to, octet by octet; otherwise empty.
  // Throws boost::system::system_error: errc::bad_option (an identity above 255 octets).
  freelance_server(boost::asio::any_io_executor executor, const std::string& identity,
                   const freelance_server_options& options, handler on_request,
                   freelance_server_handlers handlers = {});
  freelance_server(const freelance_server&) = delete;
  freelance_server& operator=(const freelance_server&) = delete;
  // Stops.
  ~freelance_server();

  // As zmtp::socket::bind. Errors: also errc::socket_closed, once it is stopped.
  endpoint bind(std::string_view at);
  // Closes the socket: replies that are queued are written, for the linger time, while the context runs.
  void stop();

  [[nodiscard]] const freelance_server_counters& counters() const noexcept;

private:
  class core;
  std::weak_ptr<core> core_;  // of what goes with the context
  std::shared_ptr<const freelance_server_state> state_;
};

}  // namespace zmtp
