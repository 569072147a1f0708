#pragma once
// DEALER: sends to its peers in turn, receives from all. Face of zmtp/routing/dealer_state.h.

#include "zmtp/message.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/socket.h"

#include <cstddef>
#include <vector>

namespace zmtp {

class dealer_state;

class dealer_socket : public socket {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit dealer_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  dealer_socket(asio::any_io_executor executor, const socket_options& options);

  // Queues `m` for the next peer that has room; moved from only if queued. Full also while an
  // async_send waits: order is the order of calls.
  [[nodiscard]] send_status try_send(message&& m);
  // False if nothing has come.
  [[nodiscard]] bool try_receive(message& to);

  // Queues one message for the next peer that has room, and waits while none has.
  // Completes with error_code when queued, which is not yet delivered.
  // Cancellation: terminal, partial, total; a cancelled message was not queued.
  // Errors: errc::timed_out, socket_closed, bad_message (no parts), operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_send(message m, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_send(message m, Token&& token = {}) {
    return async_send(std::move(m), deadline{}, std::forward<Token>(token));
  }

  // Queues the messages of `batch` in order, and waits whenever there is no room.
  // Lifetime: the batch is the caller's, and must live and be left alone until completion.
  // Completes with error_code and how many were queued, which are gone from the front of the batch.
  // Cancellation: as above; each message was queued whole or not at all.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_send(std::vector<message>& batch, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_send(std::vector<message>& batch, Token&& token = {}) {
    return async_send(batch, deadline{}, std::forward<Token>(token));
  }

  // Waits for one message.
  // Completes with error_code and the message.
  // Cancellation: terminal, partial, total; a cancelled receive took none.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code, message)> Token = asio::deferred_t>
  auto async_receive(deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code, message)> Token = asio::deferred_t>
  auto async_receive(Token&& token = {}) {
    return async_receive(deadline{}, std::forward<Token>(token));
  }

  // Waits for a message and takes all that are there, up to 1024: one completion for many messages.
  // Lifetime: the batch is the caller's, and must live until completion; what it held is dropped.
  // Completes with error_code and how many there are. Cancellation and errors as above.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<message>& batch, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }

  // The same with the sender beside each message, and with socket_options::announce_peers the attach
  // and detach of peers among them.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<routed_message>& batch, deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  auto async_receive(std::vector<routed_message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }

  // Wait until a message could be received at once; until one would be queued.
  // Complete with error_code. Cancellation: terminal, partial, total. Errors as above.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_readable(deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_readable(Token&& token = {}) {
    return async_wait_readable(deadline{}, std::forward<Token>(token));
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_writable(deadline until, Token&& token = {});
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  auto async_wait_writable(Token&& token = {}) {
    return async_wait_writable(deadline{}, std::forward<Token>(token));
  }

private:
  using sent_handler = completion_handler<void(error_code)>;
  using count_handler = completion_handler<void(error_code, std::size_t)>;
  using message_handler = completion_handler<void(error_code, message)>;

  void start_send(message&& m, deadline until, sent_handler handler);
  void start_send(std::vector<message>& batch, deadline until, count_handler handler);
  void start_wait_readable(deadline until, sent_handler handler);
  void start_wait_writable(deadline until, sent_handler handler);
  void start_receive(deadline until, message_handler handler);
  void start_receive(std::vector<message>& batch, deadline until, count_handler handler);
  void start_receive(std::vector<routed_message>& batch, deadline until, count_handler handler);

  dealer_state* state_;
};

template <asio::completion_token_for<void(error_code)> Token>
auto dealer_socket::async_send(message m, deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code)>(
      [this](sent_handler h, message&& what, deadline when) {
        start_send(std::move(what), when, std::move(h));
      },
      token, std::move(m), until);
}

template <asio::completion_token_for<void(error_code, std::size_t)> Token>
auto dealer_socket::async_send(std::vector<message>& batch, deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code, std::size_t)>(
      [this, &batch](count_handler h, deadline when) { start_send(batch, when, std::move(h)); },
      token, until);
}

template <asio::completion_token_for<void(error_code, message)> Token>
auto dealer_socket::async_receive(deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code, message)>(
      [this](message_handler h, deadline when) { start_receive(when, std::move(h)); }, token,
      until);
}

template <asio::completion_token_for<void(error_code, std::size_t)> Token>
auto dealer_socket::async_receive(std::vector<message>& batch, deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code, std::size_t)>(
      [this, &batch](count_handler h, deadline when) { start_receive(batch, when, std::move(h)); },
      token, until);
}

template <asio::completion_token_for<void(error_code, std::size_t)> Token>
auto dealer_socket::async_receive(std::vector<routed_message>& batch, deadline until,
                                  Token&& token) {
  return asio::async_initiate<Token, void(error_code, std::size_t)>(
      [this, &batch](count_handler h, deadline when) { start_receive(batch, when, std::move(h)); },
      token, until);
}

template <asio::completion_token_for<void(error_code)> Token>
auto dealer_socket::async_wait_readable(deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code)>(
      [this](sent_handler h, deadline when) { start_wait_readable(when, std::move(h)); }, token,
      until);
}

template <asio::completion_token_for<void(error_code)> Token>
auto dealer_socket::async_wait_writable(deadline until, Token&& token) {
  return asio::async_initiate<Token, void(error_code)>(
      [this](sent_handler h, deadline when) { start_wait_writable(when, std::move(h)); }, token,
      until);
}

}  // namespace zmtp
