#include "tools/zinc/service_manager.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace zinc {

namespace {

// Returns the value of the setting and removes it. Empty if it is not set.
std::string take_setting(const char* name) {
  const char* const found = std::getenv(name);
  std::string value = found == nullptr ? "" : found;
  ::unsetenv(name);
  return value;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc{} && end == text.data() + text.size() ? std::optional{number}
                                                               : std::nullopt;
}

}  // namespace

std::optional<notify_address> parse_notify_address(std::string_view text) {
  notify_address address;
  auto& path = address.name.sun_path;
  const bool abstract = text.starts_with('@');
  // A path ends with a zero byte. An abstract name begins with one.
  if (text.size() < 2 || text.size() + (abstract ? 0 : 1) > sizeof path ||
      (!abstract && !text.starts_with('/'))) {
    return std::nullopt;
  }
  address.name.sun_family = AF_UNIX;
  std::ranges::copy(text, path);
  if (abstract) {
    path[0] = '\0';
  }
  address.size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size() + (abstract ? 0 : 1));
  return address;
}

std::optional<std::chrono::microseconds> watchdog_period(std::string_view time,
                                                         std::string_view process_id, int own_id) {
  const auto limit = whole_number<std::chrono::microseconds::rep>(time);
  if (!limit || *limit < 2 || (!process_id.empty() && whole_number<int>(process_id) != own_id)) {
    return std::nullopt;
  }
  return std::chrono::microseconds{*limit / 2};
}

service_manager::service_manager(const boost::asio::any_io_executor& executor) : timer_{executor} {
  const auto address = take_setting("NOTIFY_SOCKET");
  const auto time = take_setting("WATCHDOG_USEC");
  const auto process_id = take_setting("WATCHDOG_PID");
  if (address.empty()) {
    return;
  }
  to_ = parse_notify_address(address);
  if (!to_) {
    spdlog::warn("service manager not told: NOTIFY_SOCKET is neither a path nor @ and a name: {}",
                 address);
    return;
  }
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  period_ = watchdog_period(time, process_id, ::getpid());
  // There it asks for a reload, and must not end a server that has nothing to read again. Programs that this process
  // executes do not inherit a function.
  std::signal(SIGHUP, [](int) {});
}

service_manager::~service_manager() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

void service_manager::ready() {
  send("READY=1");
  if (to_ && period_) {
    feed_watchdog();
  }
}

void service_manager::stopping() { send("STOPPING=1"); }

void service_manager::end() {
  period_.reset();
  timer_.cancel();
}

void service_manager::send(std::string_view state, int flags) {
  if (!to_) {
    return;
  }
  ssize_t sent = -1;
  do {
    sent = ::sendto(socket_, state.data(), state.size(), MSG_NOSIGNAL | flags,
                    reinterpret_cast<const sockaddr*>(&to_->name), to_->size);
  } while (sent < 0 && errno == EINTR);
  // A manager that does not read for a while must not stop the server.
  const auto fault = sent < 0 && errno != EAGAIN ? errno : 0;
  // The watchdog is fed again after its period, so only the first of these faults is news.
  if (fault != 0 && fault != fault_) {
    spdlog::warn("service manager not told: {}", std::generic_category().message(fault));
  }
  fault_ = fault;
}

void service_manager::feed_watchdog() {
  send("WATCHDOG=1", MSG_DONTWAIT);
  timer_.expires_after(*period_);
  timer_.async_wait([this](boost::system::error_code ec) {
    // end() may come after the timer and before this.
    if (!ec && period_) {
      feed_watchdog();
    }
  });
}

}  // namespace zinc
