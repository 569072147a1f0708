#pragma once
// The figures of a node of a Binary Star pair.

#include "bstar/node.h"
#include "zmtp/figure.h"

#include <span>

namespace zinc {

[[nodiscard]] std::span<const zmtp::figure_of<bstar::node_status>> bstar_figures() noexcept;

}  // namespace zinc
