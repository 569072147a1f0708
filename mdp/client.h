#pragma once
// A Majordomo client (7/MDP, 18/MDP). client_state makes the decisions.

#include "mdp/conversation_handlers.h"
#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/message.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp {

// The outcome of a request, as far as the client knows it.
enum class outcome {
  answered,  // the service replied
  not_sent,  // no broker received the request
  refused,   // a broker received the request, and no worker carried it out
  unknown,   // a worker may have carried out the request
};
// Returns the outcome for an error code from client::async_request().
[[nodiscard]] outcome outcome_of(const boost::system::error_code& ec) noexcept;

// Sends requests to the services of a broker. If several brokers are named, the client moves to the
// next one when its broker disconnects, does not answer or cannot be reached.
//
// Any number of requests can be in flight. Each one uses a connection of its own, because replies
// in MDP carry no id. The client reuses idle connections, and closes them as client_options say.
//
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
// Handlers: a completion handler runs in its associated executor, by default in the client's
// executor. No handler runs inside the call that starts or ends its operation.
class client {
public:
  // Called in the client's executor for each PARTIAL, before the completion. An exception that it
  // throws propagates out of `io_context::run()`.
  using partial_handler = std::function<void(zmtp::message)>;

  // Starts to connect to the first broker.
  // Throws: boost::system::system_error with an error of zmtp::socket::connect, or with
  // zmtp::errc::bad_endpoint if an endpoint cannot be connected to or `brokers` is empty.
  // Throws: errc::bad_option with the option and its range.
  client(boost::asio::any_io_executor executor, std::string_view broker,
         const client_options& options = {}, conversation_handlers handlers = {});
  client(boost::asio::any_io_executor executor, std::vector<std::string> brokers,
         const client_options& options = {}, conversation_handlers handlers = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Calls stop().
  ~client();

  // Closes all connections. Requests in flight and later requests complete with operation_aborted.
  void stop();

  // Sends a request to a service and waits for the reply. If no reply arrives in time, the client
  // resends the request on a new connection, as far as `idempotent` and `attempts` allow it. By
  // default it sends a request once.
  //
  // Lifetime: the arguments are copied or moved. Destroying the client completes the operation with
  // operation_aborted.
  // Completes with: error_code and the parts of the reply, or of its last part if PARTIALs came
  // before.
  // Errors:
  // - errc::not_connected: the request was not sent, because no broker was connected.
  // - errc::no_reply: the request was sent, and no reply arrived in time, or the connection was
  //   lost.
  // - errc::reply_cut_short: PARTIALs arrived, but not the end of the reply.
  // - errc::broker_replaced: the request was sent to a run of a broker that has ended.
  // - errc::request_forgotten: the broker no longer remembers the request.
  // - errc::not_offered, not_taken, worker_lost, request_refused, request_failed, reply_too_large:
  //   reported by the broker.
  // - errc::no_service, service_too_long, no_body, too_many_frames: invalid arguments.
  // - operation_aborted: the operation was cancelled, or the client stopped.
  // Cancellation: terminal, partial, total. A worker may still carry out the request.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_request(std::string service, zmtp::message body,
                                   const request_options& how, partial_handler on_partial,
                                   Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](reply_handler h, std::string&& name, zmtp::message&& what,
               const request_options& with, partial_handler&& part) {
          start(std::move(name), std::move(what), with, std::move(part), std::move(h));
        },
        token, std::move(service), std::move(body), how, std::move(on_partial));
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_request(std::string service, zmtp::message body,
                                   const request_options& how, Token&& token = {}) {
    return async_request(std::move(service), std::move(body), how, partial_handler{},
                         std::forward<Token>(token));
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_request(std::string service, zmtp::message body, Token&& token = {}) {
    return async_request(std::move(service), std::move(body), request_options{}, partial_handler{},
                         std::forward<Token>(token));
  }

private:
  class conversation;
  class core;
  using reply_handler = zmtp::completion_handler<void(boost::system::error_code, zmtp::message)>;

  void start(std::string&& service, zmtp::message&& body, const request_options& how,
             partial_handler&& on_partial, reply_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace mdp
