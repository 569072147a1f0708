#pragma once
// Virtual time: planned events, in the order of their time, then in the order of planning.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace zmtp::simulation {

class event_queue {
public:
  using clock = std::chrono::steady_clock;
  using time_point = clock::time_point;
  using duration = clock::duration;
  using action = std::function<void()>;
  // Names a planned event; never given twice.
  using ticket = std::pair<time_point, std::uint64_t>;

  [[nodiscard]] time_point now() const noexcept { return now_; }
  // Never before now.
  ticket at(time_point when, action act);
  ticket after(duration wait, action act) { return at(now_ + wait, std::move(act)); }
  // Nothing if it has happened.
  void cancel(const ticket& which) { planned_.erase(which); }
  // Moves the time. Events that become due meanwhile are late.
  void advance(duration by) noexcept { now_ += by; }

  [[nodiscard]] bool empty() const noexcept { return planned_.empty(); }
  // The time of the next event; there must be one.
  [[nodiscard]] time_point next() const noexcept { return planned_.begin()->first.first; }
  // Moves the time to the next event and lets it happen; there must be one.
  void run_next();
  // All events up to `until`, which is then the time.
  void run_until(time_point until);
  [[nodiscard]] std::uint64_t happened() const noexcept { return happened_; }

private:
  // Not zero: code that subtracts durations from a time point would take zero for "never".
  time_point now_ = time_point{} + std::chrono::hours{1};
  std::uint64_t last_ = 0;
  std::uint64_t happened_ = 0;
  std::map<ticket, action> planned_;
};

}  // namespace zmtp::simulation
