#pragma once
// The output lines of one program, and those that a drill has consumed. Pure.

#include "tools/zinc/interop/drill.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

class output_lines {
public:
  // Adds bytes. A line ends with \n, or with \r\n from a terminal. Removes colours.
  void add(std::string_view bytes);
  // Ends the output. A last line without a newline counts.
  void end();
  // Consumes all lines, because a program of the same name starts again.
  void use_up() { next_ = lines_.size(); }

  // Consumes the lines up to the first match. Without a match, consumes nothing and returns false.
  [[nodiscard]] bool take(const expected_line& line);
  // Returns whether a line that is not consumed matches.
  [[nodiscard]] bool has(const expected_line& line) const;
  // Returns whether the last line matches.
  [[nodiscard]] bool last_is(const expected_line& line) const;
  // Returns the captured numbers of all lines that match.
  [[nodiscard]] std::vector<long> numbers(const expected_line& line) const;
  [[nodiscard]] std::string_view last() const;

private:
  [[nodiscard]] std::optional<std::size_t> find(const expected_line& line, std::size_t from) const;

  std::vector<std::string> lines_;
  std::string unended_;
  std::size_t next_ = 0;  // first line that is not consumed
};

// Returns whether the numbers are n, n + 1, n + 2, …, and at least one.
[[nodiscard]] bool count_up(const std::vector<long>& numbers);

}  // namespace zinc::interop
