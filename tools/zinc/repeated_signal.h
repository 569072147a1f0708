#pragma once
// A signal that triggers an action of a running program.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>

#include <functional>
#include <utility>

namespace zinc {

// Calls `on_signal` at each signal. Keeps the context running until cancel().
class repeated_signal {
public:
  repeated_signal(const boost::asio::any_io_executor& executor, int number,
                  std::function<void()> on_signal)
      : signals_{executor, number}, on_signal_{std::move(on_signal)} {
    wait();
  }
  void cancel() {
    boost::system::error_code ignored;
    signals_.cancel(ignored);
  }

private:
  void wait() {
    signals_.async_wait([this](boost::system::error_code ec, int) {
      if (!ec) {
        on_signal_();
        wait();
      }
    });
  }

  boost::asio::signal_set signals_;
  std::function<void()> on_signal_;
};

}  // namespace zinc
