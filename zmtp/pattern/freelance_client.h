#pragma once
// A Freelance client (the Guide, chapter 4; 10/FLP) for servers without a broker.
// freelance_client_state makes the decisions.

#include "zmtp/message.h"
#include "zmtp/pattern/call_error.h"
#include "zmtp/pattern/freelance_client_state.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {

// Connects to all its servers, and sends calls as freelance_client_options::model selects. Several
// calls may be in flight.
//
// Executor: a handler runs in its associated executor, or in the executor of the client. A handler
// never runs inside async_call().
//
// Lifetime: the client may outlive its context. When the context is destroyed, it destroys pending
// handlers without calling them.
//
// Thread safety: distinct objects safe, one object not. The executor must be serial. Call all
// members in it.
class freelance_client {
public:
  // Throws boost::system::system_error: call_errc::no_servers, call_errc::bad_call_option with the
  // option and its range (at most 64 servers), and what zmtp::socket::connect throws.
  freelance_client(boost::asio::any_io_executor executor, const std::vector<std::string>& servers,
                   const freelance_client_options& options = {});
  freelance_client(const freelance_client&) = delete;
  freelance_client& operator=(const freelance_client&) = delete;
  // Calls stop().
  ~freelance_client();

  // Calls the servers. Waits for a server if none is available yet.
  //
  // Lifetime: the body is moved. Destroying the client completes the operation with
  // operation_aborted.
  // Completes with: error_code and the parts of the answer.
  // Errors:
  // - call_errc::no_answer: no answer in time, or the server disconnected. A server may have
  //   executed the call.
  // - call_errc::not_sent: no server was available. No server executed the call.
  // - call_errc::too_many_calls: above freelance_client_options::calls.
  // - errc::bad_message: the body has no parts.
  // - operation_aborted: cancelled, or the client was stopped.
  // Cancellation: terminal, partial, total. A server may have executed the call.
  template <boost::asio::completion_token_for<void(boost::system::error_code, message)> Token =
                boost::asio::deferred_t>
  [[nodiscard]] auto async_call(message body, const freelance_call_options& how,
                                Token&& token = {}) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, message)>(
        [this](answer_handler h, message&& what, const freelance_call_options& with) {
          start(std::move(what), with, std::move(h));
        },
        token, std::move(body), how);
  }

  [[nodiscard]] const freelance_client_counters& counters() const noexcept;

  // Stops the client. Calls in flight and later calls complete with operation_aborted.
  void stop();

private:
  class core;
  using answer_handler = completion_handler<void(boost::system::error_code, message)>;

  void start(message&& body, const freelance_call_options& how, answer_handler&& handler);

  boost::asio::any_io_executor executor_;
  std::weak_ptr<core> core_;  // owned by the context's coroutines
  std::shared_ptr<const freelance_client_state> state_;
};

}  // namespace zmtp
