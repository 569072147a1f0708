#include "tools/zinc/status/table.h"

#include "tools/zinc/terminal_text.h"

#include <algorithm>

namespace zinc::status {

namespace {

void append(std::string& line, const std::string& cell, std::size_t width, bool right) {
  const std::string gap(width - cell.size(), ' ');
  line += line.empty() ? "" : "  ";
  line += right ? gap + cell : cell + gap;
}

}  // namespace

std::vector<std::string> lines_of(const table& of) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& each : of.columns) {
    rows.front().push_back(for_terminal(each.title));
  }
  for (const auto& row : of.rows) {
    auto& added = rows.emplace_back();
    for (const auto& cell : row) {
      // An empty cell would move the words of its line to other columns for a script.
      added.push_back(cell.empty() ? "-" : for_terminal(cell));
    }
  }
  std::vector<std::size_t> widths(of.columns.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    auto& line = lines.emplace_back();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      append(line, row[i], widths[i], of.columns[i].right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

std::string text_of(const table& of) {
  std::string text;
  for (const auto& line : lines_of(of)) {
    text += line + '\n';
  }
  return text;
}

}  // namespace zinc::status
