#include "tools/zinc/config_file.h"

#include "tools/zinc/command_tree.h"
#include "tools/zinc/config_lines.h"
#include "tools/zinc/file_place.h"
#include "tools/zinc/security_files.h"
#include "tools/zinc/suggestion.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace zinc {

namespace fs = std::filesystem;

namespace {

constexpr auto config_option = "--config";
constexpr auto check_option = "--check-config";

// The options that a file may set, by name.
std::map<std::string, CLI::Option*> settable_options(CLI::App& app) {
  std::map<std::string, CLI::Option*> all;
  const auto add = [&all](CLI::App& from) {
    for (auto* const one : from.get_options({})) {
      if (!one->get_lnames().empty() && one != from.get_help_ptr() &&
          one->get_name() != config_option && one->get_name() != check_option) {
        all.emplace(one->get_lnames().front(), one);
      }
    }
  };
  add(app);
  for (auto* const group :
       app.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); })) {
    add(*group);
  }
  return all;
}

// Returns whether the command line takes this option several times.
bool repeatable(const CLI::Option& option) { return option.get_expected_max() > 1; }
// Returns whether the command line takes several words behind this option.
bool takes_words(const CLI::Option& option) {
  return repeatable(option) && (option.get_allow_extra_args() ||
                                option.get_expected_max() < CLI::detail::expected_max_vector_size);
}

// Returns the words that the command line would have behind the option. Throws CLI::ValidationError.
std::vector<std::string> words_of(const CLI::Option& option, const config_line& line) {
  if (!takes_value(option)) {
    if (line.value != "true" && line.value != "false") {
      refuse(line.name, fmt::format("'{}' is not valid; give true or false", line.value));
    }
    return line.value == "true" ? std::vector<std::string>{"true"} : std::vector<std::string>{};
  }
  if (!takes_words(option)) {
    return {line.value};
  }
  std::istringstream text{line.value};
  std::vector<std::string> words;
  for (std::string word; text >> word;) {
    words.push_back(word);
  }
  return words;
}

// Applies the words as if the command line had nothing else for this option. Throws CLI::ParseError.
void try_words(CLI::Option& option, const std::vector<std::string>& words) {
  const auto own = option.results();
  option.clear();
  const auto restore = [&] {
    option.clear();
    option.add_result(own);
  };
  try {
    option.add_result(words);
    option.run_callback();
  } catch (const CLI::ParseError&) {
    restore();
    throw;
  }
  restore();
}

std::string without_option(std::string_view error, const std::string& name) {
  for (const auto& prefix : {"--" + name + ": ", name + ": "}) {
    if (error.starts_with(prefix)) {
      error.remove_prefix(prefix.size());
    }
  }
  return std::string{error};
}

class file_reader {
public:
  file_reader(CLI::App& app, config_source& to) : options_{settable_options(app)}, to_{to} {
    for (const auto& [name, option] : options_) {
      if (option->count() != 0) {
        overridden_.insert(name);
      }
    }
  }

  // Throws config_fault.
  void read(const std::string& text) {
    auto all = parse_config(text);
    faults_ = std::move(all.faults);
    for (const auto& line : all.lines) {
      try {
        take(line);
      } catch (const CLI::ParseError& e) {
        faults_.push_back({line.number, line.name, without_option(e.what(), line.name)});
      }
    }
    if (!faults_.empty()) {
      throw config_fault{text_of_faults()};
    }
    for (auto& [name, words] : repeated_) {
      options_.at(name)->add_result(words);
    }
    for (const auto& name : overridden_) {
      to_.lines.erase(name);
    }
  }

private:
  void take(const config_line& line) {
    const auto found = options_.find(line.name);
    if (found == options_.end()) {
      refuse(line.name, unknown(line.name));
    }
    auto& option = *found->second;
    auto& numbers = to_.lines[line.name];
    if (!numbers.empty() && !repeatable(option)) {
      refuse(line.name, fmt::format("is in line {} too; remove one of both", numbers.front()));
    }
    numbers.push_back(line.number);
    const auto words = words_of(option, line);
    if (words.empty()) {
      return;
    }
    if (!repeatable(option) && !overridden_.contains(line.name)) {
      // Not a second time, because applying it may warn.
      option.add_result(words);
      option.run_callback();
      return;
    }
    try_words(option, words);
    if (!overridden_.contains(line.name)) {
      auto& all = repeated_[line.name];
      all.insert(all.end(), words.begin(), words.end());
    }
  }

  [[nodiscard]] std::string unknown(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& [each, option] : options_) {
      known.push_back(each);
    }
    const auto meant = nearest(name, known);
    return meant ? fmt::format("unknown name; did you mean '{}'?", *meant)
                 : fmt::format("unknown name; give one of {}", fmt::join(known, ", "));
  }

  [[nodiscard]] std::string text_of_faults() {
    std::ranges::stable_sort(faults_, {}, &config_line_fault::number);
    std::string text;
    for (const auto& one : faults_) {
      text += fmt::format("{}{}:{}: {}{}{}", text.empty() ? "" : "\n", to_.file, one.number,
                          one.name, one.name.empty() ? "" : ": ", one.reason);
    }
    return text;
  }

  std::map<std::string, CLI::Option*> options_;
  config_source& to_;
  std::set<std::string> overridden_;  // by the command line
  option_words repeated_;
  std::vector<config_line_fault> faults_;
};

}  // namespace

void add_config(CLI::App& app, config_source& to) {
  auto* const config = app.add_option_function<std::string>(
      config_option,
      [&app, &to](const std::string& file) {
        to.file = file;
        to.lines.clear();
        file_reader{app, to}.read(text_of_file(config_option, file, most_config_bytes));
      },
      "file of options, one NAME = VALUE in each line; options of the command line override it. "
      "SIGHUP reads it again");
  config->type_name("FILE");
  app.add_flag(check_option, to.check_only,
               "check --config and all other options, print FILE: ok or the errors, and exit");
}

void check_place(const config_source& of, const std::string& option, const std::string& file) {
  if (const auto fault = fault_of_place(file); of.check_only && !fault.empty()) {
    refuse(option, fault);
  }
}

option_words words_of(const CLI::App& app) {
  option_words all;
  for (const auto* const one : flags_of(app)) {
    if (one->count() != 0 && !one->get_lnames().empty()) {
      all[one->get_lnames().front()] = one->results();
    }
  }
  return all;
}

option_changes changes_between(const option_words& before, const option_words& now,
                               const std::set<std::string>& live) {
  std::set<std::string> names;
  for (const auto* const all : {&before, &now}) {
    for (const auto& [name, words] : *all) {
      names.insert(name);
    }
  }
  option_changes changes;
  for (const auto& name : names) {
    const auto old = before.find(name);
    const auto fresh = now.find(name);
    const bool same = old != before.end() && fresh != now.end() && old->second == fresh->second;
    const bool comes_or_goes = old == before.end() || fresh == now.end();
    if (!same) {
      const bool is_live = live.contains(name) && !(name == "rules" && comes_or_goes);
      (is_live ? changes.live : changes.frozen).push_back(name);
    }
  }
  return changes;
}

std::map<std::string, std::size_t> contents_of(const option_words& words) {
  std::map<std::string, std::size_t> all;
  for (const auto* const name : {"authorized-keys", "curve-secret-file", "curve-server-key",
                                 "peer-key", "plain-password-file", "http-operator-file"}) {
    const auto set = words.find(name);
    std::error_code ignored;
    if (set != words.end() && fs::is_regular_file(set->second.back(), ignored)) {
      all.emplace(name, std::hash<std::string>{}(text_of_file(name, set->second.back())));
    }
  }
  return all;
}

std::string with_place(const std::string& error, const config_source& of) {
  if (!error.starts_with("--")) {
    return error;
  }
  const auto name = error.substr(2, error.find_first_of(": ", 2) - 2);
  const auto lines = of.lines.find(name);
  if (lines == of.lines.end()) {
    return error;
  }
  return lines->second.size() == 1 ? fmt::format("{}:{}: {}", of.file, lines->second.front(), error)
                                   : fmt::format("{}: {}", of.file, error);
}

}  // namespace zinc
