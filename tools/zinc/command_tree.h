#pragma once
// A command and its subcommands, as the texts of zinc show them.

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

namespace zinc {

// An option or an argument, as the texts show it.
struct option_form {
  std::vector<std::string> names;  // "-h", "--help"; the name alone of an argument
  std::string value;               // "DURATION", or empty if it takes none
  std::string text;                // its help text, with the default
};

[[nodiscard]] bool takes_value(const CLI::Option& option);
[[nodiscard]] option_form form_of(const CLI::Option& option);

// The subcommands of `app`. Groups of options are subcommands without a name.
[[nodiscard]] std::vector<const CLI::App*> subcommands_of(const CLI::App& app);
[[nodiscard]] std::vector<const CLI::App*> groups_of(const CLI::App& app);

// All options with names that begin with a dash, those of groups too, `--help` last.
[[nodiscard]] std::vector<const CLI::Option*> flags_of(const CLI::App& app);

// The command that `words` name from `app` on, as {"chp", "get"}. Returns null if there is none.
[[nodiscard]] const CLI::App* find_command(const CLI::App& app, std::span<const std::string> words);

// The name from the program on: `zinc chp get`.
[[nodiscard]] std::string full_name(const CLI::App& app);
// The first sentence of what it does.
[[nodiscard]] std::string summary_of(const CLI::App& app);

}  // namespace zinc
