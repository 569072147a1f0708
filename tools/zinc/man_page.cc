#include "tools/zinc/man_page.h"

#include "tools/zinc/command_tree.h"
#include "tools/zinc/commands.h"
#include "tools/zinc/help.h"
#include "tools/zinc/output.h"
#include "tools/zinc/version.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace zinc {

namespace {

// A text as it stands, in roff: dashes that can be copied, and no line that is taken for a request.
std::string escaped(std::string_view text) {
  std::string to;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) {
      to += "\\&";
    }
    line_begins = c == '\n';
    if (c == '-') {
      to += "\\-";
    } else if (c == '\\') {
      to += "\\e";
    } else {
      to += c;
    }
  }
  return to;
}

// "zinc-chp-get", the name of the page.
std::string page_name(const CLI::App& app) {
  auto name = full_name(app);
  std::ranges::replace(name, ' ', '-');
  return name;
}

void append_option(std::string& to, const CLI::Option& option) {
  const auto form = form_of(option);
  to += ".TP\n";
  for (const auto& name : form.names) {
    to += (name == form.names.front() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  }
  if (!form.value.empty()) {
    to += " \\fI" + escaped(form.value) + "\\fR";
  }
  to += '\n' + escaped(form.text) + '\n';
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

// Examples and exit codes: lines in two sections, each with its heading.
void append_sections(std::string& to, std::string_view footer) {
  while (!footer.empty()) {
    const auto line = footer.substr(0, footer.find('\n'));
    footer.remove_prefix(std::min(line.size() + 1, footer.size()));
    if (line.starts_with(' ')) {
      to += escaped(line.substr(line.find_first_not_of(' '))) + "\n.br\n";
    } else if (!line.empty()) {
      to += fmt::format(".SH \"{}\"\n", escaped(line));
    }
  }
}

void write_pages(const CLI::App& app, const std::filesystem::path& folder) {
  const auto path = folder / (page_name(app) + ".1");
  std::ofstream file{path, std::ios::binary};
  file << man_page(app);
  if (!file.flush()) {
    throw std::system_error{errno, std::generic_category(), "cannot write " + path.string()};
  }
  for (const auto* const one : subcommands_of(app)) {
    write_pages(*one, folder);
  }
}

}  // namespace

std::string man_page(const CLI::App& app) {
  auto upper = page_name(app);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  auto text = fmt::format(".TH {} 1 \"\" \"zinc {}\" \"User Commands\"\n", escaped(upper), version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(page_name(app)), escaped(summary_of(app)));
  text += ".SH SYNOPSIS\n" + escaped(usage_of(app)) + '\n';
  text += ".SH DESCRIPTION\n";
  const auto description = app.get_description();
  std::string_view rest = description;
  while (!rest.empty()) {
    const auto paragraph = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(paragraph.size() + 1, rest.size()));
    text += escaped(paragraph) + "\n.PP\n";
  }
  text += ".SH OPTIONS\n";
  append_options(text, app);
  append_option(text, *app.get_help_ptr());
  for (const auto* const group : groups_of(app)) {
    text += fmt::format(".SS \"{}\"\n", escaped(group->get_description()));
    append_options(text, *group);
  }
  if (const auto below = subcommands_of(app); !below.empty()) {
    text += ".SH SUBCOMMANDS\n";
    for (const auto* const one : below) {
      text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", escaped(page_name(*one)),
                          escaped(summary_of(*one)));
    }
  }
  append_sections(text, app.get_footer());
  if (const auto* const parent = app.get_parent(); parent != nullptr) {
    text += fmt::format(".SH \"SEE ALSO\"\n\\fB{}\\fR(1)\n", escaped(page_name(*parent)));
  }
  return text;
}

void add_man(CLI::App& app, man_arguments& to) {
  set_help(app, {.summary = "Prints the manual page of a subcommand.",
                 .details = "The page has what --help has, as input of man.",
                 .examples = {"zinc man broker | man -l -", "zinc man --write /usr/share/man/man1"},
                 .done = "printed",
                 .failed = "a page cannot be written"});
  app.add_option("SUBCOMMAND", to.command, "words of a subcommand; without them, the page of zinc");
  app.add_option("--write", to.folder, "write the pages of all subcommands to this folder instead")
      ->type_name("DIR");
}

int run_man(const man_arguments& arguments, const CLI::App& all) {
  if (!arguments.folder.empty()) {
    write_pages(all, arguments.folder);
    return exit_code::done;
  }
  write_output(man_page(command_named(all, arguments.command)));
  return exit_code::done;
}

}  // namespace zinc
