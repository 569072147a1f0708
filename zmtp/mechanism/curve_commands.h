#pragma once
// The layout of the commands of a CURVE handshake (RFC 26), without their names.

#include "zmtp/curve/box.h"

#include <boost/endian/conversion.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace zmtp::curve {

inline constexpr std::size_t key_size = sizeof(curve_public_key);

// A box of keys in a command: a nonce of 16 random bytes, and the box.
inline constexpr std::size_t cookie_size = long_nonce_size + box_overhead + 2 * key_size;
inline constexpr std::size_t vouch_size = long_nonce_size + box_overhead + 2 * key_size;

namespace hello {
inline constexpr std::string_view version{"\x01\x00", 2};
inline constexpr std::size_t padding = 72;  // so that HELLO is longer than WELCOME
inline constexpr std::size_t key_at = version.size() + padding;
inline constexpr std::size_t nonce_at = key_at + key_size;
inline constexpr std::size_t box_at = nonce_at + short_nonce_size;
inline constexpr std::size_t content_size = 64;  // zeros
inline constexpr std::size_t size = box_at + box_overhead + content_size;
inline constexpr std::string_view prefix = "CurveZMQHELLO---";
}  // namespace hello

namespace welcome {
inline constexpr std::size_t content_size = key_size + cookie_size;
inline constexpr std::size_t size = long_nonce_size + box_overhead + content_size;
inline constexpr std::string_view prefix = "WELCOME-";
inline constexpr std::string_view cookie_prefix = "COOKIE--";
}  // namespace welcome

namespace initiate {
inline constexpr std::size_t nonce_at = cookie_size;
inline constexpr std::size_t box_at = nonce_at + short_nonce_size;
inline constexpr std::size_t vouch_at = key_size;  // in the box
inline constexpr std::size_t metadata_at = vouch_at + vouch_size;
inline constexpr std::size_t least_size = box_at + box_overhead + metadata_at;
inline constexpr std::string_view prefix = "CurveZMQINITIATE";
inline constexpr std::string_view vouch_prefix = "VOUCH---";
}  // namespace initiate

namespace ready {
inline constexpr std::size_t box_at = short_nonce_size;
inline constexpr std::size_t least_size = box_at + box_overhead;
inline constexpr std::string_view prefix = "CurveZMQREADY---";
}  // namespace ready

inline std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span{text});
}
inline std::string_view text_of(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// `bytes` must have the size of a key.
inline curve_public_key key_of(std::span<const std::byte> bytes) noexcept {
  curve_public_key key;
  std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

inline std::uint64_t counter_of(std::string_view bytes) noexcept {
  return boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(bytes.data()));
}

inline void put_counter(std::string& to, std::uint64_t counter) {
  unsigned char bytes[short_nonce_size];
  boost::endian::store_big_u64(bytes, counter);
  to.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

// Appends a box.
inline void put_box(std::string& to, std::span<const std::byte> content, const nonce& n,
                    const box_key& key) {
  const auto before = to.size();
  to.resize(before + box_overhead + content.size());
  seal(std::as_writable_bytes(std::span{to}).subspan(before), content, n, key);
}

}  // namespace zmtp::curve
