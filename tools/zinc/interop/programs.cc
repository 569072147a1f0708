#include "tools/zinc/interop/programs.h"

#include "tools/zinc/interop/drills.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace zinc::interop {

namespace fs = std::filesystem;

programs::programs(std::string folder, std::string python, origin whose)
    // Drills run in folders of their own.
    : folder_{fs::absolute(folder).string()}, python_{std::move(python)}, whose_{whose} {}

std::optional<std::vector<std::string>> programs::command(std::string_view name) const {
  std::error_code ec;
  const auto file = fs::path{folder_} / name;
  std::vector<std::string> words;
  if (fs::is_regular_file(file, ec) && ::access(file.c_str(), X_OK) == 0) {
    words = {file.string()};
  } else if (fs::is_regular_file(file.string() + ".py", ec)) {
    words = {python_, file.string() + ".py"};
  } else {
    return std::nullopt;
  }
  if (whose_ == origin::ours) {
    for (auto& word : our_arguments(name)) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

bool programs::needs_pyzmq(std::string_view name) const {
  const auto words = command(name);
  if (!words || words->size() < 2 || words->front() != python_) {
    return false;
  }
  std::ifstream text{(*words)[1]};
  for (std::string line; std::getline(text, line);) {
    if (line.find("zmq") != std::string::npos) {
      return true;
    }
  }
  return false;
}

std::string folder_of_ours() {
  std::error_code ec;
  const auto here = fs::read_symlink("/proc/self/exe", ec).parent_path();
  if (!fs::exists(here / "lpclient", ec)) {
    // As Bazel builds them, and as packages install them.
    for (const auto* const folder : {"guide", "libexec/zinc/guide"}) {
      if (const auto guide = here.parent_path() / folder; fs::is_directory(guide, ec)) {
        return guide.string();
      }
    }
  }
  return here.string();
}

}  // namespace zinc::interop
