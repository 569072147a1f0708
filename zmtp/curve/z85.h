#pragma once
// Z85 (RFC 32): four bytes as five printable characters.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace zmtp::z85 {

// The number of bytes must be a multiple of four.
[[nodiscard]] std::string encode(std::span<const std::byte> bytes);
// Fills `to`. Returns false, and leaves `to` undefined, if `text` does not encode exactly to.size()
// bytes.
[[nodiscard]] bool decode(std::string_view text, std::span<std::byte> to) noexcept;

}  // namespace zmtp::z85
