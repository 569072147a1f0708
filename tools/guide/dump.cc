#include "tools/guide/dump.h"

#include "tools/guide/program.h"

#include <algorithm>
#include <cstddef>

namespace guide {

namespace {

// Number of bytes of a frame that are printed, as text or as hexadecimal digits.
constexpr std::size_t most_text = 70;
constexpr std::size_t most_bytes = 35;

std::string shown(std::string_view part) {
  const auto is_text = [](char c) { return c >= ' ' && c <= '~'; };
  const bool text = std::all_of(part.begin(), part.end(), is_text);
  const auto beginning = part.substr(0, text ? most_text : most_bytes);
  return (text ? std::string{beginning} : hexadecimal(beginning)) +
         (beginning.size() < part.size() ? "..." : "");
}

void dump_frame(std::string_view part) { say("[{:03}] {}", part.size(), shown(part)); }

}  // namespace

std::string hexadecimal(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) {
    digits += fmt::format("{:02X}", static_cast<unsigned char>(c));
  }
  return digits;
}

void dump_frames(const zmtp::message& m) { std::for_each(m.begin(), m.end(), dump_frame); }

void dump(const zmtp::message& m, std::string_view routing_id) {
  say("--------------------------------------");
  if (!routing_id.empty()) {
    dump_frame(routing_id);
  }
  dump_frames(m);
}

}  // namespace guide
