#pragma once
// One timer for the deadline of a pure state.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace zmtp {

// Calls back at the earliest time it was last set to, or earlier if it was set to that before: a state
// that is asked too early says when to come again. So a deadline that moves away with every message
// costs nothing.
class alarm {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // `on_time` is not called any more once the alarm is destroyed.
  alarm(const boost::asio::any_io_executor& executor, std::function<void()> on_time);

  void set(std::optional<time_point> at);
  // `on_time` is not called before the next set().
  void cancel();

private:
  boost::asio::steady_timer timer_;
  std::function<void()> on_time_;
  std::optional<time_point> armed_;
  std::shared_ptr<bool> alive_ =
      std::make_shared<bool>(true);  // for a timer that has fired already
};

}  // namespace zmtp
