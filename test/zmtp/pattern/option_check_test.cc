#include "zmtp/pattern/option_check.h"

#include "zmtp/pattern/call_error.h"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace zmtp {
namespace {

using namespace std::chrono_literals;

const option_check checked{"queue", call_errc::bad_call_option};

// Returns the text of the error without the description of its code, or an empty text.
template <class Check>
std::string fault_of(Check check) {
  try {
    check();
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), call_errc::bad_call_option);
    const std::string text = e.what();
    return text.substr(0, text.find(": " + e.code().message()));
  }
  return {};
}

TEST(option_check, durations) {
  const auto fault = [](auto... arguments) {
    return fault_of([&] { checked.duration("pause", arguments...); });
  };
  EXPECT_EQ(fault(1ms), "");
  EXPECT_EQ(fault(longest_duration), "");
  EXPECT_EQ(fault(std::nullopt), "");
  EXPECT_EQ(fault(0ms), "queue: pause must be 1 ms to 8760 h");
  EXPECT_EQ(fault(longest_duration + 1ms), "queue: pause must be 1 ms to 8760 h");
  EXPECT_EQ(fault(0ms, 0ms), "");
  EXPECT_EQ(fault(-1ms, 0ms), "queue: pause must be 0 ms to 8760 h");
  EXPECT_EQ(fault(1501ms, 1ms, 1500ms), "queue: pause must be 1 ms to 1500 ms");
}

TEST(option_check, numbers) {
  const auto fault = [](auto... arguments) {
    return fault_of([&] { checked.number("calls", arguments...); });
  };
  EXPECT_EQ(fault(1U), "");
  EXPECT_EQ(fault(std::nullopt), "");
  EXPECT_EQ(fault(0U), "queue: calls must be at least 1");
  EXPECT_EQ(fault(8U, 8U), "");
  EXPECT_EQ(fault(9U, 8U), "queue: calls must be 1 to 8");
}

// Times are added to the clock in nanoseconds, after a multiplication by the number of intervals.
TEST(option_check, the_longest_silence_fits_into_a_time_point) {
  constexpr std::chrono::nanoseconds uptime = std::chrono::hours{100 * 365 * 24};
  EXPECT_LT(longest_heartbeat * max_liveness, std::chrono::floor<std::chrono::milliseconds>(
                                                  std::chrono::nanoseconds::max() - uptime));
}

}  // namespace
}  // namespace zmtp
