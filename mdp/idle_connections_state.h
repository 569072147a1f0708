#pragma once
// Decides which idle connection of a client is used next, and which are closed. Pure.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace mdp {

// The connection that was used last is used next. So connections that nothing needs any more are the ones
// that are idle for longest, and are closed first.
class idle_connections_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using connection = std::uint32_t;

  // `kept` idle connections stay open. Each other one is closed when it has been idle for `time`.
  idle_connections_state(std::size_t kept, std::chrono::milliseconds time) noexcept
      : kept_{kept}, time_{time} {}

  // The connection has no request any more. `now` never decreases.
  void put(connection idle, time_point now) { idle_.push_back({idle, now}); }
  // The connection that gets the next request, in constant time. Nothing if every connection has one.
  [[nodiscard]] std::optional<connection> take() noexcept {
    if (idle_.empty()) {
      return std::nullopt;
    }
    const auto last = idle_.back().which;
    idle_.pop_back();
    return last;
  }

  // When the next connection is due, if none is used until then.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return idle_.size() > kept_ ? std::optional{idle_.front().since + time_} : std::nullopt;
  }
  // A connection that is due, which must be closed now. Call it until there is none.
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
