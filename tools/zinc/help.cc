#include "tools/zinc/help.h"

#include "tools/zinc/command_tree.h"
#include "tools/zinc/exit_code.h"
#include "tools/zinc/suggestion.h"

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

std::string with_value(const option_form& form) {
  const auto text = fmt::format("{}", fmt::join(form.names, ", "));
  return form.value.empty() ? text : text + ' ' + form.value;
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
  const auto form = form_of(option);
  append_row(to, with_value(form), form.text);
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

class help_style : public CLI::FormatterBase {
public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string text;
    const auto description = app->get_description();
    std::string_view rest = description;
    while (!rest.empty()) {
      const auto paragraph = rest.substr(0, rest.find('\n'));
      append_wrapped(text, paragraph, 0, 0);
      text += '\n';
      rest.remove_prefix(std::min(paragraph.size() + 1, rest.size()));
    }
    text += "\nUsage: " + usage_of(*app) + '\n';
    append_options(text, *app);
    append_option(text, *app->get_help_ptr());
    for (const auto* const group : groups_of(*app)) {
      text += '\n' + group->get_description() + ":\n";
      append_options(text, *group);
    }
    if (const auto commands = subcommands_of(*app); !commands.empty()) {
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
    auto codes =
        fmt::format("  0 {1}{0}1 {2}{0}2 invalid arguments\n", gap, help.done, help.failed);
    for (const auto& [code, meaning] :
         {std::pair{exit_code::was_refused, &help.was_refused},
          std::pair{exit_code::no_answer, &help.no_answer},
          std::pair{exit_code::outcome_unknown, &help.outcome_unknown}}) {
      if (!meaning->empty()) {
        codes += fmt::format("  {} {}\n", static_cast<int>(code), *meaning);
      }
    }
    return codes;
  };
  const auto one_line = line("   ");
  return text + "EXIT CODES\n" +
         (one_line.find('\n') <= line_width && one_line.ends_with("2 invalid arguments\n")
              ? one_line
              : line("\n  "));
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

// "; did you mean 'broker'?", or else what may stand there.
std::string hint(const std::string& word, const std::vector<std::string>& known,
                 const std::string& otherwise) {
  const auto meant = nearest(word, known);
  return meant ? fmt::format("; did you mean '{}'?", *meant) : otherwise;
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const auto* const one : flags_of(app)) {
    for (const auto& name : form_of(*one).names) {
      known.push_back(name);
    }
  }
  const auto name = word.substr(0, word.find('='));
  return fmt::format("unknown option '{}'{}", word, hint(name, known, ""));
}

std::string unknown_subcommand(const CLI::App& app, const std::string& word,
                               const std::vector<std::string>& others = {}) {
  std::vector<std::string> known;
  for (const auto* const one : subcommands_of(app)) {
    known.push_back(one->get_name());
  }
  known.insert(known.end(), others.begin(), others.end());
  if (known.empty()) {
    return fmt::format("unexpected argument '{}'", word);
  }
  const auto all = fmt::format("; give one of {}", fmt::join(known, ", "));
  return word.empty() ? "a subcommand is required" + all
                      : fmt::format("unknown subcommand '{}'{}", word, hint(word, known, all));
}

// `app`: the command that was parsed last.
std::string unexpected_word(const CLI::App& app, const std::vector<std::string>& words) {
  const auto word = words.empty() ? std::string{} : words.front();
  return word.starts_with('-') ? unknown_option(app, word) : unknown_subcommand(app, word);
}

}  // namespace

std::string usage_of(const CLI::App& app) {
  auto text = full_name(app) + " [OPTIONS]";
  for (const auto* const group : groups_of(app)) {
    std::vector<std::string> names;
    for (const auto* const one : group->get_options({})) {
      if (one != group->get_help_ptr()) {
        names.push_back(fmt::format("{}", fmt::join(form_of(*one).names, ", ")));
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
      auto word = with_value(form_of(*one));
      if (positional && one->get_expected_max() > 1) {
        word += "...";
      }
      text += one->get_required() ? ' ' + word : " [" + word + ']';
    }
  }
  if (!subcommands_of(app).empty()) {
    text += app.get_require_subcommand_min() == 0 ? " [SUBCOMMAND]" : " SUBCOMMAND";
  }
  return text;
}

std::string help_of(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, "", CLI::AppFormatMode::Normal);
}

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

const CLI::App& command_named(const CLI::App& app, const std::vector<std::string>& words,
                              const std::vector<std::string>& others) {
  const auto* at = &app;
  for (const auto& word : words) {
    const auto* const below = find_command(*at, {&word, 1});
    if (below == nullptr) {
      throw CLI::ValidationError{
          unknown_subcommand(*at, word, at == &app ? others : std::vector<std::string>{})};
    }
    at = below;
  }
  return *at;
}

std::string text_of(const CLI::ParseError& error, const CLI::App& app,
                    const std::vector<const config_source*>& files) {
  const auto& command = last_parsed(app);
  const auto name = full_name(command);
  std::string cause = error.what();
  // Other options that are required have other texts.
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
      cause == "A subcommand is required") {
    cause = unexpected_word(command, app.remaining(true));
  } else if (cause.size() > 1 && std::islower(static_cast<unsigned char>(cause[1])) != 0) {
    cause[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(cause[0])));
  }
  for (const auto* const one : files) {
    cause = with_place(cause, *one);
  }
  return fmt::format("{}: {}; {} --help lists the options", name, cause, name);
}

}  // namespace zinc
