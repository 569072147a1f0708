#include "zmtp/curve/z85.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <cassert>
#include <cstdint>
#include <limits>

namespace zmtp::z85 {

namespace {

constexpr std::size_t group_bytes = 4;
constexpr std::size_t group_characters = 5;
constexpr std::string_view alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
static_assert(alphabet.size() == 85);

constexpr std::uint8_t no_digit = 85;
constexpr auto digit_of = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

}  // namespace

std::string encode(std::span<const std::byte> bytes) {
  assert(bytes.size() % group_bytes == 0);
  std::string text(bytes.size() / group_bytes * group_characters, '0');
  for (std::size_t group = 0; group < bytes.size() / group_bytes; ++group) {
    auto value = boost::endian::load_big_u32(
        reinterpret_cast<const unsigned char*>(bytes.data() + group * group_bytes));
    for (std::size_t i = group_characters; i-- > 0; value /= 85) {
      text[group * group_characters + i] = alphabet[value % 85];
    }
  }
  return text;
}

bool decode(std::string_view text, std::span<std::byte> to) noexcept {
  if (text.size() % group_characters != 0 ||
      text.size() / group_characters * group_bytes != to.size()) {
    return false;
  }
  for (std::size_t group = 0; group < to.size() / group_bytes; ++group) {
    std::uint64_t value = 0;
    for (const char c : text.substr(group * group_characters, group_characters)) {
      const auto digit = digit_of[static_cast<std::uint8_t>(c)];
      if (digit == no_digit) {
        return false;
      }
      value = value * 85 + digit;
    }
    if (value > std::numeric_limits<std::uint32_t>::max()) {
      return false;
    }
    boost::endian::store_big_u32(reinterpret_cast<unsigned char*>(to.data() + group * group_bytes),
                                 static_cast<std::uint32_t>(value));
  }
  return true;
}

}  // namespace zmtp::z85
