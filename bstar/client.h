#pragma once
// A client of a Binary Star pair. Requests go to the node that replied last, and to the other
// server if that node is unresponsive.

#include "zmtp/message.h"
#include "zmtp/pattern/lazy_pirate_client.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bstar {

// Options of a client.
struct client_options {
  // Time for the reply of one server before the client tries the other server.
  std::chrono::milliseconds timeout{1'000};
  // Pause before the client tries the other server: two heartbeats of the pair. Within this time
  // the pair detects the loss of a node. A passive node drops earlier requests.
  std::chrono::milliseconds settle{2'000};
  // As in zmtp::lazy_pirate_options. With CURVE, both servers need the same key.
  zmtp::socket_options socket{};
};

// A zmtp::lazy_pirate_client that alternates between the servers until the deadline and pauses in
// between, like the Guide's bstarcli. One request at a time.
//
// A request may be executed twice: by a server that was lost before it could reply, and by the
// other server.
//
// Lifetime: the client must be destroyed before its execution context.
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
// Handlers: a completion handler runs in its associated executor, by default in the client's
// executor, and never inside the call that starts or ends its operation.
class client {
public:
  // `servers` has the endpoints of the voters, the primary's first. `handlers` observe attempts and
  // can reject replies.
  // Throws: boost::system::system_error with an error of zmtp::socket::connect, or with:
  // - zmtp::call_errc::no_servers.
  // - zmtp::call_errc::bad_call_option: the timeout is not positive, or `settle` is negative.
  client(boost::asio::any_io_executor executor, std::vector<std::string> servers,
         const client_options& options = {}, zmtp::lazy_pirate_handlers handlers = {});

  // Sends a request to one server after the other until one replies.
  //
  // Lifetime: the body is moved. Destroying the client completes the operation with
  // operation_aborted.
  // Completes with: error_code and the parts of the reply.
  // Errors: those of zmtp::lazy_pirate_client::async_request.
  // Cancellation: terminal, partial, total. A server may still execute the request.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_request(zmtp::message body, zmtp::deadline until, Token&& token = {}) {
    return pirate_.async_request(std::move(body), until, std::forward<Token>(token));
  }

  // Returns the endpoint of the server that gets the current or next attempt.
  [[nodiscard]] std::string_view server() const noexcept { return pirate_.server(); }

  // Requests in flight and later requests complete with operation_aborted.
  void stop() { pirate_.stop(); }

private:
  zmtp::lazy_pirate_client pirate_;
};

}  // namespace bstar
