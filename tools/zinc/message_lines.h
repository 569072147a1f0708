#pragma once
// Messages as people write and read them: a line each.

#include "zmtp/message.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace zinc {

enum class line_form {
  lines,  // text as it is
  json,   // ["text", {"hex": "00ff"}], a part each
  hex,    // 74657874 - 00ff, a part each; - is one without octets
  raw,    // the octets as they are, nothing between them; to write only
};

struct line_style {
  line_form form = line_form::lines;
  // Of lines: between parts. Empty: a line that is read is one part, and parts are written with a blank
  // between them.
  std::string separator{};
  // Of lines: the first part is a routing id, which is read as it is written: as text up to the separator
  // or the first blank, or {"hex": "..."}.
  bool routed = false;
};

// With the end of the line. In lines what is no text, or more than one line, is {"hex": "..."}.
[[nodiscard]] std::string line_of(const zmtp::message& m, const line_style& style);

// Says what is wrong with the line, and what it should be.
class unreadable_line : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// `line` without its end. Throws unreadable_line.
[[nodiscard]] zmtp::message message_of(std::string_view line, const line_style& style);

}  // namespace zinc
