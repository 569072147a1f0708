#pragma once
// zinc man: the manual page of a subcommand, from the same description as --help.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace zinc {

// The page of `app` in section 1, as input of man(7).
[[nodiscard]] std::string man_page(const CLI::App& app);

struct man_arguments {
  std::vector<std::string> command;  // the words of a subcommand; none: zinc itself
  std::string folder;                // write the pages of all subcommands here instead; or empty
};

void add_man(CLI::App& app, man_arguments& to);
// `all`: the whole command line of the program. Throws CLI::ParseError if there is no such subcommand.
[[nodiscard]] int run_man(const man_arguments& arguments, const CLI::App& all);

}  // namespace zinc
