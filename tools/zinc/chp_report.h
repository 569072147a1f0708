#pragma once
// The state of a server of zinc chp, as text for the log.

#include "bstar/node.h"
#include "chp/server_actions.h"

#include <string>

namespace zinc {

[[nodiscard]] std::string report(const chp::server_status& s);
// Returns the refusals by the rules, behind a space.
[[nodiscard]] std::string report(const chp::access_counters& of);
[[nodiscard]] std::string report(const bstar::node_status& s);

}  // namespace zinc
