#pragma once
// Receiving messages: plain, with the sender of each, with attach and detach of peers, or with an
// envelope. The base classes of the sockets that receive.

#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/readiness.h"
#include "zmtp/socket/sending.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>

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
void start_receive(socket_core& core, deadline until, item_handler<Item>&& handler);
[[nodiscard]] bool try_receive(socket_core& core, message_batch& batch);
void start_receive(socket_core& core, message_batch& batch, deadline until,
                   received_handler&& handler);
void start_wait_readable(socket_core& core, deadline until, readable_handler&& handler);

}  // namespace operations

// Receiving messages. Adds the operations to a socket class: receiving<socket>. Use
// receiving<socket, routed_message> for sockets with addressable peers. With
// socket_options::announce_peers, these also receive attach and detach of peers, in order. Thread
// safety, executor and lifetime: see zmtp::socket.
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

  // Takes all queued messages without waiting, up to 1024 or 256 KiB. Returns false if there are
  // none. The old content of the batch is lost in both cases.
  [[nodiscard]] bool try_receive(message_batch& batch) {
    return operations::try_receive(*this->core_, batch);
  }

  // Waits for a message and takes all queued ones, up to 1024 or 256 KiB, without an object for
  // each. The batch gets slices of the read buffer, and the sender of each message. One completion
  // delivers many messages. Takes up to 128 messages of one peer before those of the next, or all if
  // no other peer has any. With socket_options::announce_peers, the batch also contains attach and
  // detach of peers, in order.
  //
  // Lifetime: the batch must live until completion. The operation clears it when it starts.
  // Completes with: error_code and the number of messages.
  // Errors: as for one message.
  // Cancellation: terminal, partial, total. A cancelled receive took no message.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(message_batch& batch, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(message_batch& batch, Token&& token = {}) {
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

namespace operations {

[[nodiscard]] bool try_receive_from(socket_core& core, routed_message& to);
void start_receive_from(socket_core& core, deadline until, item_handler<routed_message>&& handler);

}  // namespace operations

// Receiving one message together with its sender, for sockets whose peers are not addressable. A
// batch has the senders anyway. Adds the operations to a socket class:
// receiving_from<receiving<socket>>. socket::peer() has the
// properties of the sender, until the user has received its last message. Thread safety, executor
// and lifetime: see zmtp::socket.
template <class Base>
class receiving_from : public Base {
public:
  // Like try_receive(), with the sender.
  [[nodiscard]] bool try_receive_from(routed_message& to) {
    return operations::try_receive_from(*this->core_, to);
  }

  // Like async_receive(), with the sender.
  //
  // Completes with: error_code and the message with its sender.
  template <asio::completion_token_for<void(error_code, routed_message)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive_from(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, routed_message)>(
        [this](operations::item_handler<routed_message> h, deadline when) {
          operations::start_receive_from(*this->core_, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, routed_message)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive_from(Token&& token = {}) {
    return async_receive_from(deadline{}, std::forward<Token>(token));
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
