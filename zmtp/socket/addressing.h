#pragma once
// Sending to a peer that is named, and what else can be done with one.

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

// Added to a socket class: addressing<socket>.
template <class Base>
class addressing : public Base {
public:
  // Queues `m` for this peer; moved from only if queued. Full also while an async_send to this peer
  // waits: order is the order of calls. `closed` if the socket is closed, bad_message if `m` has no parts.
  [[nodiscard]] send_status try_send(peer_id to, message&& m) {
    return operations::try_send(*this->core_, to, std::move(m));
  }

  // Queues one message for a peer. What cannot be queued is dropped and counted, as RFC 28 has it;
  // with socket_options::mandatory it waits for room instead, and an unknown peer is an error.
  // Completes with error_code when queued (or dropped), which is not yet delivered.
  // Cancellation: terminal, partial, total; a cancelled message was not queued.
  // Errors: errc::host_unreachable (mandatory), timed_out, socket_closed, bad_message (no parts),
  // operation_aborted.
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

  // Queues the messages of `batch` in order, each for its peer (`what` is of no account), and drops or
  // waits as above.
  // Lifetime: the batch is the caller's, and must live and be left alone until completion.
  // Completes with error_code and how many were queued or dropped, which are gone from the front of
  // the batch; a message that is an error is the first that is left.
  // Cancellation: as above; each message was queued whole or not at all.
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
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::host_unreachable (the peer is gone), timed_out, socket_closed, operation_aborted.
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

  // What is known of a peer; nothing once it is gone. Valid until the peer detaches.
  [[nodiscard]] const peer_info* info(peer_id peer) const noexcept {
    return operations::info(*this->core_, peer);
  }

  // Stops receiving from a peer, whose messages then wait up to the receive mark and beyond it in the
  // network; and goes on. Of a peer that is gone nothing happens.
  void pause(peer_id peer) { operations::pause(*this->core_, peer); }
  void resume(peer_id peer) { operations::resume(*this->core_, peer); }
  // Closes the peer's connection silently; what was queued for it is dropped.
  void disconnect(peer_id peer) { operations::disconnect(*this->core_, peer); }
  using Base::disconnect;

protected:
  using Base::Base;
};

}  // namespace zmtp
