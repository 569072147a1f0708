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

constexpr bool is_mechanism_octet(std::byte octet) noexcept {
  const auto c = static_cast<char>(octet);
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
         c == '+';
}

// A length byte of 1 without flags is the identity frame of an anonymous ZMTP 1.0 peer. Other
// lengths cannot be distinguished from foreign protocols.
error_code check_unsigned(std::span<const std::byte> octets) noexcept {
  if (octets[0] != std::byte{1}) {
    return errc::not_zmtp;
  }
  if (octets.size() < 2) {
    return {};
  }
  return octets[1] == std::byte{0} ? errc::version_1_refused : errc::not_zmtp;
}

// `field` contains the received bytes of the mechanism's field.
error_code check_mechanism(std::span<const std::byte> field, std::string_view ours) noexcept {
  const auto name_end =
      std::find_if_not(field.begin(), field.end(), is_mechanism_octet) - field.begin();
  const auto name = field.first(static_cast<std::size_t>(name_end));
  const auto padding = field.subspan(name.size());
  if ((name.empty() && !padding.empty()) ||
      std::any_of(padding.begin(), padding.end(),
                  [](std::byte octet) { return octet != std::byte{0}; })) {
    return errc::bad_mechanism_name;
  }
  if (field.size() < max_mechanism_size) {
    return {};
  }
  const std::string_view theirs{reinterpret_cast<const char*>(name.data()), name.size()};
  return theirs == ours ? error_code{} : errc::mechanism_mismatch;
}

}  // namespace

std::array<std::byte, size> encode(std::string_view mechanism, bool as_server) noexcept {
  assert(!mechanism.empty() && mechanism.size() <= max_mechanism_size);
  std::array<std::byte, size> octets{};
  octets[0] = signature_first;
  // A ZMTP 1.0 peer then reads the signature as a complete, empty identity frame, as it does with
  // libzmq.
  octets[padding_end] = std::byte{1};
  octets[signature_end] = signature_last;
  octets[major_at] = std::byte{3};
  octets[minor_at] = std::byte{1};
  const auto name = std::as_bytes(std::span{mechanism.substr(0, max_mechanism_size)});
  std::copy(name.begin(), name.end(), octets.begin() + mechanism_at);
  octets[as_server_at] = static_cast<std::byte>(as_server);
  return octets;
}

error_code check(std::span<const std::byte> octets, std::string_view mechanism) noexcept {
  if (octets.empty()) {
    return {};
  }
  if (octets[0] != signature_first) {
    return check_unsigned(octets);
  }
  if (octets.size() > signature_end && (octets[signature_end] & versioned) == std::byte{0}) {
    return errc::version_1_refused;
  }
  if (octets.size() <= major_at) {
    return {};
  }
  const auto major = static_cast<std::uint8_t>(octets[major_at]);
  if (major < 3) {
    return major == 0 ? errc::version_1_refused : errc::version_2_refused;
  }
  if (octets.size() <= mechanism_at) {
    return {};
  }
  const auto come = std::min(octets.size() - mechanism_at, max_mechanism_size);
  return check_mechanism(octets.subspan(mechanism_at, come), mechanism);
}

version peer_version(std::span<const std::byte> octets) noexcept {
  assert(octets.size() >= size);
  const bool first_of_3 = octets[major_at] == std::byte{3} && octets[minor_at] == std::byte{0};
  return {3, static_cast<std::uint8_t>(first_of_3 ? 0 : 1)};
}

}  // namespace zmtp::greeting
