#pragma once
// State and counters of a broker and its services as a line of text, `key=number` each, for the log
// and for 8/MMI. Pure.

#include "mdp/broker_actions.h"

#include <string>

namespace mdp {

// Returns the line of a broker, with all invalid messages as one number. broker_counters has them
// by cause.
[[nodiscard]] std::string report(const broker_status& s);
// Returns the line of a service, without its name, because a name may contain any bytes.
[[nodiscard]] std::string report(const service_status& s);

}  // namespace mdp
