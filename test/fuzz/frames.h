#pragma once
// Messages of several frames out of the bytes of a fuzz target.

#include "zmtp/message.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace zmtp::fuzz {

// Takes a message of up to `most` frames from the front: the size of each before it, in one byte; 255 stands
// for two more.
[[nodiscard]] inline message take_message(std::string_view& bytes, std::size_t most) {
  message m;
  while (!bytes.empty() && m.size() < most) {
    std::size_t size = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (size == 255 && bytes.size() >= 2) {
      size = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8 |
             static_cast<unsigned char>(bytes[1]);
      bytes.remove_prefix(2);
    }
    m.push_back(bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  return m;
}

}  // namespace zmtp::fuzz
