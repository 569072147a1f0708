#pragma once
// Receiving and sending messages with an envelope. A base class of ROUTER.

#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/sending.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>

namespace zmtp {

namespace operations {

[[nodiscard]] bool try_receive_enveloped(socket_core& core, message_batch& batch);
void start_receive_enveloped(socket_core& core, message_batch& batch, deadline until,
                             received_handler&& handler);

}  // namespace operations

// Messages with an envelope: the first part is the routing id of the sender or the receiver, as in
// libzmq's ROUTER.
//
// Adds the operations to a socket class with addressable peers, for code that forwards messages and
// does not use peer_id. These operations skip attach and detach. They drop a message that consists
// only of a routing id. Thread safety, executor and lifetime: see zmtp::socket.
template <class Base>
class enveloping : public Base {
public:
  // Takes the next message without waiting. Returns false if there is none. The old content of `to`
  // is lost in both cases.
  [[nodiscard]] bool try_receive(message& to) { return operations::try_receive(*this->core_, to); }
  // Sends `m` without waiting. Drops and counts a message for an unknown peer or a full queue, and
  // returns `queued`. With socket_options::mandatory, returns `unknown` or `full` instead, and
  // leaves `m` unchanged.
  [[nodiscard]] send_status try_send(message&& m) {
    return operations::try_send(*this->core_, std::move(m));
  }

  // Takes all queued messages without waiting, up to 1024 or 256 KiB. Returns false if there are
  // none. The old content of the batch is lost in both cases.
  [[nodiscard]] bool try_receive_enveloped(message_batch& batch) {
    return operations::try_receive_enveloped(*this->core_, batch);
  }

  // Waits for a message and takes all queued ones, up to 1024 or 256 KiB.
  //
  // Lifetime: the batch must live until completion. The operation clears it when it starts.
  // Completes with: error_code and the number of messages.
  // Errors: errc::timed_out, socket_closed; operation_aborted.
  // Cancellation: terminal, partial, total. A cancelled receive took no message.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive_enveloped(message_batch& batch, deadline until,
                                             Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive_enveloped(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive_enveloped(message_batch& batch, Token&& token = {}) {
    return async_receive_enveloped(batch, deadline{}, std::forward<Token>(token));
  }

  // Sends the messages of `batch` in order without waiting, and removes them. Drops and counts
  // messages as try_send() does. With socket_options::mandatory, returns the status of the first
  // message that is left.
  [[nodiscard]] send_status try_send_enveloped(message_batch& batch) {
    return operations::try_send(*this->core_, batch);
  }

  // Queues the messages of `batch` in order. Drops and counts messages that cannot be queued. With
  // socket_options::mandatory, waits until a message can be queued, and an unknown peer is an
  // error.
  //
  // Lifetime: the batch must live and must not be changed until completion.
  // Completes with: error_code and the number of messages that were queued or dropped. These are
  // removed from the front of the batch. After an error, the message that caused it is the first
  // one left.
  // Errors: errc::host_unreachable (mandatory only), timed_out, socket_closed, bad_message (no
  // parts); operation_aborted.
  // Cancellation: terminal, partial, total. Each message was queued whole or not at all.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send_enveloped(message_batch& batch, deadline until,
                                          Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::count_handler h, deadline when) {
          operations::start_send(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send_enveloped(message_batch& batch, Token&& token = {}) {
    return async_send_enveloped(batch, deadline{}, std::forward<Token>(token));
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
