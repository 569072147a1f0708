#pragma once
// How a client that announces `X-Zinc: mdp-errors` hears that a request will not be answered. MDP has
// no such reply, and clients of the Guide do not survive a foreign service name: nobody else gets one.

#include "mdp/command.h"
#include "zmtp/message.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mdp {

// The service that the error seems to be a reply of, whatever was asked. Its body has three parts: the
// three digits of the reason, what became of the request, and the name of the service that was asked.
inline constexpr std::string_view error_service = "mmi.error";

enum class request_fault : std::uint16_t {
  not_offered = 404,      // nobody offered the service, for too long or with too many others
  waited_too_long = 408,  // for a worker that had time
  refused = 406,          // by as many workers as the service has
  not_known = 410,        // a repeat whose key the broker does not know, or has forgotten
  too_large = 413,        // the reply, to be gathered for a 0.1 client or to be kept for a repeat
  failed = 500,           // its worker says so
  worker_lost = 502,      // in its last attempt
  stopping = 503,         // the broker is
};

enum class request_outcome : std::uint8_t {
  refused,  // it was given to no worker
  unknown,  // it may have been carried out
};

// The whole message, in the client's dialect.
[[nodiscard]] zmtp::message make_error(dialect how, request_fault fault, request_outcome outcome,
                                       std::string_view service);

// The whole message of the fault not_known. It has a fourth part: `memory` in milliseconds. The broker
// has forgotten no key that came within that time.
[[nodiscard]] zmtp::message make_not_known(dialect how, std::string_view service,
                                           std::chrono::milliseconds memory);

struct request_error {
  request_fault fault;
  request_outcome outcome;
  std::string_view service;
  std::chrono::milliseconds memory{};  // not_known only
};
// Of what a client was told as a reply of `error_service`, without that frame. Nothing if it is not
// as above. The view is of the message.
[[nodiscard]] std::optional<request_error> parse_error(const zmtp::message& body) noexcept;

}  // namespace mdp
