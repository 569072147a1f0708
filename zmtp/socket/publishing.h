#pragma once
// Waiting for subscribers: what sockets have that publish.

#include "zmtp/error.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

class socket_core;

namespace operations {

// The core's state is a pub_state.
void start_wait_subscribers(socket_core& core, std::string topic, std::size_t count, deadline until,
                            completion_handler<void(error_code)> handler);
[[nodiscard]] std::size_t subscribers(socket_core& core, std::string_view topic);

}  // namespace operations

// Added to a socket class: publishing<sending<socket>>.
template <class Base>
class publishing : public Base {
public:
  // Waits until a message whose first part is `topic` would go to at least `count` peers: no more
  // guessing how long subscribers take to come.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_subscribers(std::string topic, std::size_t count, deadline until,
                                            Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](completion_handler<void(error_code)> h, std::string&& begin, std::size_t least,
               deadline when) {
          operations::start_wait_subscribers(*this->core_, std::move(begin), least, when,
                                             std::move(h));
        },
        token, std::move(topic), count, until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_subscribers(std::string topic, std::size_t count,
                                            Token&& token = {}) {
    return async_wait_subscribers(std::move(topic), count, deadline{}, std::forward<Token>(token));
  }
  // How many they are now.
  [[nodiscard]] std::size_t subscribers(std::string_view topic) const {
    return operations::subscribers(*this->core_, topic);
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
