#pragma once
// The command lines of zinc status, services, workers, clients and top.

#include "tools/zinc/status/command.h"
#include "tools/zinc/status/top_command.h"

#include <list>
#include <utility>

namespace zinc::status {

class commands {
public:
  // `app` must not outlive this object.
  void add_to(CLI::App& app);
  [[nodiscard]] bool parsed() const;
  // Reads the security of the parsed subcommand. Throws CLI::ValidationError.
  void read_security_files();
  // Runs the parsed subcommand and returns its exit code.
  [[nodiscard]] int run() const;

private:
  [[nodiscard]] const std::pair<CLI::App*, arguments>* chosen() const;

  std::list<std::pair<CLI::App*, arguments>> all_;
  CLI::App* top_app_ = nullptr;
  top_arguments top_;
};

}  // namespace zinc::status
