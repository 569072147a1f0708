#pragma once
// Bytes of the network as text for a terminal. Pure.

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace zinc {

// Replaces each byte that is not printable ASCII by \xNN. Unlike printable(), keeps spaces and backslashes, so
// that text is escaped only once.
[[nodiscard]] std::string for_terminal(std::string_view bytes);

enum class line_breaks : bool { escaped, kept };
// Keeps tabs and printable characters of UTF-8. Replaces each other byte by \xNN, and line breaks if they are escaped.
[[nodiscard]] std::string readable(std::string_view bytes, line_breaks how = line_breaks::kept);

// Serializes the value without a byte above 0x7e: other characters are \uXXXX.
[[nodiscard]] std::string ascii_json(const boost::json::value& of);

}  // namespace zinc
