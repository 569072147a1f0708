#pragma once
// The command line of a program of the Guide: what the Guide has fixed are the defaults here.

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace guide {

// The values are the caller's, and must outlive it; what they hold is the default.
class command_line {
public:
  // With what --help says of the program.
  explicit command_line(const std::string& description);

  void endpoint(const std::string& flag, std::string& value, const std::string& text);
  void file(const std::string& flag, std::string& value, const std::string& text);
  // Several; a flag is repeated, a name without dashes is the rest of the command line.
  void endpoints(const std::string& name, std::vector<std::string>& values,
                 const std::string& text);
  void milliseconds(const std::string& flag, std::chrono::milliseconds& value,
                    const std::string& text, long least = 1);
  void number(const std::string& flag, std::size_t& value, const std::string& text,
              std::size_t least = 1);
  void flag(const std::string& name, bool& value, const std::string& text);

  // Nothing: go on. Else the exit code, of --help or of a mistake, which has been said.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

private:
  CLI::App app_;
};

}  // namespace guide
