#pragma once
// The flags of ZWS 2.0 (RFC 45), and helpers for its bytes. Pure.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace zmtp::zws {

// The first byte of each WebSocket message. The flags of ZMTP are others.
inline constexpr std::byte last{0x00};
inline constexpr std::byte more{0x01};
inline constexpr std::byte command{0x02};

inline std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span{text});
}
inline void append(std::string& to, std::span<const std::byte> bytes) {
  to.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace zmtp::zws
