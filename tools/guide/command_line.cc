#include "tools/guide/command_line.h"

#include "tools/guide/program.h"

namespace guide {

command_line::command_line(const std::string& description) : app_{description} {}

void command_line::endpoint(const std::string& flag, std::string& value, const std::string& text) {
  app_.add_option(flag, value, text)->type_name("ENDPOINT")->capture_default_str();
}

void command_line::file(const std::string& flag, std::string& value, const std::string& text) {
  app_.add_option(flag, value, text)->type_name("FILE")->capture_default_str();
}

void command_line::endpoints(const std::string& name, std::vector<std::string>& values,
                             const std::string& text) {
  app_.add_option(name, values, text)->type_name("ENDPOINT")->capture_default_str();
}

void command_line::milliseconds(const std::string& flag, std::chrono::milliseconds& value,
                                const std::string& text, long least) {
  app_.add_option_function<long>(
          flag, [&value](const long& ms) { value = std::chrono::milliseconds{ms}; }, text)
      ->check(CLI::Range(least, 86'400'000L))
      ->type_name("MS")
      ->default_str(std::to_string(value.count()));
}

void command_line::number(const std::string& flag, std::size_t& value, const std::string& text,
                          std::size_t least) {
  app_.add_option(flag, value, text)
      ->check(CLI::Range(least, std::size_t{1'000'000'000}))
      ->type_name("N")
      ->capture_default_str();
}

void command_line::flag(const std::string& name, bool& value, const std::string& text) {
  app_.add_flag(name, value, text);
}

std::optional<int> command_line::parse(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app_.exit(e) == 0 ? exit_code::done : exit_code::misused;
  }
  return std::nullopt;
}

}  // namespace guide
