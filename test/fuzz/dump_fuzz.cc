// zinc dump reads anything. The pieces in which bytes come make no difference.

#include "test/fuzz/oracle.h"
#include "tools/zinc/dump/connection_decoder.h"
#include "tools/zinc/dump/record_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zmtp::fuzz {
namespace {

using zinc::dump::side;

// The first byte tells the longest piece. Its place tells the side.
std::string lines_of(std::string_view bytes, bool whole) {
  std::string lines;
  zinc::dump::connection_decoder decoder{{.bodies = 16}, [&lines](const auto& one) {
                                           lines += text_line_of(one, {});
                                           lines += json_line_of(one, {});
                                         }};
  const std::size_t longest = 1 + static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  while (!bytes.empty()) {
    const auto from = bytes.size() % 2 == 0 ? side::connecting : side::accepting;
    const auto piece = bytes.substr(0, longest);
    bytes.remove_prefix(piece.size());
    if (whole) {
      decoder.feed(from, piece);
    } else {
      for (const char& byte : piece) {
        decoder.feed(from, {&byte, 1});
      }
    }
  }
  decoder.close("");
  return lines;
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = zmtp::fuzz::text_of(data, size);
  if (!bytes.empty()) {
    zmtp::fuzz::require(zmtp::fuzz::lines_of(bytes, true) == zmtp::fuzz::lines_of(bytes, false),
                        "the pieces of a stream make no difference");
  }
  return 0;
}
