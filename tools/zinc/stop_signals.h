#pragma once
// SIGINT and SIGTERM: stop cleanly.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <functional>
#include <utility>

namespace zinc {

// Calls `on_stop` at the first signal; a second one ends the process as usual. Keeps the context
// running until cancelled.
class stop_signals {
public:
  stop_signals(const boost::asio::any_io_executor& executor, std::function<void()> on_stop)
      : signals_{executor, SIGINT, SIGTERM} {
    signals_.async_wait([this, on_stop = std::move(on_stop)](boost::system::error_code ec, int) {
      if (!ec) {
        cancel();
        on_stop();
      }
    });
  }
  void cancel() {
    boost::system::error_code ignored;
    signals_.clear(ignored);
    signals_.cancel(ignored);
  }

private:
  boost::asio::signal_set signals_;
};

}  // namespace zinc
