#pragma once
// Both sides of subscriptions: subscribing to topics, for SUB and XSUB, and waiting for
// subscribers, for PUB.

#include "zmtp/error.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/system/system_error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

class socket_core;

namespace operations {

void subscribe(socket_core& core, std::string_view topic, error_code& ec);
void unsubscribe(socket_core& core, std::string_view topic);

}  // namespace operations

// Subscribing to topics. Adds the operations to a socket class: subscribing<socket>. Thread safety
// and executor: see zmtp::socket.
template <class Base>
class subscribing : public Base {
public:
  // Subscribes to messages whose first part begins with `topic`, from all current and future
  // publishers. The empty topic matches every message. Subscriptions are counted: a topic ends
  // after as many unsubscribe() calls as subscribe() calls. Throws boost::system::system_error.
  // Errors: errc::topic_too_long (above limits::topic_size).
  void subscribe(std::string_view topic) {
    error_code ec;
    subscribe(topic, ec);
    if (ec) {
      throw boost::system::system_error{ec, "subscribe"};
    }
  }
  void subscribe(std::string_view topic, error_code& ec) {
    operations::subscribe(*this->core_, topic, ec);
  }
  // Does nothing if the topic is not subscribed.
  void unsubscribe(std::string_view topic) { operations::unsubscribe(*this->core_, topic); }

protected:
  using Base::Base;
};

namespace operations {

// The core's state must be a pub_state.
void start_wait_subscribers(socket_core& core, std::string topic, std::size_t count, deadline until,
                            completion_handler<void(error_code)> handler);
[[nodiscard]] std::size_t subscribers(socket_core& core, std::string_view topic);

}  // namespace operations

// Waiting for subscribers. Adds the operations to a socket class: publishing<sending<socket>>.
// Thread safety, executor and lifetime: see zmtp::socket.
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
