#pragma once
// A Majordomo client (7/MDP, 18/MDP) for applications. The decisions are client_state's.

#include "mdp/conversation_handlers.h"
#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/message.h"
#include "zmtp/socket/completion_handler.h"

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

// What is known of how a request ended.
enum class outcome {
  answered,  // there is a reply
  not_sent,  // no broker got it
  refused,   // a broker got it, and it was not carried out
  unknown,   // it may have been carried out
};
// Returns the outcome for an error code from client::async_request().
[[nodiscard]] outcome outcome_of(const boost::system::error_code& ec) noexcept;

// Asks services of a broker; of the next one, where several are named and one is gone or does not answer.
// Requests may be in flight in any number: each has a connection of its own while it is, because MDP has
// nothing else to tell replies apart. A connection is used again, and closed when it is idle for too long
// (client_options).
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class client {
public:
  // Called for each PARTIAL, before the completion. What it throws reaches who runs the context.
  using partial_handler = std::function<void(zmtp::message)>;

  // Throws boost::system::system_error: what zmtp::socket::connect throws; errc::bad_endpoint of zmtp
  // where there is no broker.
  client(boost::asio::any_io_executor executor, std::string_view broker,
         const client_options& options = {}, conversation_handlers handlers = {});
  client(boost::asio::any_io_executor executor, std::vector<std::string> brokers,
         const client_options& options = {}, conversation_handlers handlers = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Stops.
  ~client();

  // Closes all connections; requests in flight complete with operation_aborted, later ones too.
  void stop();

  // Asks a service. Sends the request again on a new connection if there is no reply in time, as far as
  // `idempotent` and `attempts` allow it: by default never.
  // Completes with error_code and the reply's parts.
  // Cancellation: terminal, partial, total; the request may have been carried out all the same.
  // Errors, of which outcome_of() says what is known:
  // - errc::not_connected: the request was not sent, because no broker was there.
  // - errc::no_reply: the request was sent, and there was no reply in time or the connection was lost.
  // - errc::reply_cut_short: parts of the reply came, but not the last.
  // - errc::broker_replaced: the request was sent to a broker that another one has replaced.
  // - errc::request_forgotten: the broker does not remember the request.
  // - errc::not_offered, not_taken, worker_lost, request_refused, request_failed, reply_too_large: the broker
  //   reports the outcome.
  // - errc::no_service, service_too_long, no_body, too_many_frames: the call is wrong.
  // - operation_aborted: the operation was cancelled, or the client stopped.
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
