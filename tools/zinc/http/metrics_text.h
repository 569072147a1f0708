#pragma once
// Figures in the text format of Prometheus, version 0.0.4. Pure.

#include "tools/zinc/http/report.h"
#include "zmtp/figure.h"

#include <string>
#include <string_view>

namespace zinc::http {

// Returns the name of a figure: `zinc_GROUP_KEY`, then the unit, then `total` for a counter.
[[nodiscard]] std::string metric_name(std::string_view group, const zmtp::figure& of);
// Returns the type of a figure in the format.
[[nodiscard]] std::string_view metric_type(zmtp::figure::kind of) noexcept;

// plain: off
inline constexpr std::string_view metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";
// plain: on

[[nodiscard]] std::string metrics_text(const report& of, std::string_view version);

}  // namespace zinc::http
