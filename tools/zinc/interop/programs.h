#pragma once
// Programs of the Guide's names in a folder.

#include "tools/zinc/interop/drill.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

class programs {
public:
  // `python` runs what ends with .py.
  programs(std::string folder, std::string python, origin whose);

  // The words that start it, or nothing where the folder does not hold it: an executable of this name, or a file of
  // this name that ends with .py.
  [[nodiscard]] std::optional<std::vector<std::string>> command(std::string_view name) const;
  // True if Python runs the program, and its text names zmq.
  [[nodiscard]] bool needs_pyzmq(std::string_view name) const;
  [[nodiscard]] bool holds(std::string_view name) const { return command(name).has_value(); }

private:
  std::string folder_;
  std::string python_;
  origin whose_;
};

// Where this project's own are: beside the running program, or in ../guide from there.
[[nodiscard]] std::string folder_of_ours();

}  // namespace zinc::interop
