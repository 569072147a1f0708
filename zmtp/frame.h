#pragma once
// The header of a ZMTP 3.x frame: flags, size, body (RFC 23 and RFC 37 "Framing"). The fields of
// other bytes that a peer sent.

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zmtp::frame {

inline constexpr std::byte more{0x01};       // another frame of the same message follows
inline constexpr std::byte long_size{0x02};  // the size has eight bytes instead of one
inline constexpr std::byte command{0x04};    // a command, not a part of a message
inline constexpr std::size_t max_header_size = 9;
inline constexpr std::size_t max_short_body = 255;

[[nodiscard]] constexpr bool has(std::byte flags, std::byte flag) noexcept {
  return (flags & flag) != std::byte{0};
}

[[nodiscard]] constexpr std::size_t header_size(std::size_t body_size) noexcept {
  return body_size <= max_short_body ? 2 : max_header_size;
}

[[nodiscard]] constexpr std::size_t header_size(std::byte flags) noexcept {
  return has(flags, long_size) ? max_header_size : 2;
}

// Returns the body size that the header at `at` declares. The header must be complete.
[[nodiscard]] inline std::uint64_t declared_size(const std::byte* at) noexcept {
  if (!has(*at, long_size)) {
    return static_cast<std::uint8_t>(at[1]);
  }
  return boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(at + 1));
}

// Writes the shortest header for a body of this size. Returns the position after the header.
inline std::byte* put_header(std::byte* to, std::byte flags, std::size_t body_size) noexcept {
  if (body_size <= max_short_body) {
    to[0] = flags;
    to[1] = static_cast<std::byte>(body_size);
    return to + 2;
  }
  to[0] = flags | long_size;
  boost::endian::store_big_u64(reinterpret_cast<unsigned char*>(to + 1), body_size);
  return to + max_header_size;
}

// The size of a message.
struct extent {
  std::size_t bytes = 0;
  std::size_t parts = 0;
};

// Measures the message at `at`, which must be complete and without commands between its frames.
[[nodiscard]] inline extent message_at(const std::byte* at) noexcept {
  if (*at == std::byte{}) [[likely]] {
    return {.bytes = 2 + std::to_integer<std::size_t>(at[1]), .parts = 1};
  }
  extent reach;
  for (bool follows = true; follows; ++reach.parts) {
    const auto* const header = at + reach.bytes;
    follows = has(*header, more);
    reach.bytes += header_size(*header) + static_cast<std::size_t>(declared_size(header));
  }
  return reach;
}

// Returns the first part of the message at `at`, which must be complete.
[[nodiscard]] inline std::string_view first_part(const std::byte* at) noexcept {
  return {reinterpret_cast<const char*>(at + header_size(*at)),
          static_cast<std::size_t>(declared_size(at))};
}

// Whole messages that follow each other.
struct cut {
  std::size_t bytes = 0;
  std::size_t messages = 0;
};

// Returns whether the next four messages have one short part and `size` bytes each.
[[nodiscard]] inline bool four_short(const std::byte* next, std::size_t size) noexcept {
  const auto header = [=](std::size_t place) {
    return boost::endian::load_little_u16(
        reinterpret_cast<const unsigned char*>(next + place * size));
  };
  const auto unlike = (header(0) ^ header(1)) | (header(0) ^ header(2)) | (header(0) ^ header(3));
  return unlike == 0 && *next == std::byte{} && 2 + std::to_integer<std::size_t>(next[1]) == size;
}

// Counts the first messages of `size` bytes at `at`, which must be whole messages: until there are
// `most.messages`, or `most.bytes` bytes or more. At least one, unless `size` or a limit is 0.
[[nodiscard]] inline cut first_messages(const std::byte* at, std::size_t size, cut most) noexcept {
  const auto end = std::min(size, most.bytes);
  cut first;
  while (first.bytes < end && first.messages < most.messages) {
    const auto one = message_at(at + first.bytes).bytes;
    first.bytes += one;
    ++first.messages;
    // Most messages are as long as the one before. To check this is faster than to go from one to
    // the next, where each header must be read before the next one can be found.
    while (most.messages - first.messages >= 4 && first.bytes + 4 * one <= end &&
           four_short(at + first.bytes, one)) {
      first.bytes += 4 * one;
      first.messages += 4;
    }
  }
  return first;
}

}  // namespace zmtp::frame

namespace zmtp {

// Reads fields from the front of bytes that a peer sent. Compares lengths, never pointers, so that
// a hostile length cannot overflow. A truncated field yields nothing and consumes nothing.
class byte_reader {
public:
  explicit byte_reader(std::string_view bytes) noexcept : rest_{bytes} {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

  // Reads a number in network byte order. `width` is at most 8 bytes.
  [[nodiscard]] std::optional<std::uint64_t> number(std::size_t width) noexcept {
    const auto bytes = take(width);
    if (!bytes) {
      return std::nullopt;
    }
    std::uint64_t value = 0;
    for (const char c : *bytes) {
      value = value << 8 | static_cast<std::uint8_t>(c);
    }
    return value;
  }

  [[nodiscard]] std::optional<std::string_view> take(std::uint64_t size) noexcept {
    if (size > rest_.size()) {
      return std::nullopt;
    }
    const auto bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  // Reads bytes that follow their length. The length is a number of `width` bytes.
  [[nodiscard]] std::optional<std::string_view> sized(std::size_t width) noexcept {
    const auto before = rest_;
    const auto size = number(width);
    const auto bytes = size ? take(*size) : std::nullopt;
    if (!bytes) {
      rest_ = before;
    }
    return bytes;
  }

private:
  std::string_view rest_;
};

}  // namespace zmtp
