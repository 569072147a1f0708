#include "mdp/titanic/request_id.h"

namespace mdp::titanic {

namespace {

constexpr int value_of(char digit) noexcept {
  if (digit >= '0' && digit <= '9') {
    return digit - '0';
  }
  if (digit >= 'a' && digit <= 'f') {
    return digit - 'a' + 10;
  }
  if (digit >= 'A' && digit <= 'F') {
    return digit - 'A' + 10;
  }
  return -1;
}

}  // namespace

std::optional<request_id> request_id::parse(std::string_view text) noexcept {
  if (text.size() != text_size) {
    return std::nullopt;
  }
  request_id id;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const auto high = value_of(text[2 * i]);
    const auto low = value_of(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    id.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return id;
}

std::string request_id::to_string() const {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  text.reserve(text_size);
  for (const auto byte : bytes) {
    text += digits[byte / 16];
    text += digits[byte % 16];
  }
  return text;
}

}  // namespace mdp::titanic
