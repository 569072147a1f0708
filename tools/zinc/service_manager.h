#pragma once
// Tells a service manager such as systemd how this process is, by the protocol of sd_notify(3).

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace zinc {

struct notify_address {
  sockaddr_un name{};
  socklen_t size = 0;
};

// The address in NOTIFY_SOCKET: the path of a socket, or @ and an abstract name. Nothing if it is neither, or too long.
[[nodiscard]] std::optional<notify_address> parse_notify_address(std::string_view text);

// Half of the time in WATCHDOG_USEC. Nothing if the watchdog is off, or if WATCHDOG_PID, where given, is not `own_id`.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_period(std::string_view time,
                                                                       std::string_view process_id,
                                                                       int own_id);

// Takes its settings out of the environment, so that no child of this process speaks in its place. So it is
// constructed before threads and children. SIGHUP no longer ends the process. Without NOTIFY_SOCKET it does nothing.
class service_manager {
public:
  explicit service_manager(const boost::asio::any_io_executor& executor);
  ~service_manager();
  service_manager(const service_manager&) = delete;
  service_manager& operator=(const service_manager&) = delete;

  // Says that the process serves. If a watchdog is asked for, says from then on that `executor` runs. This keeps the
  // context running until end().
  void ready();
  // Says that the process takes no new work and will end.
  void stopping();
  void end();

private:
  void send(std::string_view state, int flags = 0);
  void feed_watchdog();

  boost::asio::steady_timer timer_;
  std::optional<notify_address> to_;
  // Open from the start, because a server that has no more file descriptors must still feed the watchdog.
  int socket_ = -1;
  int fault_ = 0;
  std::optional<std::chrono::microseconds> period_;
};

}  // namespace zinc
