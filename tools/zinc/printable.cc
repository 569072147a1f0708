#include "tools/zinc/printable.h"

#include <fmt/core.h>

namespace zinc {

namespace {

// Escapes all bytes that are not printable ASCII, and those of `more`.
std::string escaped(std::string_view bytes, std::string_view more) {
  std::string text;
  for (const char byte : bytes) {
    if (byte >= ' ' && byte <= '~' && byte != '\\' && more.find(byte) == more.npos) {
      text += byte;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return text;
}

}  // namespace

std::string printable(std::string_view name) { return escaped(name, " "); }

std::string printable_words(std::string_view text) { return escaped(text, ""); }

std::string quoted(std::string_view bytes) { return '"' + escaped(bytes, "\"") + '"'; }

}  // namespace zinc
