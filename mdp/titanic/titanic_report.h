#pragma once
// The state and the counters of Titanic as text, `key=number` each: for the log and for who asks
// titanic.status. Pure.

#include "mdp/titanic/titanic_state.h"
#include "zmtp/message.h"

#include <string>

namespace mdp::titanic {

[[nodiscard]] std::string report(const titanic_status& s);
// Without the name, which may be any octets.
[[nodiscard]] std::string report(const titanic_service_status& s);

// What titanic.status answers: 200, the state, then name and state of each service behind the name that
// the last part of the question is, 100 at most.
[[nodiscard]] zmtp::message answer_status(const titanic_state& of, const zmtp::message& asked);

}  // namespace mdp::titanic
