#pragma once
// Subscribing to topics: what SUB and XSUB have.

#include "zmtp/error.h"

#include <boost/system/system_error.hpp>

#include <string_view>

namespace zmtp {

class socket_core;

namespace operations {

void subscribe(socket_core& core, std::string_view topic, error_code& ec);
void unsubscribe(socket_core& core, std::string_view topic);

}  // namespace operations

// Added to a socket class: subscribing<socket>.
template <class Base>
class subscribing : public Base {
public:
  // Asks all publishers, those to come too, for messages whose first part begins with `topic`; the
  // empty topic is all messages. Counted: a topic ends when it was given up as often as it was asked
  // for. Throws boost::system::system_error.
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
  // What was not asked for cannot be given up, and nothing happens.
  void unsubscribe(std::string_view topic) { operations::unsubscribe(*this->core_, topic); }

protected:
  using Base::Base;
};

}  // namespace zmtp
