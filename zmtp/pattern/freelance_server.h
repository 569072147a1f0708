#pragma once
// A Freelance server (the Guide, chapter 4; 10/FLP). freelance_server_state makes the decisions.

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

// Handlers for observers. They receive a message as it is on the wire, and the routing id of its
// peer, which is empty if the peer has disconnected. They must not call the server. An exception
// that a handler throws propagates out of `io_context::run()`.
struct freelance_server_handlers {
  std::function<void(std::string_view peer, const message& m)>
      on_received{};                                                       // before it is processed
  std::function<void(std::string_view peer, const message& m)> on_send{};  // before it is queued
};

// Serves from the first bind() until it is stopped or destroyed. It uses one ROUTER for every form.
// To clients it looks like a REP, but several requests may be in progress.
//
// Executor: handlers run in the executor of the server. `on_send` can run inside
// held_request::reply().
//
// Lifetime: the server may outlive its context. It stops when the context is destroyed.
//
// Thread safety: distinct objects safe, one object not. The executor must be serial. Call all
// members in it.
class freelance_server {
public:
  // Called for each request. The request may be answered later. An exception that the handler
  // throws propagates out of `io_context::run()`.
  using handler = std::function<void(held_request)>;

  // `identity` is the routing id of the server. For clients of the Guide's third model, this must
  // be exactly the endpoint to which they connect. Otherwise leave it empty.
  // Throws boost::system::system_error: errc::bad_option (an identity above 255 bytes),
  // call_errc::bad_call_option with the option and its range.
  freelance_server(boost::asio::any_io_executor executor, const std::string& identity,
                   const freelance_server_options& options, handler on_request,
                   freelance_server_handlers handlers = {});
  freelance_server(const freelance_server&) = delete;
  freelance_server& operator=(const freelance_server&) = delete;
  // Calls stop().
  ~freelance_server();

  // Binds as zmtp::socket::bind does. Additional error: errc::socket_closed after stop().
  endpoint bind(std::string_view at);
  // Closes the socket. The context writes queued replies for the linger time.
  void stop();

  [[nodiscard]] const freelance_server_counters& counters() const noexcept;

private:
  class core;
  std::weak_ptr<core> core_;  // owned by the context's coroutine
  std::shared_ptr<const freelance_server_state> state_;
};

}  // namespace zmtp
