#pragma once
// The arguments of zinc top, and its entry point.

#include "tools/zinc/status/command.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace zinc::status {

struct top_arguments {
  arguments from;  // `about` is the table
  std::chrono::milliseconds interval{1'000};
  std::optional<std::size_t> count;  // screens, then it stops
  std::string sort;
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_top(CLI::App& app, top_arguments& to);
// Returns the key of the column that the option names, by its key or by its title.
[[nodiscard]] std::string sort_key_of(std::string option);
// Returns an exit code.
[[nodiscard]] int run_top(const top_arguments& arguments);

}  // namespace zinc::status
