#pragma once
// Messages as lines of text.

#include "zmtp/message.h"

#include <stdexcept>
#include <string>
#include <string_view>

namespace zinc {

enum class line_form {
  lines,  // text as it is
  json,   // ["text", {"hex": "00ff"}], one element per part
  hex,    // 74657874 - 00ff, one word per part; - is an empty part
  raw,    // the bytes alone, without a separator; for output only
};

struct line_style {
  line_form form = line_form::lines;
  // In `lines`: the text between parts. If it is empty, an input line is one part, and output has a blank
  // between parts.
  std::string separator{};
  // In `lines`: the first part is a routing id. Input and output have it as text up to the separator or the
  // first blank, or as {"hex": "..."}.
  bool routed = false;
  // The output goes to a terminal, which would obey some characters. Only `raw` has them.
  bool terminal = false;
};

// Returns the message and a newline. In `lines`, binary data and text of several lines become {"hex": "..."}. For a
// terminal, so does each part with a character that readable() escapes.
[[nodiscard]] std::string line_of(const zmtp::message& m, const line_style& style);

// Names the fault of a line and the remedy.
class unreadable_line : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Reads `line`, which has no newline. Throws unreadable_line.
[[nodiscard]] zmtp::message message_of(std::string_view line, const line_style& style);

}  // namespace zinc
