#pragma once
// The figures of a broker and its services, and their lines for the log and for 8/MMI. Pure.

#include "mdp/broker_actions.h"
#include "zmtp/figure.h"

#include <span>
#include <string>

namespace mdp {

// All invalid messages are one figure. broker_counters has them by cause.
[[nodiscard]] std::span<const zmtp::figure_of<broker_status>> broker_figures() noexcept;
[[nodiscard]] std::span<const zmtp::figure_of<service_status>> service_figures() noexcept;

[[nodiscard]] std::string report(const broker_status& s);
// Returns the line of a service, without its name, because a name may contain any bytes.
[[nodiscard]] std::string report(const service_status& s);

}  // namespace mdp
