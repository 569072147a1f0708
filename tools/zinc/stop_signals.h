#pragma once
// SIGINT and SIGTERM: stop cleanly.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <functional>
#include <utility>

namespace zinc {

// Calls `on_stop` at the first signal. A second signal ends the process as usual. Keeps the context running
// until cancel() or the destructor. After that the work is done, so the first signal is ignored: the process
// must not look killed. A second signal ends a process that hangs.
class stop_signals {
public:
  stop_signals(const boost::asio::any_io_executor& executor, std::function<void()> on_stop)
      : signals_{executor, SIGINT, SIGTERM} {
    signals_.async_wait([this, on_stop = std::move(on_stop)](boost::system::error_code ec, int) {
      // A signal just before cancel() is ignored like one after it.
      if (!ec && !std::exchange(over_, true)) {
        clear();
        on_stop();
      }
    });
  }
  ~stop_signals() { cancel(); }
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;

  void cancel() {
    if (std::exchange(over_, true)) {
      return;
    }
    // Blocked signals cannot take their default action between the two handlers.
    sigset_t both;
    sigset_t before;
    ::sigemptyset(&both);
    ::sigaddset(&both, SIGINT);
    ::sigaddset(&both, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &both, &before);
    clear();
    handle_by(ignore_once);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  static void handle_by(void (*what)(int)) {
    std::signal(SIGINT, what);
    std::signal(SIGTERM, what);
  }
  static void ignore_once(int) { handle_by(SIG_DFL); }

  void clear() {
    boost::system::error_code ignored;
    signals_.clear(ignored);
    signals_.cancel(ignored);
  }

  boost::asio::signal_set signals_;
  bool over_ = false;
};

}  // namespace zinc
