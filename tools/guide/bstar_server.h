#pragma once
// The code that bstarsrv and bstarsrv2 share: a server of a Binary Star pair that echoes requests while it is active.

#include <string>

namespace guide {

struct bstar_manner {
  std::string usage;           // name of the program in the usage line
  std::string ready;           // "ready" or "ready as"
  bool log = false;            // true: prints date and time in each line
  bool serve_at_once = false;  // see bstar::pair_options::primary_serves_at_once
};

// Runs the program and returns its exit code.
[[nodiscard]] int run_bstar_server(const bstar_manner& manner, int argc, char** argv);

}  // namespace guide
