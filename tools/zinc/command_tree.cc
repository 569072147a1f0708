#include "tools/zinc/command_tree.h"

#include <algorithm>

namespace zinc {

namespace {

std::vector<const CLI::App*> parts_of(const CLI::App& app, bool groups) {
  return app.get_subcommands(
      [groups](const CLI::App* one) { return one->get_name().empty() == groups; });
}

}  // namespace

bool takes_value(const CLI::Option& option) { return option.get_expected_max() != 0; }

option_form form_of(const CLI::Option& option) {
  option_form form;
  for (const auto& one : option.get_snames()) {
    form.names.push_back('-' + one);
  }
  for (const auto& one : option.get_lnames()) {
    form.names.push_back("--" + one);
  }
  if (form.names.empty()) {
    form.names.push_back(option.get_name(true, false));
  }
  if (!option.get_positional() && takes_value(option)) {
    form.value = option.get_type_name();
  }
  form.text = option.get_description();
  if (option.get_required() && !option.get_positional()) {
    form.text += " (required)";
  }
  if (const auto usual = option.get_default_str(); !usual.empty()) {
    // CLI11 puts the values of lists into brackets.
    form.text += usual.starts_with('[') ? ' ' + usual : " [" + usual + ']';
  }
  return form;
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) { return parts_of(app, false); }
std::vector<const CLI::App*> groups_of(const CLI::App& app) { return parts_of(app, true); }

std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  std::vector<const CLI::Option*> all;
  const auto add = [&all](const CLI::App& from) {
    for (const auto* const one : from.get_options({})) {
      if (!one->get_positional() && one != from.get_help_ptr()) {
        all.push_back(one);
      }
    }
  };
  add(app);
  for (const auto* const group : groups_of(app)) {
    add(*group);
  }
  all.push_back(app.get_help_ptr());
  return all;
}

const CLI::App* find_command(const CLI::App& app, std::span<const std::string> words) {
  const auto* at = &app;
  for (const auto& word : words) {
    const auto below = subcommands_of(*at);
    const auto found = std::ranges::find_if(
        below, [&word](const CLI::App* one) { return one->get_name() == word; });
    if (found == below.end()) {
      return nullptr;
    }
    at = *found;
  }
  return at;
}

std::string full_name(const CLI::App& app) {
  const auto* const parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + ' ' + app.get_name();
}

std::string summary_of(const CLI::App& app) {
  const auto text = app.get_description();
  return text.substr(0, text.find('\n'));
}

}  // namespace zinc
