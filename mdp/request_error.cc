#include "mdp/request_error.h"

#include <array>
#include <charconv>
#include <string>

namespace mdp {

namespace {

constexpr std::string_view was_refused = "refused";
constexpr std::string_view is_unknown = "unknown";

constexpr std::array all_faults{
    request_fault::forbidden, request_fault::not_offered, request_fault::waited_too_long,
    request_fault::not_known, request_fault::too_large,   request_fault::refused,
    request_fault::failed,    request_fault::worker_lost, request_fault::stopping};

zmtp::message body_of(request_fault fault, request_outcome outcome, std::string_view service) {
  zmtp::message m{std::to_string(static_cast<unsigned>(fault))};
  m.push_back(outcome == request_outcome::refused ? was_refused : is_unknown);
  m.push_back(service);
  return m;
}

}  // namespace

zmtp::message make_error(dialect how, request_fault fault, request_outcome outcome,
                         std::string_view service) {
  auto m = body_of(fault, outcome, service);
  push_client_reply(m, how, true, error_service);
  return m;
}

zmtp::message make_not_known(dialect how, std::string_view service,
                             std::chrono::milliseconds memory) {
  auto m = body_of(request_fault::not_known, request_outcome::unknown, service);
  m.push_back(std::to_string(memory.count()));
  push_client_reply(m, how, true, error_service);
  return m;
}

std::optional<request_error> parse_error(const zmtp::message& body) noexcept {
  if (body.size() < 3 || body.size() > 4 || (body[1] != was_refused && body[1] != is_unknown)) {
    return std::nullopt;
  }
  const bool has_memory = body.size() == 4;
  const auto outcome = body[1] == was_refused ? request_outcome::refused : request_outcome::unknown;
  for (const auto fault : all_faults) {
    if (body[0] == std::to_string(static_cast<unsigned>(fault)) &&
        has_memory == (fault == request_fault::not_known)) {
      request_error parsed{fault, outcome, body[2]};
      if (has_memory) {
        const auto text = body[3];
        const auto* const end = text.data() + text.size();
        std::chrono::milliseconds::rep count = 0;
        const auto [read_to, ec] = std::from_chars(text.data(), end, count);
        if (ec != std::errc{} || read_to != end || count < 0) {
          return std::nullopt;
        }
        parsed.memory = std::chrono::milliseconds{count};
      }
      return parsed;
    }
  }
  return std::nullopt;
}

}  // namespace mdp
