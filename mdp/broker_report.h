#pragma once
// The state and the counters of a broker and its services as a line of text, `key=number` each: for the
// log and for 8/MMI. Pure.

#include "mdp/broker_actions.h"

#include <string>

namespace mdp {

// Refused messages in one number; broker_counters has them by cause.
[[nodiscard]] std::string report(const broker_status& s);
// Without the name, which may be any octets.
[[nodiscard]] std::string report(const service_status& s);

}  // namespace mdp
