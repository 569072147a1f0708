#pragma once
// The text of a configuration file: lines of the form NAME = VALUE. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zinc {

struct config_line {
  std::size_t number;  // from 1
  std::string name;    // "heartbeat", for the option --heartbeat
  std::string value;   // not empty, without blanks at its ends
};

// A line with an error. The name is empty if the line has none.
struct config_line_fault {
  std::size_t number;
  std::string name;
  std::string reason;  // the fault and the remedy, as printable text
};

struct config_lines {
  std::vector<config_line> lines{};
  std::vector<config_line_fault> faults{};
};

// Limits of a file.
inline constexpr std::size_t most_config_bytes = std::size_t{1024} * 1024;
inline constexpr std::size_t most_config_line = 4096;

// Reads all lines. A line ends with LF or CR LF, and the last one need not end. Empty lines, and those whose first
// character is #, have no meaning. A # behind a name is part of the value, because keys of CURVE contain it.
[[nodiscard]] config_lines parse_config(std::string_view text);

}  // namespace zinc
