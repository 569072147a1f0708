#pragma once
// The arguments of zinc passwd, and its entry point.

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

struct passwd_arguments {
  std::string file;
  std::string user;
  bool remove = false;
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_passwd(CLI::App& app, passwd_arguments& to);
// Returns an exit code of commands.h.
[[nodiscard]] int run_passwd(const passwd_arguments& arguments);

}  // namespace zinc
