#pragma once
// Decides when Titanic removes a request that has its outcome and was not closed. Pure.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace mdp::titanic {

// Requests by the numbers of their slots, with the time on the steady clock at which each expires.
class retention {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // The least time between a start and the removal of requests that were stored before it, unless `keep`
  // is shorter. Clients could not fetch their replies while Titanic was stopped.
  static constexpr std::chrono::hours after_start{1};

  // If `keep` is absent, no request expires.
  explicit retention(std::optional<std::chrono::seconds> keep) noexcept : keep_{keep} {}

  // A request gets its outcome. Returns the time at which it expires, for leave().
  time_point enter(std::uint64_t number, time_point now) { return enter_at(number, now, keep_); }
  // The same for a request that has had its outcome for `age` when Titanic starts.
  time_point recover(std::uint64_t number, std::chrono::seconds age, time_point now) {
    return enter_at(
        number, now,
        keep_ ? std::optional{std::max(*keep_ - std::min(age, *keep_),
                                       std::min<std::chrono::seconds>(*keep_, after_start))}
              : std::nullopt);
  }
  // A request could not be removed. It expires after `wait`.
  time_point enter_again(std::uint64_t number, time_point now, std::chrono::seconds wait) {
    return enter_at(number, now, wait);
  }
  // The request is closed.
  void leave(std::uint64_t number, time_point due) { due_.erase({due, number}); }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return due_.empty() ? std::optional<time_point>{} : due_.begin()->first;
  }
  // Takes out a request that has expired, if one has.
  [[nodiscard]] std::optional<std::uint64_t> take(time_point now) {
    if (due_.empty() || due_.begin()->first > now) {
      return std::nullopt;
    }
    const auto number = due_.begin()->second;
    due_.erase(due_.begin());
    return number;
  }

private:
  time_point enter_at(std::uint64_t number, time_point now,
                      std::optional<std::chrono::seconds> wait) {
    const auto due = now + wait.value_or(std::chrono::seconds{0});
    if (wait) {
      due_.emplace(due, number);
    }
    return due;
  }

  std::optional<std::chrono::seconds> keep_;
  std::set<std::pair<time_point, std::uint64_t>> due_;
};

}  // namespace mdp::titanic
