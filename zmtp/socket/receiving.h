#pragma once
// Receiving from peers that are alike: what sockets have that do not tell one from the other.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {

namespace asio = boost::asio;

class socket_core;

namespace operations {

using message_handler = completion_handler<void(error_code, message)>;
using readable_handler = completion_handler<void(error_code)>;
using received_handler = completion_handler<void(error_code, std::size_t)>;

[[nodiscard]] bool try_receive(socket_core& core, message& to);
void start_receive(socket_core& core, deadline until, message_handler handler);
void start_receive(socket_core& core, std::vector<message>& batch, deadline until,
                   received_handler handler);
void start_wait_readable(socket_core& core, deadline until, readable_handler handler);

}  // namespace operations

// Added to a socket class: receiving<socket>.
template <class Base>
class receiving : public Base {
public:
  // False if nothing has come; what `to` held is lost in any case.
  [[nodiscard]] bool try_receive(message& to) { return operations::try_receive(*this->core_, to); }

  // Waits for one message.
  // Completes with error_code and the message.
  // Cancellation: terminal, partial, total; a cancelled receive took none.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code, message)> Token = asio::deferred_t>
  auto async_receive(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, message)>(
        [this](operations::message_handler h, deadline when) {
          operations::start_receive(*this->core_, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, message)> Token = asio::deferred_t>
  auto async_receive(Token&& token = {}) {
    return async_receive(deadline{}, std::forward<Token>(token));
  }

  // Waits for a message and takes all that are there, up to 1024: one completion for many messages.
  // Lifetime: the batch is the caller's, and must live until completion; what it held is dropped.
  // Completes with error_code and how many there are. Cancellation and errors as above.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<message>& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }

  // Waits until something has come. Where the pattern has no use for what came (a topic that was given
  // up, a reply that is late), receiving may still find nothing.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_readable(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](operations::readable_handler h, deadline when) {
          operations::start_wait_readable(*this->core_, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_readable(Token&& token = {}) {
    return async_wait_readable(deadline{}, std::forward<Token>(token));
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
