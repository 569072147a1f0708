#include "mdp/request_error.h"

#include <array>
#include <string>

namespace mdp {

namespace {

constexpr std::string_view refused = "refused";
constexpr std::string_view unknown = "unknown";

constexpr std::array all_faults{request_fault::not_offered, request_fault::waited_too_long,
                                request_fault::too_large, request_fault::worker_lost};

}  // namespace

zmtp::message make_error(dialect how, request_fault fault, request_outcome outcome,
                         std::string_view service) {
  zmtp::message m{std::to_string(static_cast<unsigned>(fault))};
  m.push_back(outcome == request_outcome::refused ? refused : unknown);
  m.push_back(service);
  push_client_reply(m, how, true, error_service);
  return m;
}

std::optional<request_error> parse_error(const zmtp::message& body) noexcept {
  if (body.part_count() != 3 || (body[1] != refused && body[1] != unknown)) {
    return std::nullopt;
  }
  const auto outcome = body[1] == refused ? request_outcome::refused : request_outcome::unknown;
  for (const auto fault : all_faults) {
    if (body[0] == std::to_string(static_cast<unsigned>(fault))) {
      return request_error{fault, outcome, body[2]};
    }
  }
  return std::nullopt;
}

}  // namespace mdp
