#pragma once
// The common part of the fuzz targets: bytes as text, and the report of a violated guarantee.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace zmtp::fuzz {

// The fuzzer hands over memory of exactly this size, so that a read beyond it is seen.
[[nodiscard]] inline std::string_view text_of(const std::uint8_t* data, std::size_t size) noexcept {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts where a promise does not hold: the one sign that both libFuzzer and the replay understand.
inline void require(bool holds, const char* promise) noexcept {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
  }
}

}  // namespace zmtp::fuzz
