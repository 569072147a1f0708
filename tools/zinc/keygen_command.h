#pragma once
// The arguments of zinc keygen, and its entry point.

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

struct keygen_arguments {
  std::string file;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_keygen(CLI::App& app, keygen_arguments& to);
// Returns an exit code of commands.h.
[[nodiscard]] int run_keygen(const keygen_arguments& arguments);

}  // namespace zinc
