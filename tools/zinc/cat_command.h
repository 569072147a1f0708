#pragma once
// zinc cat: what it is asked for, and its entry point.

#include "tools/zinc/message_lines.h"
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
  std::vector<std::string> files;  // a message each, instead of the lines of standard input
  std::string separator;           // see line_style
  line_form input = line_form::lines;
  line_form format = line_form::lines;
  std::optional<std::size_t> count;
  std::chrono::milliseconds interval{0};  // between messages that are sent
  std::optional<std::chrono::milliseconds> timeout;
  std::vector<std::string> subscriptions;
  std::string routing_id;
  std::optional<std::string> reply;  // of REP, to every request
  bool echo = false;                 // REP replies what it was asked
  bool at_once = false;              // PUB and XPUB: do not wait for the first subscription
};

// `app` reads them. `to` outlives it.
void add_cat(CLI::App& app, cat_arguments& to);
// An exit code of commands.h.
[[nodiscard]] int run_cat(const cat_arguments& arguments);

}  // namespace zinc
