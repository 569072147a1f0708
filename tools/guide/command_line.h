#pragma once
// The command line of a program of the Guide. Its defaults are the fixed values of the Guide's program.

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace guide {

// Options that set variables of the caller. A variable contains the default, and must outlive this object.
class command_line {
public:
  // `description` is the text about the program in --help.
  explicit command_line(const std::string& description);

  void endpoint(const std::string& flag, std::string& value, const std::string& text);
  void file(const std::string& flag, std::string& value, const std::string& text);
  // Adds an option with several values. A flag is repeatable. A name without dashes takes all positional arguments.
  void endpoints(const std::string& name, std::vector<std::string>& values,
                 const std::string& text);
  void milliseconds(const std::string& flag, std::chrono::milliseconds& value,
                    const std::string& text, long least = 1);
  void number(const std::string& flag, std::size_t& value, const std::string& text,
              std::size_t least = 1);
  void flag(const std::string& name, bool& value, const std::string& text);

  // Returns the exit code if the program must exit: after --help, or after an error, which is printed.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

private:
  CLI::App app_;
};

}  // namespace guide
