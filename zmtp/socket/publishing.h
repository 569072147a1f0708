#pragma once
// Waiting for subscribers, for sockets that publish.

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

// The core's state must be a pub_state.
void start_wait_subscribers(socket_core& core, std::string topic, std::size_t count, deadline until,
                            completion_handler<void(error_code)> handler);
[[nodiscard]] std::size_t subscribers(socket_core& core, std::string_view topic);

}  // namespace operations

// Adds the operations to a socket class: publishing<sending<socket>>. Thread safety, executor and
// lifetime: see zmtp::socket.
template <class Base>
class publishing : public Base {
public:
  // Waits until a message with first part `topic` would go to at least `count` peers. Use this
  // instead of a fixed delay before the first message.
  //
  // Completes with: error_code.
  // Errors: errc::timed_out, socket_closed; operation_aborted.
  // Cancellation: terminal, partial, total.
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
  // Returns the current number of such peers.
  [[nodiscard]] std::size_t subscribers(std::string_view topic) const {
    return operations::subscribers(*this->core_, topic);
  }

protected:
  using Base::Base;
};

}  // namespace zmtp
