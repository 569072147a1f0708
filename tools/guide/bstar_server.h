#pragma once
// What bstarsrv and bstarsrv2 share: a node of a Binary Star pair that echoes while it is active.

#include <string>

namespace guide {

struct bstar_manner {
  std::string usage;           // the name in it
  std::string ready;           // "ready" or "ready as"
  bool log = false;            // with date and time
  bool serve_at_once = false;  // see bstar::pair_options::primary_serves_at_once
};

// The program. Returns the exit code.
[[nodiscard]] int run_bstar_server(const bstar_manner& manner, int argc, char** argv);

}  // namespace guide
