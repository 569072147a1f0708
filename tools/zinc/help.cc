#include "tools/zinc/help.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>

namespace zinc {

namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t first_column = 28;  // at which the texts of options begin

// Appends `text`, broken at blanks, to a last line that is `column` wide. Further lines begin at `indent`.
void append_wrapped(std::string& to, std::string_view text, std::size_t column,
                    std::size_t indent) {
  bool first = true;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!first && column + 1 + word.size() > line_width) {
      to.append("\n").append(indent, ' ');
      column = indent;
    } else if (!first) {
      to += ' ';
      ++column;
    }
    to += word;
    column += word.size();
    first = false;
  }
}

std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& one : option.get_snames()) {
    names.push_back('-' + one);
  }
  for (const auto& one : option.get_lnames()) {
    names.push_back("--" + one);
  }
  return names.empty() ? option.get_name(true, false) : fmt::format("{}", fmt::join(names, ", "));
}

std::string with_type(const CLI::Option& option) {
  auto text = names_of(option);
  if (!option.get_positional() && option.get_type_size() != 0) {
    text += ' ' + option.get_type_name();
  }
  return text;
}

void append_row(std::string& to, const std::string& left, const std::string& text) {
  to.append("  ").append(left);
  auto column = left.size() + 2;
  if (column + 2 > first_column) {
    to += '\n';
    column = 0;
  }
  to.append(first_column - column, ' ');
  append_wrapped(to, text, first_column, first_column);
  to += '\n';
}

void append_option(std::string& to, const CLI::Option& option) {
  auto text = option.get_description();
  if (option.get_required() && !option.get_positional()) {
    text += " (required)";
  }
  if (const auto usual = option.get_default_str(); !usual.empty()) {
    // CLI11 puts the values of lists into brackets.
    text += usual.starts_with('[') ? ' ' + usual : " [" + usual + ']';
  }
  append_row(to, with_type(option), text);
}

void append_options(std::string& to, const CLI::App& app) {
  for (const bool positional : {true, false}) {
    for (const auto* const one : app.get_options({})) {
      if (one->get_positional() == positional && one != app.get_help_ptr()) {
        append_option(to, *one);
      }
    }
  }
}

// Groups of options are subcommands without a name.
std::vector<const CLI::App*> parts_of(const CLI::App& app, bool groups) {
  return app.get_subcommands(
      [groups](const CLI::App* one) { return one->get_name().empty() == groups; });
}

std::string usage(const CLI::App& app, const std::string& name) {
  auto text = "Usage: " + name + " [OPTIONS]";
  for (const auto* const group : parts_of(app, true)) {
    std::vector<std::string> names;
    for (const auto* const one : group->get_options({})) {
      if (one != group->get_help_ptr()) {
        names.push_back(names_of(*one));
      }
    }
    if (group->get_require_option_min() != 0) {
      text += fmt::format(" {}", fmt::join(names, "|"));
    }
  }
  for (const bool positional : {false, true}) {
    for (const auto* const one : app.get_options({})) {
      if (one->get_positional() != positional || (!positional && !one->get_required())) {
        continue;
      }
      auto word = with_type(*one);
      if (positional && one->get_expected_max() > 1) {
        word += "...";
      }
      text += one->get_required() ? ' ' + word : " [" + word + ']';
    }
  }
  if (!parts_of(app, false).empty()) {
    text += app.get_require_subcommand_min() == 0 ? " [SUBCOMMAND]" : " SUBCOMMAND";
  }
  return text + '\n';
}

std::string summary_of(const CLI::App& app) {
  const auto text = app.get_description();
  return text.substr(0, text.find('\n'));
}

class help_style : public CLI::FormatterBase {
public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::string text;
    const auto description = app->get_description();
    std::string_view rest = description;
    while (!rest.empty()) {
      const auto paragraph = rest.substr(0, rest.find('\n'));
      append_wrapped(text, paragraph, 0, 0);
      text += '\n';
      rest.remove_prefix(std::min(paragraph.size() + 1, rest.size()));
    }
    text += '\n' + usage(*app, name);
    append_options(text, *app);
    append_option(text, *app->get_help_ptr());
    for (const auto* const group : parts_of(*app, true)) {
      text += '\n' + group->get_description() + ":\n";
      append_options(text, *group);
    }
    if (const auto commands = parts_of(*app, false); !commands.empty()) {
      text += "\nSUBCOMMANDS\n";
      for (const auto* const one : commands) {
        append_row(text, one->get_name(), summary_of(*one));
      }
    }
    return text + '\n' + app->get_footer();
  }
};

std::string footer_of(const command_help& help) {
  std::string text = "EXAMPLES\n";
  for (const auto& one : help.examples) {
    text += "  " + one + '\n';
  }
  const auto line = [&help](const char* gap) {
    return fmt::format("  0 {1}{0}1 {2}{0}2 invalid arguments\n", gap, help.done, help.failed);
  };
  const auto one_line = line("   ");
  return text + "EXIT CODES\n" + (one_line.size() <= line_width ? one_line : line("\n  "));
}

std::string description_of(const command_help& help) {
  return help.summary + (help.details.empty() ? "" : '\n' + help.details);
}

const CLI::App& last_parsed(const CLI::App& app) {
  const auto* at = &app;
  for (auto parsed = at->get_subcommands(); !parsed.empty(); parsed = at->get_subcommands()) {
    at = parsed.back();
  }
  return *at;
}

std::string unexpected_word(const CLI::App& app, const std::string& name) {
  const auto words = app.remaining(true);
  if (!words.empty() && words.front().starts_with('-')) {
    return fmt::format("{}: unknown option '{}'", name, words.front());
  }
  std::vector<std::string> known;
  for (const auto* const one : parts_of(last_parsed(app), false)) {
    known.push_back(one->get_name());
  }
  if (known.empty()) {
    return fmt::format("{}: unexpected argument '{}'", name, words.empty() ? "" : words.front());
  }
  const auto cause = words.empty() ? std::string{"a subcommand is required"}
                                   : fmt::format("unknown subcommand '{}'", words.front());
  return fmt::format("{}: {}; give one of {}", name, cause, fmt::join(known, ", "));
}

}  // namespace

void set_help_style(CLI::App& app) {
  app.set_help_flag("-h,--help", "print this text and exit");
  app.formatter(std::make_shared<help_style>());
}

void set_help(CLI::App& app, const command_help& help) {
  app.description(description_of(help));
  app.footer(footer_of(help));
}

CLI::App* add_command(CLI::App& to, const std::string& name, const command_help& help) {
  auto* const added = to.add_subcommand(name);
  set_help(*added, help);
  return added;
}

std::string name_of_command(const CLI::App& app) {
  const auto* at = &app;
  auto name = at->get_name();
  for (auto parsed = at->get_subcommands(); !parsed.empty(); parsed = at->get_subcommands()) {
    at = parsed.back();
    name += ' ' + at->get_name();
  }
  return name;
}

std::string text_of(const CLI::ParseError& error, const CLI::App& app) {
  const auto name = name_of_command(app);
  std::string cause = error.what();
  // Other options that are required have other texts.
  if (error.get_name() == "ExtrasError" || cause == "A subcommand is required") {
    cause = unexpected_word(app, name);
  } else {
    if (cause.size() > 1 && std::islower(static_cast<unsigned char>(cause[1])) != 0) {
      cause[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(cause[0])));
    }
    cause = fmt::format("{}: {}", name, cause);
  }
  return fmt::format("{}; {} --help lists the options", cause, name);
}

}  // namespace zinc
