#pragma once
// Messages in an envelope, the routing id of who sent them, or is to have them, as the first part: how
// libzmq's ROUTER has them.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/deadline.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/sending.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {

// Added to a socket class that tells its peers apart, for who passes messages on and has no use for peers.
// Attach and detach are passed over. A message of a routing id alone goes nowhere.
template <class Base>
class enveloping : public Base {
public:
  // False if nothing has come; what `to` held is lost in any case.
  [[nodiscard]] bool try_receive(message& to) { return operations::try_receive(*this->core_, to); }
  // What the peer, or the lack of one, does not take is dropped and counted, and queued says that it is
  // dealt with; with socket_options::mandatory it is full or unknown, and `m` is as it was.
  [[nodiscard]] send_status try_send(message&& m) {
    return operations::try_send(*this->core_, std::move(m));
  }

  // Waits for a message and takes all that are there, up to 1024.
  // Lifetime: the batch is the caller's, and must live until completion; what it held is dropped.
  // Completes with error_code and how many there are.
  // Cancellation: terminal, partial, total; a cancelled receive took none.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(std::vector<message>& batch, deadline until,
                                   Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(std::vector<message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }

  // Queues the messages of `batch` in order, and drops what cannot be; with socket_options::mandatory it
  // waits for room instead, and an unknown peer is an error.
  // Lifetime: the batch is the caller's, and must live and be left alone until completion.
  // Completes with error_code and how many were queued or dropped, which are gone from the front of
  // the batch; a message that is an error is the first that is left.
  // Cancellation: terminal, partial, total; each message was queued whole or not at all.
  // Errors: errc::host_unreachable (mandatory), timed_out, socket_closed, bad_message (no parts),
  // operation_aborted.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(std::vector<message>& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::count_handler h, deadline when) {
          operations::start_send(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(std::vector<message>& batch, Token&& token = {}) {
    return async_send(batch, deadline{}, std::forward<Token>(token));
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
