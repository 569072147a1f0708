#pragma once
// One timer for a deadline of a socket.

#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>

namespace zmtp {

class socket_core;

// Calls the socket at the earliest time it was last set to, or earlier if it was set to that before: who is
// called too early says when to come again. It keeps no socket alive, and calls none that has gone.
class deadline_timer {
public:
  using time_point = deadline::clock::time_point;
  using handler = void (socket_core::*)();

  deadline_timer(const boost::asio::any_io_executor& executor, handler on_time)
      : timer_{std::in_place, executor}, on_time_{on_time} {}

  // `whose` has this as a member.
  void set(std::optional<time_point> at, socket_core& whose);
  void cancel() noexcept;
  // The context is going down, and the socket may outlive it.
  void abandon() noexcept { timer_.reset(); }

private:
  std::optional<boost::asio::steady_timer> timer_;
  handler on_time_;
  std::optional<time_point> armed_;
};

}  // namespace zmtp
