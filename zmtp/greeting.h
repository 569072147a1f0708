#pragma once
// The 64 octets that open a ZMTP 3.x connection in each direction (RFC 37 "Greeting").

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

// What we send: version 3.1. `mechanism` is upper case and at most 20 octets.
[[nodiscard]] std::array<std::byte, size> encode(std::string_view mechanism,
                                                 bool as_server) noexcept;

// Judges the first octets of a greeting, 0 to 64 of them, as soon as they can be judged: foreign
// octets and older versions are refused before the rest has come. Padding (1–8), as-server (32) and
// filler (33–63) are never validated.
// Errors: errc::not_zmtp, version_1_refused, version_2_refused, bad_mechanism_name; once the name's
// field is whole, mechanism_mismatch (the peer's mechanism is not `mechanism`).
[[nodiscard]] error_code check(std::span<const std::byte> octets,
                               std::string_view mechanism) noexcept;

// The peer's version, of a whole greeting that passed `check`. A higher minor or major counts as 3.1.
[[nodiscard]] version peer_version(std::span<const std::byte> octets) noexcept;

}  // namespace zmtp::greeting
