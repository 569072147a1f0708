#pragma once
// Records as lines of text and of JSON. Bytes of peers are escaped. Pure.

#include "tools/zinc/dump/record.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace zinc::dump {

struct stamp {
  std::chrono::microseconds time{0};  // since 1970
  std::uint64_t connection = 0;
};

// The line ends with a newline. The time is local.
[[nodiscard]] std::string text_line_of(const record& one, const stamp& when);
[[nodiscard]] std::string json_line_of(const record& one, const stamp& when);

}  // namespace zinc::dump
