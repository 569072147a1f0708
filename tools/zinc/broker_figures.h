#pragma once
// The records of a broker, its services, its workers and its clients. Pure.

#include "mdp/broker_actions.h"
#include "zmtp/figure.h"

#include <string>

namespace zinc {

// `endpoint` is the broker's, or several of them.
[[nodiscard]] zmtp::figure_record record_of(const mdp::broker_status& of,
                                            const std::string& endpoint);
[[nodiscard]] zmtp::figure_record record_of(const mdp::service_status& of,
                                            const std::string& endpoint);
[[nodiscard]] zmtp::figure_record record_of(const mdp::worker_status& of,
                                            const std::string& endpoint);
[[nodiscard]] zmtp::figure_record record_of(const mdp::client_status& of,
                                            const std::string& endpoint);

}  // namespace zinc
