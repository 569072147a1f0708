#pragma once
// The boxes of CURVE (RFC 26): Curve25519, XSalsa20 and Poly1305. Only this file calls libsodium.

#include "zmtp/curve/key.h"
#include "zmtp/curve/secret_bytes.h"
#include "zmtp/peer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace zmtp::curve {

// The key that both ends of a box know: from shared_key(), or random for a cookie.
using box_key = secret_bytes<32>;
using nonce = std::array<std::byte, 24>;

inline constexpr std::size_t box_overhead = 16;     // bytes that a box is longer than its content
inline constexpr std::size_t short_nonce_size = 8;  // bytes of a nonce on the wire: a counter
inline constexpr std::size_t long_nonce_size = 16;  // … or random bytes

// `prefix` has 16 characters.
[[nodiscard]] nonce make_nonce(std::string_view prefix, std::uint64_t counter) noexcept;
// `prefix` has 8 characters.
[[nodiscard]] nonce make_nonce(std::string_view prefix,
                               std::span<const std::byte, long_nonce_size> random) noexcept;

[[nodiscard]] curve_public_key base_multiple(const curve_secret_key& secret) noexcept;
// Returns nothing for the few public keys whose result is known without a secret key.
[[nodiscard]] std::optional<box_key> shared_key(const curve_public_key& theirs,
                                                const curve_secret_key& own) noexcept;

// Fills `box`, which is longer than `content` by box_overhead. In place if `content` is the end of
// `box`.
void seal(std::span<std::byte> box, std::span<const std::byte> content, const nonce& n,
          const box_key& key) noexcept;
// Fills `content`, which is shorter than `box` by box_overhead, if the box was sealed with this
// nonce and key. If not, returns false and does not touch it. `content` may overlap `box`, if it
// starts before the end of the overhead.
[[nodiscard]] bool open(std::span<std::byte> content, std::span<const std::byte> box,
                        const nonce& n, const box_key& key) noexcept;

}  // namespace zmtp::curve
