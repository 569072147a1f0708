#pragma once
// The arguments of zinc dump, and its entry point.

#include "tools/zinc/dump/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

struct dump_arguments {
  std::string file;                  // a capture, or `-`; or empty:
  std::vector<std::uint16_t> ports;  // ports in the capture; empty: all
  std::string listen;
  std::string connect;
  dump::decoder_options decoder;
  bool json = false;
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_dump(CLI::App& app, dump_arguments& to);
// Returns an exit code of commands.h.
[[nodiscard]] int run_dump(const dump_arguments& arguments);

}  // namespace zinc
