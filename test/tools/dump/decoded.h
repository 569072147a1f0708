#pragma once
// The lines that zinc dump prints for what two sides have sent, without times.

#include "tools/zinc/dump/connection_decoder.h"
#include "tools/zinc/dump/record_lines.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zinc::dump::test {

using lines = std::vector<std::string>;

struct sent {
  side from;
  std::string bytes;
};

// Feeds at most `piece` bytes at once.
inline lines decoded(const std::vector<sent>& stream, std::size_t piece = 1 << 20,
                     const decoder_options& options = {}) {
  lines read;
  connection_decoder decoder{
      options, [&read](const record& one) {
        auto line = text_line_of(one, {});
        line.pop_back();
        // Without the time and the number of the connection.
        read.push_back(line.substr(std::string_view{"00:00:00.000000 0 "}.size()));
      }};
  for (const auto& [from, bytes] : stream) {
    for (std::string_view rest{bytes}; !rest.empty();) {
      decoder.feed(from, rest.substr(0, piece));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
  }
  decoder.finish(side::connecting);
  decoder.finish(side::accepting);
  return read;
}

inline lines decoded_from_client(const std::string& bytes, const decoder_options& options = {}) {
  return decoded({{side::connecting, bytes}}, 1 << 20, options);
}

}  // namespace zinc::dump::test
