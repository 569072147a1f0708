#pragma once
// The figures of a proxy and of a last value cache.

#include "zmtp/counters.h"
#include "zmtp/figure.h"
#include "zmtp/pattern/last_value_cache.h"

#include <span>

namespace zinc {

[[nodiscard]] std::span<const zmtp::figure_of<zmtp::proxy_statistics>> proxy_figures() noexcept;
[[nodiscard]] std::span<const zmtp::figure_of<zmtp::last_value_cache_status>>
cache_figures() noexcept;

}  // namespace zinc
