#include "tools/zinc/terminal_text.h"

#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <cstddef>

namespace zinc {

namespace {

// Reads the character of more than one byte at the front of valid UTF-8, and removes it.
char32_t take_character(std::string_view& from) {
  const auto first = static_cast<unsigned char>(from.front());
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  auto character = static_cast<char32_t>(first & (0xffU >> (size + 1)));
  for (std::size_t i = 1; i < size && i < from.size(); ++i) {
    character = (character << 6U) | (static_cast<unsigned char>(from[i]) & 0x3fU);
  }
  from.remove_prefix(size < from.size() ? size : from.size());
  return character;
}

}  // namespace

std::string for_terminal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (byte >= ' ' && byte <= '~') {
      text += byte;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return text;
}

std::string ascii_json(const boost::json::value& of) {
  const auto serialized = boost::json::serialize(of);
  std::string text;
  for (std::string_view rest = serialized; !rest.empty();) {
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte < 0x7f) {
      text += rest.front();
      rest.remove_prefix(1);
    } else if (byte == 0x7f) {
      text += "\\u007f";
      rest.remove_prefix(1);
    } else if (const auto character = take_character(rest); character < 0x10000) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(character));
    } else {
      const auto offset = static_cast<unsigned>(character) - 0x10000;
      text +=
          fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (offset >> 10U), 0xdc00 + (offset & 0x3ffU));
    }
  }
  return text;
}

}  // namespace zinc
