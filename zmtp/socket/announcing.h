#pragma once
// Receiving with the attach and detach of peers among the messages: what sockets have whose peers are alike
// and that socket_options::announce_peers is for.

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

// Added to a socket class: announcing<receiving<socket>>.
template <class Base>
class announcing : public Base {
public:
  using Base::async_receive;
  // Like the batch of messages, with the sender beside each, and with socket_options::announce_peers
  // the attach and detach of peers among them.
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
