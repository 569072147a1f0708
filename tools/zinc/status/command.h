#pragma once
// The arguments of zinc status, services, workers and clients, and their entry points.

#include "mdp/options.h"
#include "tools/zinc/security_flags.h"

#include <cstdint>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc::status {

enum class subject : std::uint8_t { all, services, workers, clients };

struct arguments {
  subject about = subject::all;
  std::string connect = "tcp://localhost:5555";  // or http://HOST:PORT
  mdp::client_options options;                   // `socket` has the security
  bool json = false;
  security_arguments security;
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_status(CLI::App& app, subject about, arguments& to);
// The options that zinc top has too.
void add_source(CLI::App& app, arguments& to);
// Reads the files of the security into `to`. Throws CLI::ValidationError.
void read_security_files(arguments& to);
// Return an exit code.
[[nodiscard]] int run_status(const arguments& arguments);

}  // namespace zinc::status
