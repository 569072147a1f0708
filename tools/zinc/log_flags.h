#pragma once
// The log of a subcommand: what it has, in which form. One logger of a process writes to standard error.

#include <spdlog/common.h>

#include <cstdint>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

enum class log_format : std::uint8_t { text, json };

struct log_arguments {
  spdlog::level::level_enum level = spdlog::level::info;
  log_format format = log_format::text;
  spdlog::color_mode color = spdlog::color_mode::automatic;
};

// Adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_log(CLI::App& app, log_arguments& to);

// Sets the form of the loggers that start_log() makes.
void configure_log(const log_arguments& arguments);
// Makes the logger of this process. `name`: the subcommand.
void start_log(const std::string& name);

}  // namespace zinc
