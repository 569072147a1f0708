#pragma once
// A check of the directory of a file that a subcommand may create.

#include <filesystem>
#include <string>
#include <system_error>

namespace zinc {

// Returns the error if the directory of `file` does not exist.
[[nodiscard]] inline std::string fault_of_place(const std::string& file) {
  const auto folder = std::filesystem::path{file}.parent_path();
  std::error_code ec;
  if (folder.empty() || std::filesystem::is_directory(folder, ec)) {
    return {};
  }
  return "cannot open " + file + ": there is no folder " + folder.string() + "; create it first";
}

}  // namespace zinc
