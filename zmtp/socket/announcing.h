#pragma once
// Receiving messages together with attach and detach of peers, for sockets whose peers are not
// addressable.

#include "zmtp/error.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/socket/deadline.h"
#include "zmtp/socket/receiving.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {

// Adds the operations to a socket class: announcing<receiving<socket>>. Thread safety, executor and
// lifetime: see zmtp::socket.
template <class Base>
class announcing : public Base {
public:
  using Base::async_receive;
  // Like async_receive() for a batch of messages, with the sender of each message. With
  // socket_options::announce_peers, the batch also contains attach and detach of peers, in order.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(std::vector<routed_message>& batch, deadline until,
                                   Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::received_handler h, deadline when) {
          operations::start_receive(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive(std::vector<routed_message>& batch, Token&& token = {}) {
    return async_receive(batch, deadline{}, std::forward<Token>(token));
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
