#pragma once
// Durations and sizes as text: `250ms`, `2.5s`, `64KiB`. Command lines, settings files and logs use these forms.

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zinc {

// Names the text that is not a duration or a size, the cause and the remedy.
class unit_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct duration_range {
  std::chrono::milliseconds least{1};
  std::chrono::milliseconds most = std::chrono::hours{24};
  std::chrono::milliseconds step{1};  // values must be multiples of it
};
struct size_range {
  std::uint64_t least = 1;                      // bytes
  std::uint64_t most = std::uint64_t{1} << 40;  // bytes
};

// Reads a number and one of the units ms, s, m, h and d. The number may have up to 6 decimals. Throws unit_error.
[[nodiscard]] std::chrono::milliseconds parse_duration(std::string_view text,
                                                       const duration_range& range = {});
// Reads a number and one of the units B, KiB, MiB, GiB and TiB, and returns bytes. Throws unit_error.
[[nodiscard]] std::uint64_t parse_size(std::string_view text, const size_range& range = {});

// Returns the shortest text that parse_duration() reads as this duration: `2.5s`, `90s`, `7d`.
[[nodiscard]] std::string text_of(std::chrono::milliseconds duration);
// Returns the text with the largest unit of which `bytes` is a multiple: `64MiB`, `1000B`.
[[nodiscard]] std::string text_of_size(std::uint64_t bytes);

}  // namespace zinc
