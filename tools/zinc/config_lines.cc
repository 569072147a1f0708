#include "tools/zinc/config_lines.h"

#include "tools/zinc/printable.h"

#include <fmt/core.h>

#include <algorithm>

namespace zinc {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // editors for Windows write it
constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

bool is_control(char byte) { return (byte >= 0 && byte < ' ' && byte != '\t') || byte == '\x7f'; }

// Returns whether the value has quotes around it, as in files of other programs. A command may begin and end with
// quotes of two words.
bool is_quoted(std::string_view value) {
  const auto quote = value.front();
  return value.size() > 1 && (quote == '"' || quote == '\'') &&
         value.find(quote, 1) == value.size() - 1;
}

bool is_of_a_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

void read_line(std::string_view line, std::size_t number, config_lines& to) {
  const auto fail = [&](std::string_view name, std::string reason) {
    to.faults.push_back({number, std::string{name}, std::move(reason)});
  };
  if (line.size() > most_config_line) {
    fail({}, fmt::format("the line has {} bytes; give at most {}", line.size(), most_config_line));
    return;
  }
  const auto text = trimmed(line);
  if (text.empty() || text.front() == '#') {
    return;
  }
  if (const auto bad = std::ranges::find_if(text, is_control); bad != text.end()) {
    fail({}, fmt::format("the line has the control character {}; remove it",
                         printable({bad, bad + 1})));
    return;
  }
  const auto equals = text.find('=');
  const auto name = trimmed(text.substr(0, equals));
  const bool is_name = !name.empty() && std::ranges::all_of(name, is_of_a_name);
  if (equals == std::string_view::npos || !is_name) {
    constexpr std::size_t shown = 40;
    fail(is_name ? name : std::string_view{},
         fmt::format("'{}' is not a setting; write NAME = VALUE, such as heartbeat = 2.5s",
                     printable(text.substr(0, std::min(text.find_first_of(blanks), shown)))));
    return;
  }
  const auto value = trimmed(text.substr(equals + 1));
  if (value.empty()) {
    fail(name, "has no value; write one, or remove the line");
    return;
  }
  if (is_quoted(value)) {
    fail(name,
         fmt::format("the quotes {0} and {0} belong to the value; remove them", value.front()));
    return;
  }
  to.lines.push_back({number, std::string{name}, std::string{value}});
}

}  // namespace

config_lines parse_config(std::string_view text) {
  config_lines all;
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    read_line(line, number, all);
  }
  return all;
}

}  // namespace zinc
