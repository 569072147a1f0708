#pragma once
// A timer for the deadline of a pure state.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace zmtp {

// Calls back at the last deadline that was set, or earlier if an earlier one was set before. A
// state that is called too early returns its deadline again. So a deadline that moves with every
// message costs nothing.
class alarm {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Destroying the alarm prevents further calls of `on_time`.
  alarm(const boost::asio::any_io_executor& executor, std::function<void()> on_time);

  void set(std::optional<time_point> at);
  // Prevents calls of `on_time` until the next set().
  void cancel();

private:
  boost::asio::steady_timer timer_;
  std::function<void()> on_time_;
  std::optional<time_point> armed_;
  std::shared_ptr<bool> alive_ =
      std::make_shared<bool>(true);  // for a timer whose handler is already posted
};

}  // namespace zmtp
