#pragma once
// ROUTER: receives from all and says from whom, sends to whom one says. Face of
// zmtp/routing/router_state.h.

#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/socket.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace zmtp {

class router_state;

// A peer is named by its peer_id, which is beside the message and not a frame in it. With
// socket_options::announce_peers attach and detach are received too, in order.
class router_socket : public socket {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit router_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  router_socket(asio::any_io_executor executor, const socket_options& options);

  // Queues `m` for this peer; moved from only if queued. Full also while an async_send to this peer
  // waits: order is the order of calls.
  [[nodiscard]] send_status try_send(peer_id to, message&& m);
  // False if nothing has come.
  [[nodiscard]] bool try_receive(routed_message& to);

  // Queues one message for a peer. What cannot be queued is dropped and counted, as RFC 28 has it;
  // with socket_options::mandatory it waits for room instead, and an unknown peer is an error.
  // Completes with error_code when queued (or dropped), which is not yet delivered.
  // Cancellation: terminal, partial, total; a cancelled message was not queued.
  // Errors: errc::host_unreachable (mandatory), timed_out, socket_closed, bad_message (no parts),
  // operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_send(peer_id to, message m, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_send(peer_id to, message m, Token&& token = {}) {
    return async_send(to, std::move(m), deadline{}, std::forward<Token>(token));
  }

  // Queues the messages of `batch` in order, each for its peer (`what` is of no account), and drops or
  // waits as above.
  // Lifetime: the batch is the caller's, and must live and be left alone until completion.
  // Completes with error_code and how many were queued or dropped, which are gone from the front of
  // the batch; a message that is an error is the first that is left.
  // Cancellation: as above; each message was queued whole or not at all.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_send(std::vector<routed_message>& batch, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_send(std::vector<routed_message>& batch, Token&& token = {}) {
    return async_send(batch, deadline{}, std::forward<Token>(token));
  }

  // Waits until a message to this peer would be queued.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::host_unreachable (the peer is gone), timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_writable(peer_id to, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_writable(peer_id to, Token&& token = {}) {
    return async_wait_writable(to, deadline{}, std::forward<Token>(token));
  }

  // Waits until a message could be received at once.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_readable(deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_readable(Token&& token = {}) {
    return async_wait_readable(deadline{}, std::forward<Token>(token));
  }

  // Waits for one message.
  // Completes with error_code and the message with its sender.
  // Cancellation: terminal, partial, total; a cancelled receive took none.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code, routed_message)> Token = asio::deferred_t>
  auto async_receive(deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code, routed_message)> Token = asio::deferred_t>
  auto async_receive(Token&& token = {}) {
    return async_receive(deadline{}, std::forward<Token>(token));
  }

  // Waits for a message and takes all that are there, up to 1024: one completion for many messages.
  // Lifetime: the batch is the caller's, and must live until completion; what it held is dropped.
  // Completes with error_code and how many there are. Cancellation and errors as above.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<routed_message>& batch, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<routed_message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }

  // The living peer with this routing id.
  [[nodiscard]] std::optional<peer_id> find(std::string_view routing_id) const noexcept;
  // What is known of a peer; nothing once it is gone. Valid until the peer detaches.
  [[nodiscard]] const peer_info* info(peer_id peer) const noexcept;

  // Stops receiving from a peer, whose messages then wait up to the receive mark and beyond it in the
  // network; and goes on. Of a peer that is gone nothing happens.
  void pause(peer_id peer);
  void resume(peer_id peer);
  // Closes the peer's connection silently; what was queued for it is dropped.
  void disconnect(peer_id peer);
  using socket::disconnect;

private:
  using sent_handler = completion_handler<void(error_code)>;
  using count_handler = completion_handler<void(error_code, std::size_t)>;
  using message_handler = completion_handler<void(error_code, routed_message)>;

  void start_send(peer_id to, message&& m, deadline until, sent_handler handler);
  void start_send(std::vector<routed_message>& batch, deadline until, count_handler handler);
  void start_wait(peer_id to, deadline until, sent_handler handler);
  void start_wait_readable(deadline until, sent_handler handler);
  void start_receive(deadline until, message_handler handler);
  void start_receive(std::vector<routed_message>& batch, deadline until, count_handler handler);

  router_state* state_;
};

template <asio::completion_token_for<void(error_code)> Token>
auto router_socket::async_send(peer_id to, message m, deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code)>(
      [this](sent_handler h, peer_id whom, message&& what, deadline when) {
        start_send(whom, std::move(what), when, std::move(h));
      },
      token, to, std::move(m), until);
}

template <asio::completion_token_for<void(error_code)> Token>
auto router_socket::async_wait_writable(peer_id to, deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code)>(
      [this](sent_handler h, peer_id whom, deadline when) { start_wait(whom, when, std::move(h)); },
      token, to, until);
}

template <asio::completion_token_for<void(error_code, routed_message)> Token>
auto router_socket::async_receive(deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code, routed_message)>(
      [this](message_handler h, deadline when) { start_receive(when, std::move(h)); }, token,
      until);
}

template <asio::completion_token_for<void(error_code, std::size_t)> Token>
auto router_socket::async_receive(std::vector<routed_message>& batch, deadline until,
                                  Token&& token) {
  return asio::async_initiate<Token, void(error_code, std::size_t)>(
      [this, &batch](count_handler h, deadline when) { start_receive(batch, when, std::move(h)); },
      token, until);
}

template <asio::completion_token_for<void(error_code)> Token>
auto router_socket::async_wait_readable(deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code)>(
      [this](sent_handler h, deadline when) { start_wait_readable(when, std::move(h)); }, token,
      until);
}

template <asio::completion_token_for<void(error_code, std::size_t)> Token>
auto router_socket::async_send(std::vector<routed_message>& batch, deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code, std::size_t)>(
      [this, &batch](count_handler h, deadline when) { start_send(batch, when, std::move(h)); },
      token, until);
}

}  // namespace zmtp
