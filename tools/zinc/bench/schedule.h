#pragma once
// When the messages of zinc bench are due. Pure.

#include <chrono>
#include <cstdint>
#include <optional>

namespace zinc::bench {

using clock = std::chrono::steady_clock;

struct schedule {
  clock::time_point begin{};
  std::optional<std::uint64_t> rate{};   // messages per second; absent: as fast as possible
  std::optional<std::uint64_t> count{};  // number of messages
  std::optional<std::chrono::nanoseconds> duration{};

  // Returns when message `number`, from 0, is due. With a rate this does not depend on `now`, so a
  // sender that is late does not hide the time that its messages wait.
  [[nodiscard]] clock::time_point due(std::uint64_t number, clock::time_point now) const noexcept {
    if (!rate) {
      return now;
    }
    constexpr std::uint64_t second = 1'000'000'000;
    const auto rest = number % *rate * second / *rate;
    return begin + std::chrono::seconds{number / *rate} + std::chrono::nanoseconds{rest};
  }
  // Returns whether message `number` is not to be sent any more.
  [[nodiscard]] bool over(std::uint64_t number, clock::time_point now) const noexcept {
    return (count && number >= *count) || (duration && due(number, now) - begin >= *duration);
  }
};

}  // namespace zinc::bench
