#pragma once
// Receiving messages together with their sender, for sockets whose peers are not addressable.

#include "zmtp/error.h"
#include "zmtp/routing/routed_message.h"
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

using routed_handler = completion_handler<void(error_code, routed_message)>;
using routed_count_handler = completion_handler<void(error_code, std::size_t)>;

[[nodiscard]] bool try_receive_from(socket_core& core, routed_message& to);
void start_receive_from(socket_core& core, deadline until, routed_handler handler);
void start_receive_from(socket_core& core, std::vector<routed_message>& batch, deadline until,
                        routed_count_handler handler);

}  // namespace operations

// Adds the operations to a socket class: receiving_from<receiving<socket>>. socket::peer() has the
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
        [this](operations::routed_handler h, deadline when) {
          operations::start_receive_from(*this->core_, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, routed_message)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive_from(Token&& token = {}) {
    return async_receive_from(deadline{}, std::forward<Token>(token));
  }

  // Like async_receive() for a batch, with the sender of each message.
  //
  // Lifetime: the batch must live until completion. The operation overwrites its content.
  // Completes with: error_code and the number of messages.
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive_from(std::vector<routed_message>& batch, deadline until,
                                        Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this, &batch](operations::routed_count_handler h, deadline when) {
          operations::start_receive_from(*this->core_, batch, when, std::move(h));
        },
        token, until);
  }
  template <asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
  [[nodiscard]] auto async_receive_from(std::vector<routed_message>& batch, Token&& token = {}) {
    return async_receive_from(batch, deadline{}, std::forward<Token>(token));
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
