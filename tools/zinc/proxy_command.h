#pragma once
// The arguments of zinc proxy, and its entry point.

#include "tools/zinc/config_file.h"
#include "tools/zinc/http/address.h"
#include "tools/zinc/security_flags.h"
#include "zmtp/options.h"
#include "zmtp/socket_type.h"

#include <functional>
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
  // The backend, an XPUB, sends the last value of each topic to new subscribers.
  std::optional<zmtp::last_value_limits> last_values;
  security_arguments security;
  std::optional<http::address> http{};  // address of the figures and the page
  secured_sockets sockets;              // with this security
  config_source config{};
  std::function<proxy_arguments()> read_again{};  // see config_reload.h; throws config_fault
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_proxy(CLI::App& app, proxy_arguments& to);
// Reads the files that the options name, and checks the options together. Throws CLI::ValidationError.
void complete(proxy_arguments& arguments);
// Returns an exit code of commands.h.
[[nodiscard]] int run_proxy(const proxy_arguments& arguments);

}  // namespace zinc
