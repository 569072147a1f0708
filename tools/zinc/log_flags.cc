#include "tools/zinc/log_flags.h"

#include "tools/zinc/json_of.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/terminal_text.h"

#include <boost/json/object.hpp>
#include <fmt/chrono.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace zinc {

namespace {

// Set before any other thread runs.
log_arguments& chosen() {
  static log_arguments arguments;
  return arguments;
}

std::string_view view(spdlog::string_view_t of) { return {of.data(), of.size()}; }

// One JSON object on each line.
class json_formatter : public spdlog::formatter {
public:
  void format(const spdlog::details::log_msg& of, spdlog::memory_buf_t& to) override {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(of.time);
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(of.time - seconds);
    const auto utc = fmt::gmtime(std::chrono::system_clock::to_time_t(seconds));
    const auto time = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", utc, milliseconds.count());
    const boost::json::object line{
        {"time", time},
        {"level", json_of(view(spdlog::level::to_string_view(of.level)))},
        {"component", json_of(view(of.logger_name))},
        {"message", json_of(view(of.payload))}};
    const auto text = ascii_json(line) + '\n';
    to.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<json_formatter>();
  }
};

}  // namespace

void add_log(CLI::App& app, log_arguments& to) {
  using spdlog::color_mode;
  namespace level = spdlog::level;
  auto* const group = app.add_option_group("log", "Log");
  add_choice<level::level_enum>(
      *group, "--log-level", to.level,
      {{"info", level::info}, {"warning", level::warn}, {"error", level::err}, {"off", level::off}},
      "least level of the lines of the log");
  add_choice<log_format>(*group, "--log-format", to.format,
                         {{"text", log_format::text}, {"json", log_format::json}},
                         "form of a line of the log");
  add_choice<color_mode>(*group, "--color", to.color,
                         {{"auto", color_mode::automatic},
                          {"always", color_mode::always},
                          {"never", color_mode::never}},
                         "colors; auto: on a terminal, unless NO_COLOR is set");
}

void configure_log(const log_arguments& arguments) {
  auto& to = chosen();
  to = arguments;
  // https://no-color.org
  const auto* const no_color = std::getenv("NO_COLOR");
  if (to.color == spdlog::color_mode::automatic && no_color != nullptr && *no_color != '\0') {
    to.color = spdlog::color_mode::never;
  }
}

void start_log(const std::string& name) {
  const auto& how = chosen();
  auto logger = spdlog::stderr_color_mt(name, how.color);
  logger->set_level(how.level);
  if (how.format == log_format::json) {
    logger->set_formatter(std::make_unique<json_formatter>());
  }
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace zinc
