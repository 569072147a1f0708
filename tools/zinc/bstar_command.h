#pragma once
// The arguments of zinc bstar, and its entry point.

#include "bstar/node.h"
#include "tools/zinc/config_file.h"
#include "tools/zinc/http/address.h"
#include "tools/zinc/security_flags.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

struct bstar_arguments {
  bstar::node_options options;
  std::string bind;
  std::string connect;
  std::string voter;  // empty: the expiry alone decides
  std::vector<std::string> command;
  std::chrono::milliseconds grace{5'000};  // between SIGTERM and SIGKILL
  security_arguments security;
  std::optional<http::address> http{};  // address of the figures and the page
  config_source config{};
  std::function<bstar_arguments()> read_again{};  // see config_reload.h; throws config_fault
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_bstar(CLI::App& app, bstar_arguments& to);
// Reads the files that the options name, and checks the options together. Throws CLI::ValidationError.
void complete(bstar_arguments& arguments);
// Returns an exit code of commands.h.
[[nodiscard]] int run_bstar(const bstar_arguments& arguments);

}  // namespace zinc
