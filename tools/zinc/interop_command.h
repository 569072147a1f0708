#pragma once
// The arguments of zinc interop, which runs the Guide's programs and Zinc's against each other.

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace zinc {

struct interop_arguments {
  std::string theirs;
  std::string ours;  // empty: the installed or built ones
  std::vector<std::string> pairs;
  std::string python = "python3";
  unsigned jobs = 6;
  bool json = false;
  bool list = false;
  bool control = true;  // with the combinations without a program of Zinc
};

void add_interop(CLI::App& app, interop_arguments& to);

[[nodiscard]] int run_interop(const interop_arguments& arguments);

}  // namespace zinc
