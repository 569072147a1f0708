#pragma once
// Reads the command line of zinc chp.

#include "tools/zinc/chp_commands.h"
#include "tools/zinc/log_flags.h"

#include <CLI/CLI.hpp>

#include <utility>
#include <vector>

namespace zinc {

class chp_command_line {
public:
  // This object must live until the command line has been parsed.
  void add_to(CLI::App& app, log_arguments& log);
  // Returns whether the command line was one of zinc chp.
  [[nodiscard]] bool parsed() const { return app_->parsed(); }
  // Returns the subcommand that serves, which may have been parsed.
  [[nodiscard]] const CLI::App& server_app() const { return *server_app_; }
  // Reads the files that the options name, and checks the options together. Throws CLI::ValidationError.
  void complete();
  [[nodiscard]] const chp_client_arguments& client() const { return client_; }
  [[nodiscard]] chp_server_arguments& server() { return server_; }

private:
  void add_client(CLI::App& to, chp_client_arguments::action what);
  void add_server(CLI::App& to);
  // Adds the options that only a pair has.
  CLI::App* add_pair(CLI::App& to);

  CLI::App* app_ = nullptr;
  CLI::App* server_app_ = nullptr;
  chp_client_arguments client_;
  chp_server_arguments server_;
};

}  // namespace zinc
