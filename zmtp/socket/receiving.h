#pragma once
// Receiving, from peers that are alike or with who sent it: what sockets have that receive.

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

// Item is message or routed_message.
template <class Item>
[[nodiscard]] bool try_receive(socket_core& core, Item& to);
template <class Item>
void start_receive(socket_core& core, deadline until, item_handler<Item> handler);
template <class Item>
void start_receive(socket_core& core, std::vector<Item>& batch, deadline until,
                   received_handler handler);
void start_wait_readable(socket_core& core, deadline until, readable_handler handler);

}  // namespace operations

// Added to a socket class: receiving<socket>; or receiving<socket, routed_message>, where peers are told
// apart, and with socket_options::announce_peers their attach and detach are received too, in order.
template <class Base, class Item = message>
class receiving : public Base {
public:
  // False if nothing has come; what `to` held is lost in any case.
  [[nodiscard]] bool try_receive(Item& to) { return operations::try_receive(*this->core_, to); }

  // Waits for one message.
  // Completes with error_code and the message (with its sender, where they are told apart).
  // Cancellation: terminal, partial, total; a cancelled receive took none.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
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

  // Waits for a message and takes all that are there, up to 1024: one completion for many messages.
  // Lifetime: the batch is the caller's, and must live until completion; what it held is dropped.
  // Completes with error_code and how many there are. Cancellation and errors as above.
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

  // Waits until something has come. Where the pattern has no use for what came (a topic that was given
  // up, a reply that is late, a subscription that others have), receiving may still find nothing.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
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

  // Something has come, for which the pattern may still have no use.
  [[nodiscard]] bool readable() const noexcept { return operations::readable(*this->core_); }

protected:
  using Base::Base;
};

}  // namespace zmtp
