#pragma once
// zinc interop: the Guide's programs of this project and those of others, played against each other.

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace zinc {

struct interop_arguments {
  std::string theirs;
  std::string ours;  // empty: where this project's own are
  std::vector<std::string> pairs;
  std::string python = "python3";
  unsigned jobs = 6;
  bool json = false;
  bool list = false;
  bool control = true;  // play theirs with theirs too
};

void add_interop(CLI::App& app, interop_arguments& to);

[[nodiscard]] int run_interop(const interop_arguments& arguments);

}  // namespace zinc
