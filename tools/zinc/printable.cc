#include "tools/zinc/printable.h"

#include <fmt/core.h>

namespace zinc {

std::string printable(std::string_view name) {
  std::string text;
  for (const char byte : name) {
    if (byte > ' ' && byte <= '~' && byte != '\\') {
      text += byte;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return text;
}

}  // namespace zinc
