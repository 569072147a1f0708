#include "tools/guide/dump.h"

#include "tools/guide/program.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace guide {

namespace {

std::string shown(std::string_view part) {
  const auto is_text = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::all_of(part.begin(), part.end(), is_text)) {
    return std::string{part};
  }
  std::string digits;
  for (const char c : part) {
    digits += fmt::format("{:02X}", static_cast<unsigned char>(c));
  }
  return digits;
}

}  // namespace

void dump(const zmtp::message& m) {
  say("--------------------------------------");
  for (const auto part : m) {
    say("[{:03}] {}", part.size(), shown(part));
  }
}

}  // namespace guide
