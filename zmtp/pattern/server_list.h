#pragma once
// The servers of a client, and when to open a new connection to one. Pure.

#include "zmtp/conversation/reconnect_backoff.h"
#include "zmtp/options.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp {

// The servers of a client, one of which is current: the first one initially. All conversations of
// one client share the list. The first conversation that leaves the current server switches to the
// next one for all. Later calls for the same old server have no effect.
class server_list {
public:
  // `endpoints` must not be empty.
  explicit server_list(std::vector<std::string> endpoints) noexcept
      : endpoints_{std::move(endpoints)} {}

  [[nodiscard]] std::size_t size() const noexcept { return endpoints_.size(); }
  [[nodiscard]] std::size_t current() const noexcept { return current_; }
  [[nodiscard]] const std::string& endpoint(std::size_t server) const noexcept {
    return endpoints_[server];
  }
  void leave(std::size_t server) noexcept {
    if (server == current_) {
      current_ = (current_ + 1) % endpoints_.size();
    }
  }

private:
  std::vector<std::string> endpoints_;
  std::size_t current_ = 0;
};

// Checks that all endpoints are valid when the client is created, not when it first uses one.
// Throws boost::system::system_error: call_errc::no_servers, and what zmtp::socket::connect throws.
void check_servers(const std::vector<std::string>& servers, std::string_view who);

// The delay before the next conversation with a server on a new connection. No delay after a
// conversation that lasted. The delay grows with short conversations, so that a server that rejects
// every client does not receive connections without a pause.
class reopen_pace {
public:
  using time_point = std::chrono::steady_clock::time_point;

  void on_attached(time_point now) noexcept { attached_at_ = now; }

  // Call when the conversation has ended. `random` spreads the delays of many clients.
  [[nodiscard]] std::chrono::milliseconds wait(time_point now, std::uint32_t random) noexcept {
    const auto lasted =
        attached_at_ ? std::chrono::duration_cast<std::chrono::milliseconds>(now - *attached_at_)
                     : std::chrono::milliseconds{0};
    attached_at_.reset();
    const auto next = backoff_.next(lasted, false, random);
    return lasted >= options_.stable ? std::chrono::milliseconds{0} : next;
  }

private:
  reconnect_options options_;
  reconnect_backoff backoff_{options_};
  std::optional<time_point> attached_at_;
};

}  // namespace zmtp
