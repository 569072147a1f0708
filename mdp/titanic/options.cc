#include "mdp/titanic/options.h"

#include "mdp/error.h"
#include "zmtp/pattern/option_check.h"

#include <utility>

namespace mdp::titanic {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::hours longest_keep{100 * 366 * 24};

void check_of(std::string component, const service_limits& limits) {
  zmtp::option_check{std::move(component), mdp::errc::bad_option}
      .number("concurrency", limits.concurrency)
      .duration("deadline", limits.deadline)
      .number("attempts", limits.attempts);
}

}  // namespace

void check(const server_options& options) {
  const zmtp::option_check own{"titanic", mdp::errc::bad_option};
  own.number("in_flight", options.in_flight)
      .duration("heartbeat_interval", options.heartbeat_interval, 1ms, zmtp::longest_heartbeat)
      .duration("reconnect_delay", options.reconnect_delay, 0ms)
      .duration("core.lookup_timeout", options.core.lookup_timeout)
      .duration("core.presence", options.core.presence)
      .duration("core.least_backoff", options.core.least_backoff)
      .duration("core.most_backoff", options.core.most_backoff);
  if (const auto keep = options.core.keep; keep && (*keep < 1s || *keep > longest_keep)) {
    own.fail("core.keep", "1 s to 878400 h");
  }
  check_of("titanic, core.service", options.core.service);
  for (const auto& [name, limits] : options.core.services) {
    check_of("titanic, service " + name, limits);
  }
}

}  // namespace mdp::titanic
