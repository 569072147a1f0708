#pragma once
// Reads fields from the front of bytes that a peer sent. Compares lengths, never pointers, so that
// a hostile length cannot overflow.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp {

// A truncated field yields nothing and consumes nothing.
class octet_reader {
public:
  explicit octet_reader(std::string_view octets) noexcept : rest_{octets} {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

  // Reads a number in network byte order. `width` is at most 8 bytes.
  [[nodiscard]] std::optional<std::uint64_t> number(std::size_t width) noexcept {
    const auto octets = take(width);
    if (!octets) {
      return std::nullopt;
    }
    std::uint64_t value = 0;
    for (const char c : *octets) {
      value = value << 8 | static_cast<std::uint8_t>(c);
    }
    return value;
  }

  [[nodiscard]] std::optional<std::string_view> take(std::uint64_t size) noexcept {
    if (size > rest_.size()) {
      return std::nullopt;
    }
    const auto octets = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(octets.size());
    return octets;
  }

  // Reads bytes that follow their length. The length is a number of `width` bytes.
  [[nodiscard]] std::optional<std::string_view> sized(std::size_t width) noexcept {
    const auto before = rest_;
    const auto size = number(width);
    const auto octets = size ? take(*size) : std::nullopt;
    if (!octets) {
      rest_ = before;
    }
    return octets;
  }

private:
  std::string_view rest_;
};

}  // namespace zmtp
