#include "zmtp/pattern/option_check.h"

#include <boost/system/system_error.hpp>

#include <string>

namespace zmtp {

namespace {

using std::chrono::milliseconds;

std::string text_of(milliseconds time) {
  constexpr milliseconds hour = std::chrono::hours{1};
  return time >= hour && time % hour == milliseconds::zero() ? std::to_string(time / hour) + " h"
                                                             : std::to_string(time.count()) + " ms";
}

}  // namespace

const option_check& option_check::heartbeats(milliseconds heartbeat, unsigned liveness) const {
  return duration("heartbeat", heartbeat, milliseconds{1}, longest_heartbeat)
      .number("liveness", liveness, max_liveness);
}

const option_check& option_check::duration(std::string_view option,
                                           std::optional<milliseconds> value, milliseconds least,
                                           milliseconds most) const {
  if (value && (*value < least || *value > most)) {
    fail(option, text_of(least) + " to " + text_of(most));
  }
  return *this;
}

const option_check& option_check::number(std::string_view option,
                                         std::optional<std::uint64_t> value,
                                         std::uint64_t most) const {
  if (value && (*value == 0 || *value > most)) {
    const bool limited = most != std::numeric_limits<std::uint64_t>::max();
    fail(option, limited ? "1 to " + std::to_string(most) : "at least 1");
  }
  return *this;
}

void option_check::fail(std::string_view option, const std::string& range) const {
  throw boost::system::system_error{fault_,
                                    component_ + ": " + std::string{option} + " must be " + range};
}

}  // namespace zmtp
