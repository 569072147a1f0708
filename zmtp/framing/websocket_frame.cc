#include "zmtp/framing/websocket_frame.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstring>

namespace zmtp::websocket {

namespace {

constexpr std::byte whole{0x80};  // FIN
constexpr std::byte reserved_bits{0x70};
constexpr std::byte masked{0x80};        // a bit of the second byte
constexpr std::uint8_t two_bytes = 126;  // the size follows in two bytes …
constexpr std::uint8_t eight_bytes = 127;

const unsigned char* at(const std::byte* bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace

void mask(std::byte* to, std::span<const std::byte> from, const mask_key& key,
          std::uint64_t offset) noexcept {
  std::array<std::byte, sizeof(std::uint64_t)> turned;
  for (std::size_t i = 0; i < turned.size(); ++i) {
    turned[i] = key[(offset + i) % key.size()];
  }
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, turned.data(), sizeof pattern);
  std::size_t i = 0;
  for (; from.size() - i >= sizeof pattern; i += sizeof pattern) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, from.data() + i, sizeof eight);
    eight ^= pattern;
    std::memcpy(to + i, &eight, sizeof eight);
  }
  for (; i < from.size(); ++i) {
    to[i] = from[i] ^ turned[i % turned.size()];
  }
}

std::byte* put_header(std::byte* to, opcode code, std::uint64_t payload,
                      const mask_key* key) noexcept {
  const auto mask_bit = key != nullptr ? masked : std::byte{0};
  *to++ = whole | static_cast<std::byte>(code);
  if (payload < two_bytes) {
    *to++ = mask_bit | static_cast<std::byte>(payload);
  } else if (payload <= 0xFFFF) {
    *to++ = mask_bit | std::byte{two_bytes};
    boost::endian::store_big_u16(reinterpret_cast<unsigned char*>(to),
                                 static_cast<std::uint16_t>(payload));
    to += sizeof(std::uint16_t);
  } else {
    *to++ = mask_bit | std::byte{eight_bytes};
    boost::endian::store_big_u64(reinterpret_cast<unsigned char*>(to), payload);
    to += sizeof(std::uint64_t);
  }
  return key != nullptr ? std::copy(key->begin(), key->end(), to) : to;
}

result<std::size_t> header_reader::read(std::span<const std::byte> from) noexcept {
  std::size_t used = 0;
  while (used != from.size() && !complete()) {
    bytes_[size_++] = from[used++];
    if (size_ <= 2 && !starts_well()) {
      return errc::bad_websocket_frame;
    }
  }
  if (complete()) {
    const auto extra = size_bytes();
    const auto least = extra == 0 ? 0U : extra == sizeof(std::uint16_t) ? two_bytes : 0x10000U;
    if (payload() < least || payload() >> 63U != 0) {
      return errc::bad_websocket_frame;
    }
  }
  return used;
}

bool header_reader::starts_well() const noexcept {
  const auto first = bytes_[0];
  switch (code()) {
    case opcode::continuation:
    case opcode::binary:
    case opcode::close:
    case opcode::ping:
    case opcode::pong: break;
    case opcode::text:
    default: return false;
  }
  if ((first & reserved_bits) != std::byte{0} || (is_control(code()) && !final())) {
    return false;
  }
  if (size_ < 2) {
    return true;
  }
  const bool is_masked = (bytes_[1] & masked) != std::byte{0};
  return is_masked == (own_ == side::server) && !(is_control(code()) && size_bytes() != 0);
}

opcode header_reader::code() const noexcept {
  return static_cast<opcode>(bytes_[0] & ~(whole | reserved_bits));
}

bool header_reader::final() const noexcept { return (bytes_[0] & whole) != std::byte{0}; }

std::size_t header_reader::size_bytes() const noexcept {
  switch (std::to_integer<std::uint8_t>(bytes_[1] & ~masked)) {
    case two_bytes: return sizeof(std::uint16_t);
    case eight_bytes: return sizeof(std::uint64_t);
    default: return 0;
  }
}

std::size_t header_reader::expected() const noexcept {
  return 2 + size_bytes() + (own_ == side::server ? sizeof(mask_key) : 0);
}

std::uint64_t header_reader::payload() const noexcept {
  const auto* const follows = at(bytes_.data() + 2);
  switch (size_bytes()) {
    case sizeof(std::uint16_t): return boost::endian::load_big_u16(follows);
    case sizeof(std::uint64_t): return boost::endian::load_big_u64(follows);
    default: return std::to_integer<std::uint64_t>(bytes_[1] & ~masked);
  }
}

mask_key header_reader::key() const noexcept {
  mask_key key{};
  if (own_ == side::server) {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(2 + size_bytes()), key.size(),
                key.begin());
  }
  return key;
}

}  // namespace zmtp::websocket
