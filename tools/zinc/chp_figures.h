#pragma once
// The figures of a map server.

#include "chp/server_actions.h"
#include "zmtp/figure.h"

#include <span>

namespace zinc {

[[nodiscard]] std::span<const zmtp::figure_of<chp::server_status>> chp_figures() noexcept;

}  // namespace zinc
