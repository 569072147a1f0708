#include "zmtp/greeting.h"

#include <algorithm>
#include <cassert>

namespace zmtp::greeting {

namespace {

// RFC 37: signature(10) version(2) mechanism(20) as-server(1) filler(31).
constexpr std::size_t padding_end = 8;
constexpr std::size_t signature_end = 9;
constexpr std::size_t major_at = 10;
constexpr std::size_t minor_at = 11;
constexpr std::size_t mechanism_at = 12;
constexpr std::size_t as_server_at = 32;

constexpr std::byte signature_first{0xFF};
constexpr std::byte signature_last{0x7F};
constexpr std::byte versioned{0x01};  // bit of the byte at signature_end

constexpr bool is_mechanism_byte(std::byte byte) noexcept {
  const auto c = static_cast<char>(byte);
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
         c == '+';
}

// A length byte of 1 without flags is the identity frame of an anonymous ZMTP 1.0 peer. Other
// lengths cannot be distinguished from foreign protocols.
error_code check_unsigned(std::span<const std::byte> bytes) noexcept {
  if (bytes[0] != std::byte{1}) {
    return errc::not_zmtp;
  }
  if (bytes.size() < 2) {
    return {};
  }
  return bytes[1] == std::byte{0} ? errc::version_1_refused : errc::not_zmtp;
}

// `field` contains the received bytes of the mechanism's field.
error_code check_mechanism(std::span<const std::byte> field, std::string_view ours) noexcept {
  const auto name_end =
      std::find_if_not(field.begin(), field.end(), is_mechanism_byte) - field.begin();
  const auto name = field.first(static_cast<std::size_t>(name_end));
  const auto padding = field.subspan(name.size());
  if ((name.empty() && !padding.empty()) ||
      std::any_of(padding.begin(), padding.end(),
                  [](std::byte byte) { return byte != std::byte{0}; })) {
    return errc::bad_mechanism_name;
  }
  if (field.size() < max_mechanism_size) {
    return {};
  }
  const std::string_view theirs{reinterpret_cast<const char*>(name.data()), name.size()};
  return theirs == ours ? error_code{} : errc::mechanism_mismatch;
}

}  // namespace

std::array<std::byte, size> encode(std::string_view mechanism, bool as_server,
                                   std::uint8_t minor) noexcept {
  assert(!mechanism.empty() && mechanism.size() <= max_mechanism_size);
  std::array<std::byte, size> bytes{};
  bytes[0] = signature_first;
  // A ZMTP 1.0 peer then reads the signature as a complete, empty identity frame, as it does with
  // libzmq.
  bytes[padding_end] = std::byte{1};
  bytes[signature_end] = signature_last;
  bytes[major_at] = std::byte{3};
  bytes[minor_at] = std::byte{minor};
  const auto name = std::as_bytes(std::span{mechanism.substr(0, max_mechanism_size)});
  std::copy(name.begin(), name.end(), bytes.begin() + mechanism_at);
  bytes[as_server_at] = static_cast<std::byte>(as_server);
  return bytes;
}

error_code check(std::span<const std::byte> bytes, std::string_view mechanism) noexcept {
  if (bytes.empty()) {
    return {};
  }
  if (bytes[0] != signature_first) {
    return check_unsigned(bytes);
  }
  if (bytes.size() > signature_end && (bytes[signature_end] & versioned) == std::byte{0}) {
    return errc::version_1_refused;
  }
  if (bytes.size() <= major_at) {
    return {};
  }
  const auto major = static_cast<std::uint8_t>(bytes[major_at]);
  if (major < 3) {
    return major == 0 ? errc::version_1_refused : errc::version_2_refused;
  }
  if (bytes.size() <= mechanism_at) {
    return {};
  }
  const auto come = std::min(bytes.size() - mechanism_at, max_mechanism_size);
  return check_mechanism(bytes.subspan(mechanism_at, come), mechanism);
}

std::string_view mechanism(std::span<const std::byte> bytes) noexcept {
  assert(bytes.size() >= size);
  const std::string_view field{reinterpret_cast<const char*>(bytes.data()) + mechanism_at,
                               max_mechanism_size};
  return field.substr(0, field.find('\0'));
}

version peer_version(std::span<const std::byte> bytes) noexcept {
  assert(bytes.size() >= size);
  const bool first_of_3 = bytes[major_at] == std::byte{3} && bytes[minor_at] == std::byte{0};
  return {3, static_cast<std::uint8_t>(first_of_3 ? 0 : 1)};
}

}  // namespace zmtp::greeting
