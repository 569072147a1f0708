#pragma once
// Sending to whom the pattern says: what sockets have that do not name a peer.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"
#include "zmtp/socket/readiness.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {

namespace asio = boost::asio;

class socket_core;

namespace operations {

using sent_handler = completion_handler<void(error_code)>;
using count_handler = completion_handler<void(error_code, std::size_t)>;

[[nodiscard]] send_status try_send(socket_core& core, message&& m);
void start_send(socket_core& core, message&& m, deadline until, sent_handler handler);
void start_send(socket_core& core, std::vector<message>& batch, deadline until,
                count_handler handler);
void start_wait_writable(socket_core& core, deadline until, sent_handler handler);

}  // namespace operations

// Added to a socket class: sending<socket>.
template <class Base>
class sending : public Base {
public:
  // Queues `m`; moved from only if it was. Full also while an async_send waits: order is the order of
  // calls; and for what one handler sends above the mark, since a turn writes once to a peer. Returns the
  // send_status of each error of async_send, see to_error(); but `full` for endpoint_stopped.
  [[nodiscard]] send_status try_send(message&& m) {
    return operations::try_send(*this->core_, std::move(m));
  }

  // Queues one message, and waits while it cannot be queued.
  // Completes with error_code when queued, which is not yet delivered.
  // Cancellation: terminal, partial, total; a cancelled message was not queued.
  // Errors: errc::timed_out, socket_closed, bad_message (no parts), out_of_turn (REQ, REP),
  // endpoint_stopped (reconnect_options: nobody is left to send to); operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(message m, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](operations::sent_handler h, message&& what, deadline when) {
          operations::start_send(*this->core_, std::move(what), when, std::move(h));
        },
        token, std::move(m), until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(message m, Token&& token = {}) {
    return async_send(std::move(m), deadline{}, std::forward<Token>(token));
  }

  // Queues the messages of `batch` in order, and waits whenever there is no room.
  // Lifetime: the batch is the caller's, and must live and be left alone until completion.
  // Completes with error_code and how many were queued, which are gone from the front of the batch.
  // Cancellation: as above; each message was queued whole or not at all.
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

  // Waits until a message would be queued.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_writable(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](operations::sent_handler h, deadline when) {
          operations::start_wait_writable(*this->core_, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_writable(Token&& token = {}) {
    return async_wait_writable(deadline{}, std::forward<Token>(token));
  }

  // There is room, and nobody who waits for it.
  [[nodiscard]] bool writable() const noexcept { return operations::writable(*this->core_); }

protected:
  using Base::Base;
};

}  // namespace zmtp
