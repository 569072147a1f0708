#pragma once
// What one program has said, and which of it a drill has used up. Pure.

#include "tools/zinc/interop/drill.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

class output_lines {
public:
  // Octets as they come; a line ends with \n, or \r\n as a terminal has it. Colours are left out.
  void add(std::string_view octets);
  // The program has ended: what it has left without an end of line is one.
  void end();
  // A program of the same name is started anew: what its predecessor has said is used up.
  void use_up() { next_ = lines_.size(); }

  // Uses up all to the first line that is one; false, and nothing is used up, where none is.
  [[nodiscard]] bool take(const expected_line& line);
  // Whether a line that is not used up is one.
  [[nodiscard]] bool has(const expected_line& line) const;
  // Whether the last line is one, used up or not.
  [[nodiscard]] bool last_is(const expected_line& line) const;
  // Of the lines that are one, the number captured; those from the beginning.
  [[nodiscard]] std::vector<long> numbers(const expected_line& line) const;
  [[nodiscard]] std::string_view last() const;

private:
  [[nodiscard]] std::optional<std::size_t> find(const expected_line& line, std::size_t from) const;

  std::vector<std::string> lines_;
  std::string unended_;
  std::size_t next_ = 0;  // not used up
};

// Whether they are n, n + 1, n + 2, …; of less than one there is nothing to say, which is no.
[[nodiscard]] bool count_up(const std::vector<long>& numbers);

}  // namespace zinc::interop
