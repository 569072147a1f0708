#pragma once
// The state of a component as it is served over HTTP. Plain data.

#include "zmtp/figure.h"

#include <string>
#include <string_view>
#include <vector>

namespace zinc::http {

struct report {
  std::string_view component;                // the subcommand, a literal
  std::string not_ready;                     // the reason; empty: the component serves
  std::vector<zmtp::figure_record> records;  // those of a group together
};

}  // namespace zinc::http
