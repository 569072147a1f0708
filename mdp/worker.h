#pragma once
// A Majordomo worker (7/MDP, 18/MDP) for applications. The decisions are worker_state's.

#include "mdp/command.h"
#include "mdp/conversation_handlers.h"
#include "mdp/error.h"
#include "mdp/options.h"
#include "zmtp/message.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace mdp {

// A request in a worker's hand. To be answered, refused or failed once, now or later. A request that is
// destroyed before has failed.
//
// A refusal and a failure are told to a broker that takes them (`X-Zinc: nack`), and cost the worker nothing.
// Another broker cannot be told of them: there both cost the worker its registration, which it renews. Such a
// broker may give all requests that the worker had to other workers, or lose them.
class worker_request {
public:
  worker_request(worker_request&& other) noexcept = default;
  worker_request& operator=(worker_request&&) = delete;
  ~worker_request();

  [[nodiscard]] const zmtp::message& body() const noexcept { return body_; }
  [[nodiscard]] zmtp::message& body() noexcept { return body_; }

  // The reply; needs a part.
  // Errors: errc::no_request (answered already, or the broker was lost), no_body, too_many_frames.
  boost::system::error_code reply(zmtp::message answer);
  // A part of the reply, more to come. MDP/0.2 only.
  // Errors: as above, and errc::partial_not_possible.
  boost::system::error_code reply_in_part(zmtp::message answer);

  // The request was not carried out: the broker may give it to another worker at once, and does not count it
  // as an attempt. It ends with errc::request_refused when it was refused as often as the service has workers.
  // Errors: errc::no_request, as above.
  boost::system::error_code refuse();
  // The request was carried out, at least in part, and has no reply: it is given to no other worker. A client
  // of this project gets errc::request_failed, any other nothing.
  // Errors: errc::no_request, as above.
  boost::system::error_code fail();

private:
  friend class worker;
  class sender;
  worker_request(std::weak_ptr<sender> to, std::uint64_t id, zmtp::message body) noexcept
      : to_{std::move(to)}, id_{id}, body_{std::move(body)} {}

  boost::system::error_code give_back(nack_reason reason);

  std::weak_ptr<sender> to_;
  std::uint64_t id_;
  zmtp::message body_;
};

// Serves one service of one broker, and comes back when the broker does: registers on each new
// connection, sends heartbeats, also while a request is being worked on.
//
// It may outlive its context, which ends what it does.
//
// Thread safety: distinct objects safe, one object not; its executor must be serial.
class worker {
public:
  // Called for each request, in the executor. What it throws reaches who runs the context.
  using handler = std::function<void(worker_request)>;

  // The same as a coroutine: what it returns is the reply. By throwing boost::system::system_error with
  // errc::request_refused or request_failed it refuses or fails its request. Anything else that it throws
  // fails the request too, and reaches who runs the context.
  using coroutine = std::function<boost::asio::awaitable<zmtp::message>(zmtp::message)>;

  // Throws boost::system::system_error: errc::no_service, service_too_long, service_reserved, and
  // what zmtp::socket::connect throws.
  worker(boost::asio::any_io_executor executor, std::string_view broker,
         const worker_options& options, handler on_request, conversation_handlers handlers = {});
  worker(boost::asio::any_io_executor executor, std::string_view broker,
         const worker_options& options, coroutine answer, conversation_handlers handlers = {});
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  // Stops.
  ~worker();

  // Takes no more requests. Replies that were given are written, for the linger time, while the
  // context runs; a request that is still in hand is the broker's to give to another.
  void stop();

  // Takes no more requests, finishes those in progress, and stops. A broker of this project is told: it gives
  // its next requests to other workers, and takes back, unharmed, what it had sent. Any other broker
  // loses what it sends between the last reply and the end, as if this worker had died with it.
  //
  // Completes with error_code, when no request is in progress and the broker has read the replies.
  // Cancellation: none; stop() ends the wait.
  // Errors:
  // - zmtp::errc::timed_out: the deadline passed, and the worker has stopped. The broker may give the requests
  //   in progress to other workers.
  // - operation_aborted: the worker was stopped before or meanwhile, or drains already.
  // - errors of zmtp::socket::async_close.
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
  std::weak_ptr<core> core_;  // which goes with the context
};

}  // namespace mdp
