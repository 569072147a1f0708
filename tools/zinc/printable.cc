#include "tools/zinc/printable.h"

#include <fmt/core.h>

namespace zinc {

std::string printable(std::string_view name) {
  std::string text;
  for (const char octet : name) {
    if (octet > ' ' && octet <= '~' && octet != '\\') {
      text += octet;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(octet));
    }
  }
  return text;
}

}  // namespace zinc
