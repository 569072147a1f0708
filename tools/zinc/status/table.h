#pragma once
// Tables of text in aligned columns. Pure.

#include <cstddef>
#include <string>
#include <vector>

namespace zinc::status {

struct table {
  struct column {
    std::string title;
    bool right = false;  // the cells end at the same place
  };
  std::vector<column> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column
};

// Returns the lines, first that of the titles, without line breaks. Bytes that a terminal would not print are escaped.
[[nodiscard]] std::vector<std::string> lines_of(const table& of);
// Returns the lines, each with a line break.
[[nodiscard]] std::string text_of(const table& of);

}  // namespace zinc::status
