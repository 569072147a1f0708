#pragma once
// Receiving messages, with or without the sender of each.

#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/routed_message.h"
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

template <class Item>
using item_handler = completion_handler<void(error_code, Item)>;
using readable_handler = completion_handler<void(error_code)>;
using received_handler = completion_handler<void(error_code, std::size_t)>;

// `Item` is message or routed_message.
template <class Item>
[[nodiscard]] bool try_receive(socket_core& core, Item& to);
template <class Item>
void start_receive(socket_core& core, deadline until, item_handler<Item> handler);
template <class Item>
void start_receive(socket_core& core, std::vector<Item>& batch, deadline until,
                   received_handler handler);
void start_wait_readable(socket_core& core, deadline until, readable_handler handler);

}  // namespace operations

// Adds the operations to a socket class: receiving<socket>. Use receiving<socket, routed_message>
// for sockets with addressable peers. With socket_options::announce_peers, these also receive
// attach and detach of peers, in order. Thread safety, executor and lifetime: see zmtp::socket.
template <class Base, class Item = message>
class receiving : public Base {
public:
  // Takes the next message without waiting. Returns false if there is none. The old content of `to`
  // is lost in both cases.
  [[nodiscard]] bool try_receive(Item& to) { return operations::try_receive(*this->core_, to); }

  // Waits for one message.
  //
  // Completes with: error_code and the message. Sockets with addressable peers add its sender.
  // Errors: errc::timed_out, socket_closed; operation_aborted.
  // Cancellation: terminal, partial, total. A cancelled receive took no message.
  template <asio::completion_token_for<void(error_code, Item)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, Item)>(
        [this](operations::item_handler<Item> h, deadline when) {
          operations::start_receive<Item>(*this->core_, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, Item)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(Token&& token = {}) {
    return async_receive(deadline{}, std::forward<Token>(token));
  }

  // Waits for a message and takes all queued ones, up to 1024. One completion delivers many
  // messages.
  //
  // Lifetime: the batch must live until completion. The operation overwrites its content.
  // Completes with: error_code and the number of messages.
  // Errors: as for one message.
  // Cancellation: terminal, partial, total. A cancelled receive took no message.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(std::vector<Item>& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(std::vector<Item>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }

  // Waits until a message is queued. A receive may still find nothing if the pattern drops the
  // message: its topic is no longer subscribed, its reply is late, or another peer has the same
  // subscription.
  //
  // Completes with: error_code.
  // Errors: errc::timed_out, socket_closed; operation_aborted.
  // Cancellation: terminal, partial, total.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_readable(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](operations::readable_handler h, deadline when) {
          operations::start_wait_readable(*this->core_, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_readable(Token&& token = {}) {
    return async_wait_readable(deadline{}, std::forward<Token>(token));
  }

  // Returns whether a message is queued. The pattern may still drop it.
  [[nodiscard]] bool readable() const noexcept { return operations::readable(*this->core_); }

protected:
  using Base::Base;
};

}  // namespace zmtp
