#pragma once
// Names of services in a log: they may be any bytes, a log is lines of text.

#include <string>
#include <string_view>

namespace zinc {

[[nodiscard]] std::string printable(std::string_view name);
// The same, with spaces.
[[nodiscard]] std::string printable_words(std::string_view text);
// The same in quotation marks.
[[nodiscard]] std::string quoted(std::string_view bytes);

}  // namespace zinc
