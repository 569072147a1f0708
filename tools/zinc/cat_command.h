#pragma once
// The arguments of zinc cat, and its entry point.

#include "tools/zinc/message_lines.h"
#include "tools/zinc/security_flags.h"
#include "zmtp/options.h"
#include "zmtp/socket_type.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

struct cat_arguments {
  zmtp::socket_type type = zmtp::socket_type::pull;
  std::vector<std::string> endpoints;
  bool bind = false;
  std::vector<std::string> files;  // one message each, instead of the lines of standard input
  std::string separator;           // see line_style
  line_form input = line_form::lines;
  line_form format = line_form::lines;
  std::optional<std::size_t> count;
  std::chrono::milliseconds interval{0};  // between sent messages
  std::optional<std::chrono::milliseconds> timeout;
  std::vector<std::string> subscriptions;
  std::string routing_id;
  std::optional<std::string> reply;  // a REP sends it to every request
  bool echo = false;                 // a REP replies with the request
  bool at_once = false;              // a PUB or XPUB does not wait for a subscription
  security_arguments security;
  zmtp::socket_options socket;  // with this security
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_cat(CLI::App& app, cat_arguments& to);
// Reads the files that the options name. Throws CLI::ValidationError.
void complete(cat_arguments& arguments);
// Returns an exit code of commands.h.
[[nodiscard]] int run_cat(const cat_arguments& arguments);

}  // namespace zinc
