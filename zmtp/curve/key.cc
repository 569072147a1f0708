#include "zmtp/curve/key.h"

#include "zmtp/curve/box.h"
#include "zmtp/curve/z85.h"

#include <algorithm>
#include <span>

namespace zmtp {

curve_public_key public_key_of(const curve_secret_key& secret) noexcept {
  return curve::base_multiple(secret);
}

curve_key_pair make_key_pair(const random_bytes& random) {
  curve_key_pair made;
  random(made.secret_key.bytes());
  made.public_key = public_key_of(made.secret_key);
  return made;
}

std::string to_z85(const curve_public_key& key) { return z85::encode(key); }

std::string to_z85(const curve_secret_key& key) { return z85::encode(key.bytes()); }

std::optional<curve_public_key> parse_public_key(std::string_view text) {
  curve_public_key key;
  return z85::decode(text, key) ? std::optional{key} : std::nullopt;
}

std::optional<curve_secret_key> parse_secret_key(std::string_view text) {
  curve_secret_key key;
  return z85::decode(text, key.bytes()) ? std::optional{key} : std::nullopt;
}

}  // namespace zmtp
