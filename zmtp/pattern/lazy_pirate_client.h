#pragma once
// Lazy Pirate (the Guide, chapter 4): sends a request to servers in turn until one answers, each
// attempt on a new socket. lazy_pirate_state makes the decisions.

#include "zmtp/message.h"
#include "zmtp/options.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/lazy_pirate_state.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

struct lazy_pirate_options {
  // Timeout of one attempt.
  std::chrono::milliseconds timeout{2'500};
  // Maximum number of attempts per request, for all servers together. Absent: limited only by the
  // deadline.
  std::optional<unsigned> attempts = 3;
  // Delay between an unanswered attempt and the next one.
  std::chrono::milliseconds pause{0};
  // Options of each REQ, security included. The client sets linger and immediate itself.
  socket_options socket{};
};

// Handlers of the user during a request. If `accept` is empty, every answer is accepted.
struct lazy_pirate_handlers {
  // Reports the result of an attempt, and the endpoint of its server.
  std::function<void(const attempt_event&, std::string_view)> on_attempt{};
  // Returns whether an answer is valid. After an invalid one, the attempt continues until its
  // timeout.
  std::function<bool(const message&)> accept{};
};

// Sends one request at a time, on a REQ socket. Servers repeat the envelope of the request in their
// answer. The client stays with a server that answers. Each attempt after an unanswered one uses a
// new socket, so that a late answer cannot be taken for the answer to another request.
//
// A request may be executed twice: by a server that could not answer in time, and by the next
// server, which may be the same.
//
// Executor: a handler runs in its associated executor, or in the executor of the client. A
// completion handler never runs inside async_request(), but `on_attempt` can.
//
// Lifetime: the client must be destroyed before its context.
//
// Thread safety: distinct objects safe, one object not. The executor must be serial. Call all
// members in it.
class lazy_pirate_client {
public:
  // Throws boost::system::system_error: call_errc::no_servers, call_errc::bad_call_option with the
  // option and its range, and what zmtp::socket::connect throws.
  lazy_pirate_client(boost::asio::any_io_executor executor, std::vector<std::string> servers,
                     const lazy_pirate_options& options = {}, lazy_pirate_handlers handlers = {});
  lazy_pirate_client(const lazy_pirate_client&) = delete;
  lazy_pirate_client& operator=(const lazy_pirate_client&) = delete;
  // Calls stop().
  ~lazy_pirate_client();

  // Sends a request to one server after the other, or repeatedly to one, until there is an answer.
  //
  // Lifetime: the body is moved. Destroying the client completes the operation with
  // operation_aborted.
  // Completes with: error_code and the parts of the answer.
  // Errors:
  // - call_errc::no_answer: no answer in all attempts, or by `until`. A server may have executed
  //   the request.
  // - call_errc::not_sent: no server was available. No server executed the request.
  // - call_errc::call_in_flight: another request is in flight.
  // - errc::bad_message: the body has no parts.
  // - operation_aborted: cancelled, or the client was stopped.
  // Cancellation: terminal, partial, total. A server may have executed the request.
  template <boost::asio::completion_token_for<void(boost::system::error_code, message)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_request(message body, deadline until, Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, message)>(
        [this](answer_handler h, message&& what, deadline when) {
          start(std::move(what), when, std::move(h));
        },
        token, std::move(body), until);
  }

  // Returns the endpoint of the current server.
  [[nodiscard]] std::string_view server() const noexcept;

  // Stops the client. A request in flight and later requests complete with operation_aborted.
  void stop();

private:
  class core;
  using answer_handler = completion_handler<void(boost::system::error_code, message)>;

  void start(message&& body, deadline until, answer_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace zmtp
