#include "tools/zinc/refusal_log.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstddef>

namespace zinc {

refusal_log::refusal_log(const boost::asio::any_io_executor& executor, const mdp::broker& broker)
    : timer_{executor}, broker_{broker} {
  wait();
}

void refusal_log::write() {
  const auto now = broker_.connections().ended;
  for (std::size_t i = 1; i < now.size(); ++i) {
    const auto reason = static_cast<zmtp::errc>(i);
    if (now[i] != logged_[i] && reason != zmtp::errc::connection_lost &&
        reason != zmtp::errc::socket_closed) {
      spdlog::warn("connections closed: {} count={}", zmtp::make_error_code(reason).message(),
                   now[i] - logged_[i]);
    }
  }
  const auto invalid = broker_.status().counters.invalid_messages;
  for (std::size_t i = 1; i < invalid.size(); ++i) {
    if (invalid[i] != invalid_logged_[i]) {
      spdlog::warn("connections closed: invalid message: {} count={}",
                   mdp::make_error_code(static_cast<mdp::errc>(i)).message(),
                   invalid[i] - invalid_logged_[i]);
    }
  }
  logged_ = now;
  invalid_logged_ = invalid;
}

void refusal_log::wait() {
  timer_.expires_after(std::chrono::seconds{1});
  timer_.async_wait([this](boost::system::error_code ec) {
    if (!ec) {
      write();
      wait();
    }
  });
}

}  // namespace zinc
