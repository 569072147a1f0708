#pragma once
// The error message for a client that announces `X-Zinc: mdp-errors`. MDP has no such reply, and
// the Guide's clients do not survive an unexpected service name. So other clients get no error.

#include "mdp/command.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mdp {

// The service name of an error message, whatever service was requested. The body has three parts:
// the three digits of the fault, the outcome, and the name of the requested service.
inline constexpr std::string_view error_service = "mmi.error";

enum class request_fault : std::uint16_t {
  forbidden = 403,        // the client may not call the service
  not_offered = 404,      // no worker offers the service, or too many such services
  waited_too_long = 408,  // no worker took the request in time
  refused = 406,          // by as many workers as the service has
  not_known = 410,        // a repeat whose key the broker does not know
  too_large = 413,        // the reply is above the limit for 0.1 clients or for repeats
  failed = 500,           // reported by the worker
  worker_lost = 502,      // in the last attempt
  stopping = 503,         // the broker stops
};

enum class request_outcome : std::uint8_t {
  refused,  // no worker got it
  unknown,  // it may have been executed
};

// Returns the whole message, in the client's dialect.
[[nodiscard]] zmtp::message make_error(dialect how, request_fault fault, request_outcome outcome,
                                       std::string_view service);

// Returns the whole message of the fault not_known. Its fourth part is `memory` in milliseconds:
// the broker knows all keys that arrived within that time.
[[nodiscard]] zmtp::message make_not_known(dialect how, std::string_view service,
                                           std::chrono::milliseconds memory);

struct request_error {
  request_fault fault;
  request_outcome outcome;
  std::string_view service;
  std::chrono::milliseconds memory{};  // not_known only
};
// Parses the body of a reply from `error_service`, without the service frame. Returns nothing if
// the format is invalid. The view refers to the message.
[[nodiscard]] std::optional<request_error> parse_error(const zmtp::message& body) noexcept;

}  // namespace mdp
