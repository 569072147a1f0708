#pragma once
// The texts of --help and of errors in a command line.

#include "tools/zinc/config_file.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace zinc {

struct command_help {
  std::string summary;  // one sentence, which the list of subcommands shows too
  std::string details{};
  std::vector<std::string> examples;  // command lines
  std::string done;                   // the meaning of exit code 0
  std::string failed;                 // the meaning of exit code 1
  // The meanings of exit codes 3, 4 and 5; empty: the command does not exit with it
  std::string was_refused{};
  std::string no_answer{};
  std::string outcome_unknown{};
};

// Makes `app` print its help in the form of zinc. Subcommands that are added later do so too.
void set_help_style(CLI::App& app);
// Sets the description, the examples and the exit codes of `app`.
void set_help(CLI::App& app, const command_help& help);
CLI::App* add_command(CLI::App& to, const std::string& name, const command_help& help);

// Returns what --help prints. CLI::App::help() would print the help of a subcommand that was parsed.
[[nodiscard]] std::string help_of(const CLI::App& app);

// Returns the form of the command line: `zinc chp get [OPTIONS] KEY`.
[[nodiscard]] std::string usage_of(const CLI::App& app);

// Returns the command that `words` name from `app` on. Throws CLI::ValidationError if there is none,
// with the word that may be meant. `others`: further words that may be first.
[[nodiscard]] const CLI::App& command_named(const CLI::App& app,
                                            const std::vector<std::string>& words,
                                            const std::vector<std::string>& others = {});
// Returns the line for a command line that is not valid: what is wrong, where if it is in one of these files, and how
// to see the options.
[[nodiscard]] std::string text_of(const CLI::ParseError& error, const CLI::App& app,
                                  const std::vector<const config_source*>& files);

}  // namespace zinc
