#include "tools/zinc/file_bytes.h"

#include "tools/zinc/units.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <istream>
#include <stdexcept>

namespace zinc {

std::string bytes_of(const std::string& file, std::size_t most) {
  std::ifstream named;
  if (file != "-") {
    named.open(file, std::ios::binary);
  }
  std::istream& input = file == "-" ? std::cin : named;
  std::string bytes;
  for (std::array<char, 64 * 1024> some; input && bytes.size() <= most;) {
    input.read(some.data(), some.size());
    bytes.append(some.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (bytes.size() > most) {
    throw too_large{fmt::format("{} is larger than {}; split it", file, text_of_size(most))};
  }
  if (!input.eof()) {
    throw std::runtime_error{"cannot read " + file + ": " + std::strerror(errno)};
  }
  return bytes;
}

}  // namespace zinc
