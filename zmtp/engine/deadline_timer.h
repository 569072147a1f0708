#pragma once
// A timer for one deadline of a socket.

#include "zmtp/runtime/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>

namespace zmtp {

class socket_core;

// Calls the socket at the last deadline that was set, or earlier if an earlier one was set before.
// A socket that is called too early sets the deadline again. The timer does not keep the socket
// alive, and does not call a destroyed one.
class deadline_timer {
public:
  using time_point = deadline::clock::time_point;
  using handler = void (socket_core::*)();

  deadline_timer(const boost::asio::any_io_executor& executor, handler on_time)
      : timer_{std::in_place, executor}, on_time_{on_time} {}

  // `whose` must have this timer as a member.
  void set(std::optional<time_point> at, socket_core& whose);
  void cancel() noexcept;
  // Call when the context is destroyed. The socket may outlive the context.
  void abandon() noexcept { timer_.reset(); }

private:
  std::optional<boost::asio::steady_timer> timer_;
  handler on_time_;
  std::optional<time_point> armed_;
};

}  // namespace zmtp
