#pragma once
// The figures of a broker and its services, and their lines for the log and for 8/MMI. Pure.

#include "mdp/broker_actions.h"
#include "zmtp/figure.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mdp {

// All invalid messages are one figure. broker_counters has them by cause.
[[nodiscard]] std::span<const zmtp::figure_of<broker_status>> broker_figures() noexcept;
[[nodiscard]] std::span<const zmtp::figure_of<service_status>> service_figures() noexcept;

// Figures of single peers, of which there can be any number. They are not metrics.
[[nodiscard]] std::span<const zmtp::figure_of<worker_status>> worker_figures() noexcept;
[[nodiscard]] std::span<const zmtp::figure_of<client_status>> client_figures() noexcept;

// The name of a peer in a list of workers or clients.
[[nodiscard]] std::string text_of(zmtp::peer_id of);
// Reads such a name. Returns nothing for another text.
[[nodiscard]] std::optional<zmtp::peer_id> peer_of(std::string_view name) noexcept;

[[nodiscard]] std::string report(const broker_status& s);
// These return a line without names, because a name may contain any bytes.
[[nodiscard]] std::string report(const service_status& s);
[[nodiscard]] std::string report(const worker_status& s);
[[nodiscard]] std::string report(const client_status& s);

}  // namespace mdp
