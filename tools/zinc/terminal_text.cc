#include "tools/zinc/terminal_text.h"

#include <boost/json/serialize.hpp>
#include <fmt/core.h>

#include <cstddef>
#include <optional>

namespace zinc {

namespace {

// Removes a character of more than one byte from the front. Returns nothing, and removes nothing, unless it is
// valid UTF-8.
std::optional<char32_t> take_character(std::string_view& from) {
  const auto first = static_cast<unsigned char>(from.front());
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || from.size() < size) {
    return std::nullopt;
  }
  auto character = static_cast<char32_t>(first & (0xffU >> (size + 1)));
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(from[i]);
    if ((next & 0xc0U) != 0x80) {
      return std::nullopt;
    }
    character = (character << 6U) | (next & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (character < least[size] || character > 0x10ffff ||
      (character >= 0xd800 && character <= 0xdfff)) {
    return std::nullopt;
  }
  from.remove_prefix(size);
  return character;
}

// Control characters, and those that change the order or the place of others.
bool is_control(char32_t character) {
  const auto between = [character](char32_t first, char32_t last) {
    return character >= first && character <= last;
  };
  return character < 0xa0 || character == 0xad || between(0x200b, 0x200f) ||
         between(0x2028, 0x202e) || between(0x2060, 0x206f) || character == 0xfeff ||
         between(0xe000, 0xf8ff) || character >= 0xe0000;
}

void append_escaped(std::string& to, std::string_view bytes) {
  for (const char byte : bytes) {
    to += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
}

}  // namespace

std::string for_terminal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (byte >= ' ' && byte <= '~') {
      text += byte;
    } else {
      append_escaped(text, {&byte, 1});
    }
  }
  return text;
}

std::string readable(std::string_view bytes, line_breaks how) {
  std::string text;
  while (!bytes.empty()) {
    const auto before = bytes;
    const char byte = bytes.front();
    const bool is_ascii = static_cast<unsigned char>(byte) < 0x80;
    const auto character = is_ascii ? std::optional<char32_t>{} : take_character(bytes);
    if (!character) {
      bytes.remove_prefix(1);
    }
    const bool stays = is_ascii ? (byte >= ' ' && byte <= '~') || byte == '\t' ||
                                      (byte == '\n' && how == line_breaks::kept)
                                : character && !is_control(*character);
    const auto taken = before.substr(0, before.size() - bytes.size());
    if (stays) {
      text += taken;
    } else {
      append_escaped(text, taken);
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
    } else if (const auto character = take_character(rest); !character) {
      text += "\\ufffd";
      rest.remove_prefix(1);
    } else if (*character < 0x10000) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(*character));
    } else {
      const auto offset = static_cast<unsigned>(*character) - 0x10000;
      text +=
          fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (offset >> 10U), 0xdc00 + (offset & 0x3ffU));
    }
  }
  return text;
}

}  // namespace zinc
