#pragma once
// The header of a ZMTP 3.x frame: flags, size, body (RFC 23 and RFC 37 "Framing").

#include <boost/endian/conversion.hpp>

#include <cstddef>
#include <cstdint>

namespace zmtp::frame {

inline constexpr std::byte more{0x01};       // another frame of the same message follows
inline constexpr std::byte long_size{0x02};  // the size has eight bytes instead of one
inline constexpr std::byte command{0x04};    // a command, not a part of a message
inline constexpr std::size_t max_header_size = 9;
inline constexpr std::size_t max_short_body = 255;

[[nodiscard]] constexpr bool has(std::byte flags, std::byte flag) noexcept {
  return (flags & flag) != std::byte{0};
}

[[nodiscard]] constexpr std::size_t header_size(std::size_t body_size) noexcept {
  return body_size <= max_short_body ? 2 : max_header_size;
}

[[nodiscard]] constexpr std::size_t header_size(std::byte flags) noexcept {
  return has(flags, long_size) ? max_header_size : 2;
}

// Returns the body size that the header at `at` declares. The header must be complete.
[[nodiscard]] inline std::uint64_t declared_size(const std::byte* at) noexcept {
  if (!has(*at, long_size)) {
    return static_cast<std::uint8_t>(at[1]);
  }
  return boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(at + 1));
}

// Writes the shortest header for a body of this size. Returns the position after the header.
inline std::byte* put_header(std::byte* to, std::byte flags, std::size_t body_size) noexcept {
  if (body_size <= max_short_body) {
    to[0] = flags;
    to[1] = static_cast<std::byte>(body_size);
    return to + 2;
  }
  to[0] = flags | long_size;
  boost::endian::store_big_u64(reinterpret_cast<unsigned char*>(to + 1), body_size);
  return to + max_header_size;
}

// The size of a message.
struct extent {
  std::size_t octets = 0;
  std::size_t parts = 0;
};

// Measures the message at `at`, which must be complete and without commands between its frames.
[[nodiscard]] inline extent message_at(const std::byte* at) noexcept {
  extent reach;
  for (bool follows = true; follows; ++reach.parts) {
    const auto* const header = at + reach.octets;
    follows = has(*header, more);
    reach.octets += header_size(*header) + static_cast<std::size_t>(declared_size(header));
  }
  return reach;
}

}  // namespace zmtp::frame
