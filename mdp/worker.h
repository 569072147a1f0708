#pragma once
// A Majordomo worker (7/MDP, 18/MDP). worker_state makes the decisions.

#include "mdp/command.h"
#include "mdp/conversation_handlers.h"
#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/message.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mdp {

// A request that a worker has received. The program must reply to it, refuse it or fail it once, at
// any time before or after the handler returns. A request that is destroyed without an answer
// fails.
//
// Refusals and failures reach a broker that announces `X-Zinc: nack`. MDP has no command for them.
// With any other broker they cost the worker its registration, which the worker renews. That broker
// may then redeliver or drop all requests of the worker.
//
// Thread safety: a request is part of its worker. Use and destroy it in the worker's executor.
class worker_request {
public:
  worker_request(worker_request&& other) noexcept = default;
  worker_request& operator=(worker_request&&) = delete;
  ~worker_request();

  [[nodiscard]] const zmtp::message& body() const noexcept { return body_; }
  [[nodiscard]] zmtp::message& body() noexcept { return body_; }
  // Returns the principal of the client: its user id at the broker, or an empty text if it has none.
  // Absent unless worker_options::reads_principals is set and the broker announces `principal`, as
  // Zinc's does. The value is as reliable as the broker.
  [[nodiscard]] const std::optional<std::string>& principal() const noexcept { return principal_; }

  // Sends the reply, which must have at least one part.
  // Errors:
  // - errc::no_request: the request has already ended, or its connection was lost.
  // - errc::no_body, too_many_frames: the reply cannot be sent. The request can still be answered.
  boost::system::error_code reply(zmtp::message answer);
  // Sends a part of the reply. More parts must follow, the last one by reply(). MDP/0.2 only.
  // Errors: those of reply(), and errc::partial_not_possible.
  boost::system::error_code reply_in_part(zmtp::message answer);

  // Reports that the request was not executed. The broker assigns it to another worker at once
  // and does not count an attempt. The request ends with errc::request_refused after as many
  // refusals as the service has workers.
  // Errors: errc::no_request.
  boost::system::error_code refuse();
  // Reports that the request was executed, at least in part, and has no reply. The broker does
  // not redeliver it. A client of Zinc gets errc::request_failed, other clients get nothing.
  // Errors: errc::no_request.
  boost::system::error_code fail();

private:
  friend class worker;
  class sender;
  worker_request(std::weak_ptr<sender> to, std::uint64_t id, zmtp::message body,
                 std::optional<std::string> principal) noexcept
      : to_{std::move(to)}, id_{id}, body_{std::move(body)}, principal_{std::move(principal)} {}

  boost::system::error_code give_back(nack_reason reason);

  std::weak_ptr<sender> to_;
  std::uint64_t id_;
  zmtp::message body_;
  std::optional<std::string> principal_;
};

// Serves one service of one broker. The worker registers on each new connection and reconnects when
// the connection is lost or the broker is unresponsive. It sends heartbeats also while a request is
// in flight.
//
// Lifetime: the worker may outlive its execution context. It then does nothing.
// Thread safety: distinct objects are safe, one object is not. The executor must be serial: an
// io_context that one thread runs, or a strand.
// Handlers: a completion handler runs in its associated executor, by default in the worker's
// executor, and never inside the call that starts or ends its operation.
class worker {
public:
  // Called in the worker's executor for each request. An exception that it throws propagates out of
  // `io_context::run()`.
  using handler = std::function<void(worker_request)>;

  // A coroutine that takes the body of a request and returns the reply. Several may run at once, up
  // to the worker's capacity. If it throws boost::system::system_error with errc::request_refused
  // or request_failed, the request is refused or failed. Any other exception fails the request and
  // propagates out of `io_context::run()`.
  using coroutine = std::function<boost::asio::awaitable<zmtp::message>(zmtp::message)>;

  // Starts to connect.
  // Throws: boost::system::system_error with errc::no_service, service_too_long, service_reserved or
  // bad_option (with the option and its range), or with an error of zmtp::socket::connect.
  worker(boost::asio::any_io_executor executor, std::string_view broker,
         const worker_options& options, handler on_request, conversation_handlers handlers = {});
  worker(boost::asio::any_io_executor executor, std::string_view broker,
         const worker_options& options, coroutine answer, conversation_handlers handlers = {});
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  // Calls stop().
  ~worker();

  // Takes no more requests and disconnects. Queued replies are still written while the context
  // runs, for at most the linger time. The broker redelivers requests without a reply.
  void stop();

  // Takes no more requests, finishes those in progress, and stops. A broker that announces `nack`
  // gets DRAIN: it assigns its next requests to other workers, and the worker refuses those that
  // were on the wire. Any other broker loses the requests that it sends between the last reply and
  // the end of the connection.
  //
  // Lifetime: destroying the worker completes the operation with operation_aborted.
  // Completes with: error_code, when no request is in progress and the broker has received the
  // replies.
  // Errors:
  // - zmtp::errc::timed_out: the deadline passed, and the worker has stopped. The broker may
  //   redeliver the requests in progress.
  // - operation_aborted: the worker was stopped before or meanwhile, or another drain is in
  //   progress.
  // - errors of zmtp::socket::async_close.
  // Cancellation: none. stop() ends the wait.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_drain(zmtp::deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](drain_handler h, zmtp::deadline when) { start_drain(when, std::move(h)); }, token,
        until);
  }
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_drain(Token&& token = {}) {
    return async_drain(zmtp::deadline{}, std::forward<Token>(token));
  }

private:
  class core;
  using drain_handler = zmtp::completion_handler<void(boost::system::error_code)>;

  void start_drain(zmtp::deadline until, drain_handler handler);

  boost::asio::any_io_executor executor_;
  std::weak_ptr<core> core_;  // empty once the context has destroyed its coroutines
};

}  // namespace mdp
