#pragma once
// The state of a component as it is served over HTTP. Plain data.

#include "zmtp/figure.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::http {

// The reason of a broker, which its figures tell over MMI too.
inline constexpr std::string_view broker_drains = "the broker drains";

struct report {
  std::string_view component;                // the subcommand, a literal
  std::string not_ready;                     // the reason; empty: the component serves
  std::vector<zmtp::figure_record> records;  // those of a group together
};

// The records that a report must have. The server reads the totals once a second.
enum class extent : std::uint8_t {
  totals,      // only those of the component, whose number is bounded
  everything,  // also those of each service
  peers,       // also those of each worker and client, for /status: they would be too many metrics
};

// Calls its last argument once with the report, in the server's executor, in the call or later.
using reporter = std::function<void(extent, std::function<void(report)>)>;

}  // namespace zinc::http
