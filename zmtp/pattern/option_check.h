#pragma once
// Checks the ranges of options where a user passes them to a component. Pure.

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

// Longer durations could overflow when they are multiplied or added to a time_point in nanoseconds.
inline constexpr std::chrono::milliseconds longest_duration = std::chrono::hours{24 * 365};
inline constexpr std::chrono::milliseconds longest_heartbeat = std::chrono::hours{24};
inline constexpr unsigned max_liveness = 1'000;  // intervals without a message

// Each function does nothing if the value is absent or in its range. Otherwise it throws
// boost::system::system_error with `fault`, and a text with the component, the option and its
// range.
class option_check {
public:
  option_check(std::string component, boost::system::error_code fault)
      : component_{std::move(component)}, fault_{fault} {}

  // The interval of heartbeats, and the number of intervals after which a silent peer is dead.
  const option_check& heartbeats(std::chrono::milliseconds heartbeat, unsigned liveness) const;
  const option_check& duration(std::string_view option,
                               std::optional<std::chrono::milliseconds> value,
                               std::chrono::milliseconds least = std::chrono::milliseconds{1},
                               std::chrono::milliseconds most = longest_duration) const;
  // Zero is never allowed.
  const option_check& number(std::string_view option, std::optional<std::uint64_t> value,
                             std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

  // Throws for a value out of a range that the other functions cannot check.
  [[noreturn]] void fail(std::string_view option, const std::string& range) const;

private:
  std::string component_;
  boost::system::error_code fault_;
};

}  // namespace zmtp
