#pragma once
// The keys of CURVE: pairs, and the text form of a key.

#include "zmtp/curve/secret_bytes.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"

#include <optional>
#include <string>
#include <string_view>

namespace zmtp {

using curve_secret_key = secret_bytes<32>;

struct curve_key_pair {
  curve_public_key public_key{};
  curve_secret_key secret_key{};
};

// Returns the public key of this secret key. Each secret key has one.
[[nodiscard]] curve_public_key public_key_of(const curve_secret_key& secret) noexcept;
// Draws 32 bytes, the secret key. For a key to use for years, draw from runtime::system().
[[nodiscard]] curve_key_pair make_key_pair(const random_bytes& random);

// The text form of a key, 40 characters of Z85 (RFC 32), as libzmq and CZMQ print it.
[[nodiscard]] std::string to_z85(const curve_public_key& key);
[[nodiscard]] std::string to_z85(const curve_secret_key& key);
// Return nothing if `text` is not exactly one key.
[[nodiscard]] std::optional<curve_public_key> parse_public_key(std::string_view text);
[[nodiscard]] std::optional<curve_secret_key> parse_secret_key(std::string_view text);

}  // namespace zmtp
