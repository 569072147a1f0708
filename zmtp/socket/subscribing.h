#pragma once
// Subscribing to topics, for SUB and XSUB.

#include "zmtp/error.h"

#include <boost/system/system_error.hpp>

#include <string_view>

namespace zmtp {

class socket_core;

namespace operations {

void subscribe(socket_core& core, std::string_view topic, error_code& ec);
void unsubscribe(socket_core& core, std::string_view topic);

}  // namespace operations

// Adds the operations to a socket class: subscribing<socket>. Thread safety and executor: see
// zmtp::socket.
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

}  // namespace zmtp
