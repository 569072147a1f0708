#include "mdp/request_error.h"

#include <string>

namespace mdp {

zmtp::message make_error(dialect how, request_fault fault, request_outcome outcome,
                         std::string_view service) {
  zmtp::message m{std::to_string(static_cast<unsigned>(fault))};
  m.push_back(outcome == request_outcome::refused ? "refused" : "unknown");
  m.push_back(service);
  push_client_reply(m, how, true, error_service);
  return m;
}

}  // namespace mdp
