#pragma once
// Titanic (9/TSP): the services titanic.request, titanic.reply and titanic.close at any Majordomo
// broker, and the extensions titanic.submit and titanic.status. titanic_state makes the decisions.

#include "mdp/titanic/options.h"
#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_id.h"
#include "mdp/titanic/titanic_state.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp::titanic {

// Opens the store, offers the services when the store is loaded, and sends stored requests to their
// services as a client of the same broker. Reconnects when the broker returns.
//
// Thread safety: distinct objects are safe, one object is not. The executor must be serial, and the
// store must deliver its results in the same executor.
// Handlers: a completion handler runs in its associated executor, by default in the server's
// executor, and never inside the call that starts or ends its operation.
class server {
public:
  // Called once, in the server's executor: without an error when the services are offered, with an
  // error if the store could not be opened. An exception that it throws propagates out of
  // `io_context::run()`.
  using open_handler = std::function<void(boost::system::error_code)>;

  // Called in the server's executor for each attempt to execute a request. An exception that it
  // throws propagates out of `io_context::run()`.
  using dispatch_handler = std::function<void(const request_id&)>;

  // Throws: boost::system::system_error with an error of zmtp::socket::connect, or with
  // mdp::errc::bad_option and the option and its range.
  server(boost::asio::any_io_executor executor, std::string_view broker,
         const server_options& options, std::shared_ptr<request_database> store,
         open_handler on_open = {}, dispatch_handler on_dispatch = {});
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  // Calls stop().
  ~server();

  // Disconnects. The store still writes submitted operations, but clients without an answer do not
  // get one.
  void stop();

  // Takes no more requests, answers those it has taken, waits for the requests in flight and stores
  // their replies, and stops. Requests that wait for their service remain in the store.
  //
  // Lifetime: destroying the server completes the operation with operation_aborted.
  // Completes with: error_code, when the replies are stored and the broker has received the
  // answers.
  // Errors: operation_aborted, if the server was stopped before or meanwhile, or another drain is
  // in progress.
  // Cancellation: none. stop() ends the wait.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_drain(Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](drain_handler h) { start_drain(std::move(h)); }, token);
  }

  // Clients get the same from titanic.status, and from Zinc's broker as mmi.titanic.
  [[nodiscard]] titanic_status status() const;
  [[nodiscard]] std::vector<titanic_service_status> services() const;
  // Returns up to `count` requests without an outcome, the oldest first.
  [[nodiscard]] std::vector<pending_request> pending(std::size_t count) const;
  // Removes a stored request with its reply, as titanic.close does. Calls `on_removed` once, in the
  // server's executor: with true when the store no longer has the request, with false if the store
  // failed or the server was stopped first. Returns false if this principal has no such request.
  // Then it does not call `on_removed`.
  [[nodiscard]] bool purge(const request_id& id, std::string_view principal,
                           std::function<void(bool)> on_removed);

private:
  class core;
  using drain_handler = zmtp::completion_handler<void(boost::system::error_code)>;

  void start_drain(drain_handler handler);

  std::shared_ptr<core> core_;
};

}  // namespace mdp::titanic
