#pragma once
// A client of Titanic (9/TSP): stores a request, and fetches the reply later.

#include "mdp/conversation_handlers.h"
#include "mdp/options.h"
#include "mdp/titanic/error.h"
#include "mdp/titanic/request_id.h"
#include "zmtp/message.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mdp::titanic {

// Options of a client.
struct client_options {
  version protocol = version::v01;
  // Time of an attempt to reach Titanic, and number of attempts. A request without an id of its own
  // is sent once, unless the broker recognizes repeats (mdp::client_options::idempotent). Otherwise
  // a second attempt could store it twice.
  std::chrono::milliseconds timeout{2'500};
  unsigned attempts = 3;
  // Pause between two polls for the reply, and before a request that could not be stored is resent.
  // Doubles each time.
  std::chrono::milliseconds least_wait{10};
  std::chrono::milliseconds most_wait{1'000};
  // As in mdp::client_options.
  zmtp::socket_options socket{};
};

// Calls the services titanic.request, titanic.submit, titanic.reply and titanic.close of one
// broker. Any number of operations can be in progress.
//
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
// Handlers: a completion handler runs in its associated executor, by default in the client's
// executor, and never inside the call that starts or ends its operation.
class client {
public:
  // Throws: boost::system::system_error with an error of zmtp::socket::connect, or with
  // mdp::errc::bad_option and the option and its range.
  client(boost::asio::any_io_executor executor, std::string_view broker,
         const client_options& options = {}, conversation_handlers handlers = {});
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Calls stop().
  ~client();

  // Operations in progress and later operations complete with operation_aborted.
  void stop();

  // Stores a request. If Titanic answers that it could not store the request, the client resends
  // it.
  //
  // Lifetime: the arguments are moved. Destroying the client completes the operation with
  // operation_aborted.
  // Completes with: error_code and the id. Without an error the request is stored and will be
  // executed once or more. Pass the id to the other operations as it is. Its form depends on the
  // Titanic.
  // Errors:
  // - errc::bad_request, not_stored, bad_reply: the answer of Titanic.
  // - mdp::errc::no_reply: the request may be stored.
  // - mdp::errc::not_connected: the request is not stored.
  // - mdp::errc::no_service, service_too_long, no_body, too_many_frames: invalid arguments.
  // - other errors of mdp::client::async_request, which the broker reports.
  // - operation_aborted: the operation was cancelled, or the client stopped.
  // Cancellation: terminal, partial, total. Titanic may still store the request.
  template <boost::asio::completion_token_for<void(boost::system::error_code, std::string)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_request(std::string service, zmtp::message body, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::string)>(
        [this](id_handler h, std::string&& name, zmtp::message&& what) {
          start_request(std::move(name), std::move(what), std::move(h));
        },
        token, std::move(service), std::move(body));
  }

  // Stores a request with an id of the caller, which only Zinc's Titanic supports. The client
  // resends the request if there is no answer. The caller may repeat the call, also in another
  // process: until the request is closed, its id identifies the request that was stored first. For
  // async_reply use id.to_string().
  //
  // Every client that knows an id can fetch the reply and close the request, so draw the id with
  // random_id().
  //
  // Lifetime: as async_request.
  // Completes with: error_code. Without an error the request is stored.
  // Errors: those of async_request. no_reply can also mean that no Titanic of this kind is running.
  // Cancellation: terminal, partial, total. Titanic may still store the request.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_submit(request_id id, std::string service, zmtp::message body,
                                  Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](code_handler h, request_id which, std::string&& name, zmtp::message&& what) {
          start_submit(which, std::move(name), std::move(what), std::move(h));
        },
        token, id, std::move(service), std::move(body));
  }

  // Asks for the reply once. The reply stays in the store, and later calls return the same one.
  //
  // Lifetime: as async_request.
  // Completes with: error_code and the parts of the reply.
  // Errors:
  // - errc::pending: there is no reply yet.
  // - errc::unknown_id: the request was closed, or never stored.
  // - errc::request_failed: there will be no reply, or Titanic cannot read it.
  // - errc::bad_reply: an invalid answer.
  // - errors of mdp::client::async_request.
  // - operation_aborted: the operation was cancelled, or the client stopped.
  // Cancellation: terminal, partial, total. Nothing changes in the store.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_reply(std::string id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](reply_handler h, std::string&& which) {
          start_reply(std::move(which), false, std::move(h));
        },
        token, std::move(id));
  }

  // Polls until there is a reply or an error that does not pass. Continues while Titanic or the
  // broker is not available.
  //
  // Lifetime: as async_request.
  // Completes with: error_code and the parts of the reply.
  // Errors: those of async_reply, except pending and the errors that a later attempt can solve
  // (mdp::errc::no_reply, not_connected, not_offered, not_taken, worker_lost).
  // Cancellation: terminal, partial, total. Nothing changes in the store.
  template <boost::asio::completion_token_for<void(boost::system::error_code, zmtp::message)>
                Token = boost::asio::deferred_t>
  [[nodiscard]] auto async_wait(std::string id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, zmtp::message)>(
        [this](reply_handler h, std::string&& which) {
          start_reply(std::move(which), true, std::move(h));
        },
        token, std::move(id));
  }

  // Removes the request and its reply from the store. Succeeds for a request that is not in the
  // store.
  //
  // Lifetime: as async_request.
  // Completes with: error_code.
  // Errors:
  // - errc::not_stored: the request may still exist after a restart of Titanic.
  // - errc::bad_reply: an invalid answer.
  // - errors of mdp::client::async_request.
  // - operation_aborted: the operation was cancelled, or the client stopped.
  // Cancellation: terminal, partial, total. Titanic may still close the request.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_close(std::string id, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](code_handler h, std::string&& which) {
          start_close(std::move(which), std::move(h));
        },
        token, std::move(id));
  }

private:
  class core;
  using id_handler = zmtp::completion_handler<void(boost::system::error_code, std::string)>;
  using reply_handler = zmtp::completion_handler<void(boost::system::error_code, zmtp::message)>;
  using code_handler = zmtp::completion_handler<void(boost::system::error_code)>;

  void start_request(std::string&& service, zmtp::message&& body, id_handler&& handler);
  void start_reply(std::string&& id, bool wait, reply_handler&& handler);
  void start_submit(request_id id, std::string&& service, zmtp::message&& body,
                    code_handler&& handler);
  void start_close(std::string&& id, code_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace mdp::titanic
