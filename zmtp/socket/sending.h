#pragma once
// Sending to the peers that the pattern selects, or to a named peer. The base classes of the
// sockets that send.

#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/readiness.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

class socket_core;

namespace operations {

using sent_handler = completion_handler<void(error_code)>;
using count_handler = completion_handler<void(error_code, std::size_t)>;

[[nodiscard]] send_status try_send(socket_core& core, message&& m);
void start_send(socket_core& core, message&& m, deadline until, sent_handler&& handler);
[[nodiscard]] send_status try_send(socket_core& core, message_batch& batch);
void start_send(socket_core& core, message_batch& batch, deadline until, count_handler&& handler);
void start_wait_writable(socket_core& core, deadline until, sent_handler&& handler);

}  // namespace operations

// Sending to the peers that the pattern selects. Adds the operations to a socket class:
// sending<socket>. Thread safety, executor and lifetime: see zmtp::socket.
template <class Base>
class sending : public Base {
public:
  // Queues `m` without waiting. Moves from `m` only if the result is `queued`.
  //
  // Returns the send_status for each error of async_send, as to_error() maps them, but `full`
  // instead of endpoint_stopped. Also returns `full` while an async_send waits, because messages
  // leave in the order of calls. Inside a handler of the socket, also returns `full` when the
  // messages of this handler exceed the high-water mark, because a turn writes only once to each
  // peer.
  [[nodiscard]] send_status try_send(message&& m) {
    return operations::try_send(*this->core_, std::move(m));
  }

  // Queues one message. Waits while no peer can take it.
  //
  // Lifetime: the message is moved. Destroying the socket completes the operation with
  // operation_aborted.
  // Completes with: error_code, when the message is queued. The peer may not have received it.
  // Errors:
  // - errc::timed_out: the deadline passed first.
  // - errc::socket_closed: the socket was closed first.
  // - errc::bad_message: the message has no parts, or too many to add an envelope.
  // - errc::out_of_turn: REQ waits for a reply, or REP has no request.
  // - errc::topic_too_long: a subscription on XSUB is above limits::topic_size.
  // - errc::endpoint_stopped: reconnect_options stopped all retries, and no peer is left.
  // - operation_aborted: cancelled, or the socket was destroyed.
  // Cancellation: terminal, partial, total. A cancelled message was not queued.
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

  // Queues the messages of `batch` in order without waiting, and removes them. Returns `queued` if
  // none is left, or the status of the first one that is left.
  [[nodiscard]] send_status try_send(message_batch& batch) {
    return operations::try_send(*this->core_, batch);
  }

  // Queues the messages of `batch` in order, in large runs without a copy. If several peers take
  // turns, each gets as many messages as from single sends, but adjacent ones. Waits while no peer
  // can take the next message. Skips notices of attach and detach, which count for these shares.
  //
  // Lifetime: the batch must live and must not be changed until completion.
  // Completes with: error_code and the number of queued messages. These are removed from the front
  // of the batch.
  // Errors: as for one message.
  // Cancellation: terminal, partial, total. Each message was queued whole or not at all.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(message_batch& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::count_handler h, deadline when) {
          operations::start_send(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(message_batch& batch, Token&& token = {}) {
    return async_send(batch, deadline{}, std::forward<Token>(token));
  }

  // Waits until a message would be queued.
  //
  // Completes with: error_code.
  // Errors: errc::timed_out, socket_closed; operation_aborted.
  // Cancellation: terminal, partial, total.
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

  // Returns whether a message would be queued now. False while an async_send waits.
  [[nodiscard]] bool writable() const noexcept { return operations::writable(*this->core_); }

protected:
  using Base::Base;
};

namespace operations {

[[nodiscard]] send_status try_send(socket_core& core, peer_id to, message&& m);
void start_send(socket_core& core, peer_id to, message&& m, deadline until, sent_handler&& handler);
[[nodiscard]] send_status try_send_to(socket_core& core, message_batch& batch);
void start_send_to(socket_core& core, message_batch& batch, deadline until,
                   count_handler&& handler);
void start_wait_writable(socket_core& core, peer_id to, deadline until, sent_handler&& handler);
[[nodiscard]] const peer_info* info(socket_core& core, peer_id peer) noexcept;
void pause(socket_core& core, peer_id peer);
void resume(socket_core& core, peer_id peer);
void disconnect(socket_core& core, peer_id peer);

}  // namespace operations

// Sending to a named peer, and other operations on one peer. Adds the operations to a socket class:
// addressing<socket>. Thread safety, executor and lifetime: see zmtp::socket.
template <class Base>
class addressing : public Base {
public:
  // Queues `m` for this peer without waiting. Moves from `m` only if the result is `queued`.
  //
  // Returns `full` also while an async_send to this peer waits, because messages leave in the order
  // of calls. Returns `closed` if the socket is closed, and `bad_message` if `m` has no parts.
  [[nodiscard]] send_status try_send(peer_id to, message&& m) {
    return operations::try_send(*this->core_, to, std::move(m));
  }

  // Queues one message for a peer. Drops and counts a message that cannot be queued (RFC 28). With
  // socket_options::mandatory, waits until it can be queued, and an unknown peer is an error.
  //
  // Lifetime: the message is moved. Destroying the socket completes the operation with
  // operation_aborted.
  // Completes with: error_code, when the message is queued or dropped. The peer may not have
  // received it.
  // Errors:
  // - errc::host_unreachable: there is no such peer (mandatory only).
  // - errc::timed_out: the deadline passed first.
  // - errc::socket_closed: the socket was closed first.
  // - errc::bad_message: the message has no parts.
  // - operation_aborted: cancelled, or the socket was destroyed.
  // Cancellation: terminal, partial, total. A cancelled message was not queued.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(peer_id to, message m, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](operations::sent_handler h, peer_id whom, message&& what, deadline when) {
          operations::start_send(*this->core_, whom, std::move(what), when, std::move(h));
        },
        token, to, std::move(m), until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(peer_id to, message m, Token&& token = {}) {
    return async_send(to, std::move(m), deadline{}, std::forward<Token>(token));
  }

  // Queues the messages of `batch` in order without waiting, each for its peer, and removes them.
  // Returns `queued` if none is left, or the status of the first one that is left. Never drops a
  // message.
  [[nodiscard]] send_status try_send_to(message_batch& batch) {
    return operations::try_send_to(*this->core_, batch);
  }

  // Queues the messages of `batch` in order, each for its peer, in large runs without a copy. A
  // received batch goes back to its senders. Drops a message or waits as for one message. Skips
  // notices of attach and detach.
  //
  // Lifetime: the batch must live and must not be changed until completion.
  // Completes with: error_code and the number of messages that were queued or dropped. These are
  // removed from the front of the batch. After an error, the message that caused it is the first
  // one left.
  // Errors: as for one message.
  // Cancellation: terminal, partial, total. Each message was queued whole or not at all.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send_to(message_batch& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::count_handler h, deadline when) {
          operations::start_send_to(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send_to(message_batch& batch, Token&& token = {}) {
    return async_send_to(batch, deadline{}, std::forward<Token>(token));
  }

  // Waits until a message to this peer would be queued.
  //
  // Completes with: error_code.
  // Errors: errc::host_unreachable (the peer has disconnected), timed_out, socket_closed;
  // operation_aborted.
  // Cancellation: terminal, partial, total.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_writable(peer_id to, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](operations::sent_handler h, peer_id whom, deadline when) {
          operations::start_wait_writable(*this->core_, whom, when, std::move(h));
        },
        token, to, until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_writable(peer_id to, Token&& token = {}) {
    return async_wait_writable(to, deadline{}, std::forward<Token>(token));
  }

  // Returns the properties of a peer, or nullptr after its detach. The result is valid until the
  // peer detaches.
  [[nodiscard]] const peer_info* info(peer_id peer) const noexcept {
    return operations::info(*this->core_, peer);
  }

  // Pauses and resumes receiving from a peer. While a peer is paused, its messages fill its receive
  // queue up to the mark, and the rest waits in the network. Does nothing if the peer has
  // disconnected.
  void pause(peer_id peer) { operations::pause(*this->core_, peer); }
  void resume(peer_id peer) { operations::resume(*this->core_, peer); }
  // Closes the connection of a peer, without ERROR. Drops the messages queued for it.
  void disconnect(peer_id peer) { operations::disconnect(*this->core_, peer); }
  using Base::disconnect;

protected:
  using Base::Base;
};

}  // namespace zmtp
