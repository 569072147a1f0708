#pragma once
// Messages of several frames out of the octets of a fuzz target.

#include "zmtp/message.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace zmtp::fuzz {

// Takes a message of up to `most` frames from the front: the size of each before it, in one octet; 255 stands
// for two more.
[[nodiscard]] inline message take_message(std::string_view& octets, std::size_t most) {
  message m;
  while (!octets.empty() && m.part_count() < most) {
    std::size_t size = static_cast<unsigned char>(octets.front());
    octets.remove_prefix(1);
    if (size == 255 && octets.size() >= 2) {
      size = static_cast<std::size_t>(static_cast<unsigned char>(octets[0])) << 8 |
             static_cast<unsigned char>(octets[1]);
      octets.remove_prefix(2);
    }
    m.push_back(octets.substr(0, size));
    octets.remove_prefix(std::min(size, octets.size()));
  }
  return m;
}

}  // namespace zmtp::fuzz
