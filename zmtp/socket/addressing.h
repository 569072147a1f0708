#pragma once
// Sending to a named peer, and other operations on one peer.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/peer_info.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/routing/socket_state.h"
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

using addressed_handler = completion_handler<void(error_code)>;
using addressed_count_handler = completion_handler<void(error_code, std::size_t)>;

[[nodiscard]] send_status try_send(socket_core& core, peer_id to, message&& m);
void start_send(socket_core& core, peer_id to, message&& m, deadline until,
                addressed_handler handler);
void start_send(socket_core& core, std::vector<routed_message>& batch, deadline until,
                addressed_count_handler handler);
void start_wait_writable(socket_core& core, peer_id to, deadline until, addressed_handler handler);
[[nodiscard]] const peer_info* info(socket_core& core, peer_id peer) noexcept;
void pause(socket_core& core, peer_id peer);
void resume(socket_core& core, peer_id peer);
void disconnect(socket_core& core, peer_id peer);

}  // namespace operations

// Adds the operations to a socket class: addressing<socket>. Thread safety, executor and lifetime:
// see zmtp::socket.
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
        [this](operations::addressed_handler h, peer_id whom, message&& what, deadline when) {
          operations::start_send(*this->core_, whom, std::move(what), when, std::move(h));
        },
        token, to, std::move(m), until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(peer_id to, message m, Token&& token = {}) {
    return async_send(to, std::move(m), deadline{}, std::forward<Token>(token));
  }

  // Queues the messages of `batch` in order, each for its peer. Ignores routed_message::what. Drops
  // a message or waits as for one message.
  //
  // Lifetime: the batch must live and must not be changed until completion.
  // Completes with: error_code and the number of messages that were queued or dropped. These are
  // removed from the front of the batch. After an error, the message that caused it is the first
  // one left.
  // Errors: as for one message.
  // Cancellation: terminal, partial, total. Each message was queued whole or not at all.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(std::vector<routed_message>& batch, deadline until,
                                Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::addressed_count_handler h, deadline when) {
          operations::start_send(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_send(std::vector<routed_message>& batch, Token&& token = {}) {
    return async_send(batch, deadline{}, std::forward<Token>(token));
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
        [this](operations::addressed_handler h, peer_id whom, deadline when) {
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
