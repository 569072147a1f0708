#include "tools/zinc/interop/output_lines.h"

#include <algorithm>
#include <regex>

namespace zinc::interop {

namespace {

std::regex compiled(const expected_line& line) {
  return std::regex{line.pattern, std::regex::ECMAScript | std::regex::icase};
}

std::string without_colours(const std::string& line) {
  static const std::regex colour{"\x1b\\[[0-9;]*[A-Za-z]"};
  return std::regex_replace(line, colour, "");
}

}  // namespace

void output_lines::add(std::string_view bytes) {
  for (const char byte : bytes) {
    if (byte == '\n') {
      end();
    } else if (byte != '\r') {
      unended_ += byte;
    }
  }
}

void output_lines::end() {
  if (!unended_.empty()) {
    lines_.push_back(without_colours(unended_));
    unended_.clear();
  }
}

bool output_lines::take(const expected_line& line) {
  const auto found = find(line, next_);
  next_ = found ? *found + 1 : next_;
  return found.has_value();
}

bool output_lines::has(const expected_line& line) const { return find(line, next_).has_value(); }

bool output_lines::last_is(const expected_line& line) const {
  return !lines_.empty() && find(line, lines_.size() - 1).has_value();
}

std::vector<long> output_lines::numbers(const expected_line& line) const {
  const auto pattern = compiled(line);
  std::vector<long> found;
  for (const auto& one : lines_) {
    std::smatch match;
    if (std::regex_search(one, match, pattern) && match.size() > 1) {
      found.push_back(std::stol(match[1].str()));
    }
  }
  return found;
}

std::string_view output_lines::last() const {
  return lines_.empty() ? std::string_view{} : lines_.back();
}

std::optional<std::size_t> output_lines::find(const expected_line& line, std::size_t from) const {
  const auto pattern = compiled(line);
  const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found = std::find_if(begin, lines_.end(), [&pattern](const std::string& one) {
    return std::regex_search(one, pattern);
  });
  return found == lines_.end() ? std::nullopt
                               : std::optional{static_cast<std::size_t>(found - lines_.begin())};
}

bool count_up(const std::vector<long>& numbers) {
  const auto gap = std::adjacent_find(numbers.begin(), numbers.end(),
                                      [](long one, long next) { return next != one + 1; });
  return !numbers.empty() && gap == numbers.end();
}

}  // namespace zinc::interop
