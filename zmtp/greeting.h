#pragma once
// The 64 bytes that open a ZMTP 3.x connection in each direction (RFC 37 "Greeting").

#include "zmtp/error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zmtp::greeting {

inline constexpr std::size_t size = 64;
inline constexpr std::size_t max_mechanism_size = 20;

struct version {
  std::uint8_t major;
  std::uint8_t minor;
};

// Returns a greeting of version 3.1, or 3.`minor`. `mechanism` must be upper case and have 1 to 20
// characters.
[[nodiscard]] std::array<std::byte, size> encode(std::string_view mechanism, bool as_server,
                                                 std::uint8_t minor = 1) noexcept;

// Checks the first bytes of a greeting, 0 to 64 of them, as early as possible. Rejects foreign
// protocols and older versions before the greeting is complete. Does not validate padding (1–8),
// as-server (32) and filler (33–63).
// Errors: errc::not_zmtp, version_1_refused, version_2_refused, bad_mechanism_name. When the field
// of the name is complete, also mechanism_mismatch: the peer's mechanism is not `mechanism`.
[[nodiscard]] error_code check(std::span<const std::byte> bytes,
                               std::string_view mechanism) noexcept;

// Returns the name of the mechanism in a complete greeting that encode() has made.
[[nodiscard]] std::string_view mechanism(std::span<const std::byte> bytes) noexcept;

// Returns the peer's version from a complete greeting that passed check(). Reports every version
// above 3.0 as 3.1.
[[nodiscard]] version peer_version(std::span<const std::byte> bytes) noexcept;

}  // namespace zmtp::greeting
