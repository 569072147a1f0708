#pragma once
// State and counters of Titanic as text, `key=number` each, for the log and for titanic.status.
// Pure.

#include "mdp/titanic/titanic_state.h"
#include "zmtp/message.h"

#include <string>

namespace mdp::titanic {

[[nodiscard]] std::string report(const titanic_status& s);
// Returns the line of a service without its name, because a name may contain any bytes.
[[nodiscard]] std::string report(const titanic_service_status& s);

// Returns the answer of titanic.status: 200, the state, then name and state of up to 100 services.
// The last part of the request is the name after which the list starts.
[[nodiscard]] zmtp::message answer_status(const titanic_state& of, const zmtp::message& asked);

}  // namespace mdp::titanic
