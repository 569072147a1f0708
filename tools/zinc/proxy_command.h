#pragma once
// zinc proxy: what it is asked for, and its entry point.

#include "zmtp/options.h"
#include "zmtp/socket_type.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

struct proxy_side {
  zmtp::socket_type type = zmtp::socket_type::pull;
  std::vector<std::string> endpoints;
  bool connect = false;
};

struct proxy_arguments {
  proxy_side frontend;
  proxy_side backend;
  std::optional<proxy_side> capture;
  std::string control;  // endpoint of a REP; empty: none
  // The backend, an XPUB, has the last value of each topic for new subscribers.
  std::optional<zmtp::last_value_limits> last_values;
};

// `app` reads them. `to` outlives it.
void add_proxy(CLI::App& app, proxy_arguments& to);
// An exit code of commands.h.
[[nodiscard]] int run_proxy(const proxy_arguments& arguments);

}  // namespace zinc
