#pragma once
// Decides which idle connection of a client is used next, and which are closed. Pure.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace mdp {

// Idle connections, by the time since their last request. The next request uses the connection that
// was used last. So the connections that are not needed become idle longest, and are closed first.
class idle_connections_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using connection = std::uint32_t;

  // `kept` idle connections stay open. Every other one is closed after it has been idle for `time`.
  idle_connections_state(std::size_t kept, std::chrono::milliseconds time) noexcept
      : kept_{kept}, time_{time} {}

  // The request of the connection has ended. `now` never decreases.
  void put(connection idle, time_point now) { idle_.push_back({idle, now}); }
  // Returns the connection for the next request, in constant time, or nothing if no connection is
  // idle.
  [[nodiscard]] std::optional<connection> take() noexcept {
    if (idle_.empty()) {
      return std::nullopt;
    }
    const auto last = idle_.back().which;
    idle_.pop_back();
    return last;
  }

  // Returns the time at which the next connection must be closed if none is used until then.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return idle_.size() > kept_ ? std::optional{idle_.front().since + time_} : std::nullopt;
  }
  // Removes and returns a connection that must be closed now. Call it until it returns nothing.
  [[nodiscard]] std::optional<connection> take_due(time_point now) noexcept {
    if (const auto due = next_deadline(); !due || now < *due) {
      return std::nullopt;
    }
    const auto first = idle_.front().which;
    idle_.pop_front();
    return first;
  }

  [[nodiscard]] std::size_t size() const noexcept { return idle_.size(); }

private:
  struct entry {
    connection which;
    time_point since;
  };

  std::size_t kept_;
  std::chrono::milliseconds time_;
  std::deque<entry> idle_;  // the longest idle first
};

}  // namespace mdp
