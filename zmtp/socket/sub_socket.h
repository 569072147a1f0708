#pragma once
// SUB: receives what it has subscribed to. Face of
// zmtp/routing/sub_state.h.

#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/socket/receiving.h"
#include "zmtp/socket/socket.h"

#include <string_view>

namespace zmtp {

class sub_state;

// When its queue is full it stops reading and drops nothing; what it misses, a publisher has dropped.
class sub_socket : public receiving<socket> {
public:
  // With the options' defaults. No default argument: GCC 12 destroys one twice if the executor is
  // awaited in the same expression.
  explicit sub_socket(asio::any_io_executor executor);
  // Throws boost::system::system_error with errc::bad_option.
  sub_socket(asio::any_io_executor executor, const socket_options& options);

  // Asks all publishers, those to come too, for messages whose first part begins with `topic`; the
  // empty topic is all messages. Counted: a topic ends when it was given up as often as it was asked
  // for. Throws boost::system::system_error.
  // Errors: errc::topic_too_long (above limits::topic_size).
  void subscribe(std::string_view topic);
  void subscribe(std::string_view topic, error_code& ec);
  // What was not asked for cannot be given up, and nothing happens.
  void unsubscribe(std::string_view topic);

private:
  sub_state* state_;
};

}  // namespace zmtp
