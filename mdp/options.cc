#include "mdp/options.h"

#include "zmtp/pattern/option_check.h"

#include <boost/system/system_error.hpp>

namespace mdp {

namespace {

using namespace std::chrono_literals;

void check_of(std::string component, const service_options& options) {
  zmtp::option_check{std::move(component), errc::bad_option}
      .number("attempts", options.attempts)
      .duration("unserved_timeout", options.unserved_timeout, 0ms)
      .duration("queue_timeout", options.queue_timeout, 0ms)
      .duration("busy_expiry", options.busy_expiry)
      .duration("busy_timeout", options.busy_timeout)
      .number("limit.bytes", options.limit.bytes)
      .number("limit.requests", options.limit.requests);
}

}  // namespace

const char* to_string(right what) noexcept {
  switch (what) {
    case right::offer: return "offer";
    case right::call: return "call";
    case right::inspect: return "inspect";
    case right::represent: break;
  }
  return "represent";
}

boost::system::error_code check_service(std::string_view name) noexcept {
  if (name.empty()) {
    return errc::no_service;
  }
  if (name.size() > max_service_size) {
    return errc::service_too_long;
  }
  return {};
}

void check(const broker_options& options) {
  zmtp::option_check{"broker", errc::bad_option}
      .heartbeats(options.heartbeat, options.liveness)
      .number("worker_in_flight", options.worker_in_flight)
      .number("client_limit.requests", options.client_limit.requests)
      .number("client_limit.bytes", options.client_limit.bytes)
      .duration("outcome_limit.time", options.outcome_limit.time, 0ms);
  check_of("broker, services", options.services);
  for (const auto& rule : options.rules) {
    check_of("broker, rule " + rule.name, rule.options);
  }
}

void check(const client_options& options) {
  zmtp::option_check{"client", errc::bad_option}
      .duration("timeout", options.timeout)
      .number("attempts", options.attempts)
      .duration("backoff", options.backoff, 0ms)
      .duration("longest_backoff", options.longest_backoff, 0ms)
      .duration("idle_time", options.idle_time, 0ms);
}

void check(const worker_options& options) {
  const auto component = "worker " + options.service;
  if (const auto ec = is_reserved(options.service)
                          ? boost::system::error_code{errc::service_reserved}
                          : check_service(options.service)) {
    throw boost::system::system_error{ec, component};
  }
  zmtp::option_check{component, errc::bad_option}
      .heartbeats(options.heartbeat, options.liveness)
      .duration("reconnect_delay", options.reconnect_delay, 0ms)
      .number("in_flight", options.in_flight);
}

}  // namespace mdp
